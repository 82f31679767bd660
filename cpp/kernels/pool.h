// The threads behind parallelFor, in a build that has them.
//
// Threads are started by the host (a worker of JavaScript with an instance of the module over the same memory, a std::thread
// in the native tests), and stay in serveThread. A loop opens a round; whoever comes takes the next index until none is left.
// The caller takes part, so a round ends even where no thread comes: one that sleeps late, or is gone, costs nothing but its
// share. The caller then closes the round and waits for those who are still inside, by spinning: a browser's main thread must
// not sleep.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// How many threads share a loop from now on, the caller among them; with 1 the others sleep. Called between loops, or after one
/// that the engine has ended in the middle: waits until nobody is at work on it.
void setThreadCount(int count);

/// What a loop must be worth to be shared, in multiplications; tests share the smallest ones.
void setWorthThreads(double work);

/// The life of thread number `thread`, 1 or more; returns after stopThreads.
void serveThread(int thread);

/// Sends all threads home.
void stopThreads();

/// A thread says that it has died within a loop, whose results are then not all there.
void reportDeath();

/// Whether one has since the last setThreadCount, or has not answered for seconds.
bool threadsFailed();

}  // namespace wasm_attention
