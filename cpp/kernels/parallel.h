// One loop shared by several threads. A build without threads (WASM_ATTENTION_THREADS is not defined) has the plain loop only.
#pragma once

#ifdef WASM_ATTENTION_THREADS
#include <algorithm>
#include <cstdint>
#endif

namespace wasm_attention {

/// What copying a float into a panel takes, in multiplications.
constexpr double kCopyWork = 16;

#ifdef WASM_ATTENTION_THREADS

/// Threads that share a loop, the caller among them.
int threadCount();

/// Multiplications that are worth waking another thread for.
double worthThreads();

/// Wakes the threads where a call of this work begins, so that they are there for its loops, none of which may be worth it.
void wakeThreads(double work);

/// task(context, i, thread) for each i in [first, count) on the threads of the pool; see pool.h. A negative first index is for the
/// caller, while the others are at work.
void runOnPool(int first, int count, void (*task)(const void* context, int index, int thread), const void* context);

/// The same in order on the caller.
void runHere(int first, int count, void (*task)(const void* context, int index, int thread), const void* context);

/// How many parts of a shared loop's work are done, for what comes after them.
class Progress {
 public:
  void clear();
  void advance();
  bool reached(int parts) const;
  /// Returns when as many parts are done, or a thread has died. Threads take indices in order: what is waited for must belong to
  /// smaller ones, so that somebody is at work on it.
  /// thread  who waits
  void await(int parts, int thread) const;

 private:
  uint32_t done_ = 0;
};

#else

constexpr int threadCount() { return 1; }
inline void wakeThreads(double) {}

/// Here everything is done in order.
struct Progress {
  void clear() {}
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

/// f(i, thread) for each i in [first, count): in order on the caller, or where `work`, the multiplications of all of them, is
/// worth it by all threads, in any order, each taking the next one. 0 <= thread < threadCount() says whose working memory
/// to use. f must give the same bits in any order; loops inside f are not shared, and say thread 0. A first index of -1 is for the
/// caller, which does that first.
template <typename F>
inline void parallelFrom(int first, int count, double work, const F& f) {
#ifdef WASM_ATTENTION_THREADS
  // One copy of f for both ways: two would be a sixth of the wasm.
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

/// f(first, part) for parts [first, first + part) of [0, count): all at once on the caller, or a few for each thread, whose
/// sizes are multiples of `unit` but for the last one's. What f does for an index must not depend on the part that it is in.
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
