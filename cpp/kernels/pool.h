// The threads behind parallelFor, in builds for several threads.
//
// The host starts the threads, which stay in serveThread: in JavaScript each is a worker with its own instance of the
// module over the same memory, in native tests a std::thread. A loop opens a round, in which each thread takes the next
// index until none is left. The caller takes part, so the round ends even if no thread comes. Then the caller closes
// the round and waits for the threads that are still inside. It spins, because a browser's main thread must not sleep.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// Sets the number of threads that share a loop from now on, including the caller; with 1 the others sleep. Call it
/// between loops, or after the engine has interrupted one: then it waits until no thread works on that loop.
void setThreadCount(int count);

/// Sets the least work, in multiplications, for which a loop is shared. Tests use it to share the smallest loops.
void setWorthThreads(double work);

/// Runs thread number `thread`, 1 or more; returns after stopThreads.
void serveThread(int thread);

/// Makes all threads leave serveThread.
void stopThreads();

/// Must be called for a thread that has died within a loop, whose results are then incomplete.
void reportDeath();

/// Whether a thread has died since the last setThreadCount.
bool threadsFailed();

}  // namespace wasm_attention
