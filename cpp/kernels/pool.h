// The threads behind parallelFor, in a build that has them.
//
// The host starts the threads (JavaScript a worker with an instance of the module over the same memory, the native tests a
// std::thread), which stay in serveThread. A loop opens a round, in which each thread takes the next index until none is left. The
// caller takes part, so that the round ends even where no thread comes: one that sleeps or is gone costs no more than its share of
// the work. The caller then closes the round and waits for the threads that are still inside. It spins, because a browser's main
// thread must not sleep.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// How many threads share a loop from now on, the caller among them; with 1 the others sleep. For between loops, or after one that
/// the engine has ended in the middle: it waits until no thread is at work on that.
void setThreadCount(int count);

/// What a loop must be worth to be shared, in multiplications. Tests share the smallest loops.
void setWorthThreads(double work);

/// What thread number `thread`, 1 or more, runs; returns after stopThreads.
void serveThread(int thread);

/// Makes all threads leave serveThread.
void stopThreads();

/// For a thread that has died within a loop, whose results are then incomplete.
void reportDeath();

/// Whether a thread has died, or has not finished an index for seconds, since the last setThreadCount.
bool threadsFailed();

}  // namespace wasm_attention
