// A pool of std::threads for tests.
#pragma once

#include <thread>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/pool.h"

namespace wasm_attention {

/// One pool for all tests, because it can be stopped only once.
class TestPool {
 public:
  explicit TestPool(int threads) {
    for (int thread = 1; thread < threads; ++thread) threads_.emplace_back(serveThread, thread);
    setWorthThreads(0);
    setThreadCount(threads);
  }
  ~TestPool() {
    stopThreads();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::vector<std::thread> threads_;
};

/// Runs f() on `threads` threads, including the caller.
template <typename F>
auto with(int threads, const F& f) {
  const int before = threadCount();
  setThreadCount(threads);
  auto result = f();
  setThreadCount(before);
  return result;
}

}  // namespace wasm_attention
