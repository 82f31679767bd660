// Loops that several threads share. A build without WASM_ATTENTION_THREADS has plain loops.
#pragma once

#ifdef WASM_ATTENTION_THREADS
#include <algorithm>
#include <cstdint>
#endif

namespace wasm_attention {

/// The cost of copying a float into a panel, in multiplications.
constexpr double kCopyWork = 16;

#ifdef WASM_ATTENTION_THREADS

/// The number of threads that share a loop, including the caller.
int threadCount();

/// The least work, in multiplications, for which a loop is shared.
double worthThreads();

/// Wakes the threads at the beginning of a call of this much work, whose loops may each be too small to wake them.
void wakeThreads(double work);

/// Calls task(context, i, thread) for each i in [0, count) on the threads of the pool (pool.h). If `first` is -1, the
/// caller begins with index -1 while the other threads begin with 0.
void runOnPool(int first, int count, void (*task)(const void* context, int index, int thread), const void* context);

/// The same for each i in [first, count) on the caller, in order.
void runHere(int first, int count, void (*task)(const void* context, int index, int thread), const void* context);

/// Counts the finished parts of a shared loop, for threads that need their results.
class Progress {
 public:
  void advance();
  bool reached(int parts) const;
  /// Returns when this many parts are done, or a thread has died. The parts must belong to smaller indices than the
  /// waiting one: threads take indices in order, so smaller ones are done or in progress.
  void await(int parts, int thread) const;

 private:
  uint32_t done_ = 0;
};

#else

constexpr int threadCount() { return 1; }
inline void wakeThreads(double) {}

/// Counts nothing, because indices are done in order.
struct Progress {
  void advance() {}
  bool reached(int) const { return true; }
  void await(int, int) const {}
};

#endif

/// Whether several threads would share a loop of this work.
inline bool worthSharing(double work) {
#ifdef WASM_ATTENTION_THREADS
  return work >= worthThreads() && threadCount() > 1;
#else
  static_cast<void>(work);
  return false;
#endif
}

/// Calls f(i, thread) for each i in [first, count), where first is 0 or -1. If `work`, the number of multiplications,
/// is large enough, all threads share the loop; otherwise the caller runs it in order. `thread` < threadCount() selects
/// f's working memory. f must give the same bits in any order. Loops inside f are not shared and pass thread 0. The
/// caller begins with index -1, while the other threads begin with 0.
template <typename F>
inline void parallelFrom(int first, int count, double work, const F& f) {
#ifdef WASM_ATTENTION_THREADS
  // Both branches call the same copy of f: second copies would make up a sixth of the wasm.
  const auto task = [](const void* context, int i, int thread) { (*static_cast<const F*>(context))(i, thread); };
  if (count > 1 && worthSharing(work)) {
    runOnPool(first, count, task, &f);
  } else {
    runHere(first, count, task, &f);
  }
#else
  static_cast<void>(work);
  for (int i = first; i < count; ++i) f(i, 0);
#endif
}

template <typename F>
inline void parallelFor(int count, double work, const F& f) {
  parallelFrom(0, count, work, f);
}

/// Calls f(first, size) for parts [first, first + size) of [0, count): one part on the caller, or several for each
/// thread. All sizes but the last are multiples of `unit`. An index's result must not depend on the part that contains
/// it.
template <typename F>
inline void parallelParts(int count, int unit, double work, const F& f) {
#ifdef WASM_ATTENTION_THREADS
  int parts = 1;
  int size = count;
  if (count > unit && worthSharing(work)) {
    constexpr int kParts = 4;  // for each thread
    size = (count + kParts * threadCount() - 1) / (kParts * threadCount());
    size = (size + unit - 1) / unit * unit;
    parts = (count + size - 1) / size;
  }
  parallelFor(parts, work, [&](int i, int) { f(i * size, std::min(size, count - i * size)); });
#else
  static_cast<void>(unit);
  static_cast<void>(work);
  f(0, count);
#endif
}

}  // namespace wasm_attention
