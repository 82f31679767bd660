// Loops that several threads share. A build without WASM_ATTENTION_THREADS has plain loops.
#pragma once

#ifdef WASM_ATTENTION_THREADS
#include <algorithm>
#include <cstdint>
#endif

namespace wasm_attention {

/// What copying a float into a panel costs, in multiplications.
constexpr double kCopyWork = 16;

#ifdef WASM_ATTENTION_THREADS

/// Threads that share a loop, the caller among them.
int threadCount();

/// What a loop must be worth to be shared, in multiplications.
double worthThreads();

/// Wakes the threads at the beginning of a call of this much work, so that they are there for its loops, each of which may be too
/// small to wake them for.
void wakeThreads(double work);

/// task(context, i, thread) for each i in [0, count) on the threads of the pool (pool.h); and before, where `first` is -1, for that
/// index on the caller alone, while the others begin with 0.
void runOnPool(int first, int count, void (*task)(const void* context, int index, int thread), const void* context);

/// The same for each i in [first, count), in order on the caller.
void runHere(int first, int count, void (*task)(const void* context, int index, int thread), const void* context);

/// How many parts of a shared loop's work are done, for those who need their results.
class Progress {
 public:
  void advance();
  bool reached(int parts) const;
  /// Returns when this many parts are done, or a thread has died. They must belong to smaller indices of the loop than that of the
  /// thread that waits: threads take indices in order, so somebody is at work on them.
  void await(int parts, int thread) const;

 private:
  uint32_t done_ = 0;
};

#else

constexpr int threadCount() { return 1; }
inline void wakeThreads(double) {}

/// Nothing to count, since indices are done in order.
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

/// f(i, thread) for each i in [first, count), first being 0 or -1. Where `work`, the multiplications of all of them, is worth it,
/// all threads take part, each taking the next index; otherwise the caller does all in order. 0 <= thread < threadCount() says whose
/// working memory to use. f must give the same bits in any order; loops inside f are not shared, and say thread 0. Index -1 is for
/// the caller alone, which begins with it while the others begin with 0.
template <typename F>
inline void parallelFrom(int first, int count, double work, const F& f) {
#ifdef WASM_ATTENTION_THREADS
  // By one copy of f either way: two would take a sixth of the wasm.
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

/// f(first, part) for parts [first, first + part) of [0, count): one part on the caller, or several for each thread. Their sizes are
/// multiples of `unit`, except for the last one's. What f does for an index must not depend on the part that it is in.
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
