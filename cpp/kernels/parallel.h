// One loop shared by several threads. A build without threads (WASM_ATTENTION_THREADS is not defined) has the plain loop only.
#pragma once

#ifdef WASM_ATTENTION_THREADS
#include <algorithm>
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

/// task(context, i, thread) for each i in [0, count) on the threads of the pool; see pool.h.
void runOnPool(int count, void (*task)(const void* context, int index, int thread), const void* context);

/// The same in order on the caller.
void runHere(int count, void (*task)(const void* context, int index, int thread), const void* context);

#else

constexpr int threadCount() { return 1; }
inline void wakeThreads(double) {}

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

/// f(i, thread) for each i in [0, count): in order on the caller, or where `work`, the multiplications of all of them, is
/// worth it by all threads, in any order, each taking the next one. 0 <= thread < threadCount() says whose working memory
/// to use. f must give the same bits in any order; loops inside f are not shared, and say thread 0.
template <typename F>
inline void parallelFor(int count, double work, const F& f) {
#ifdef WASM_ATTENTION_THREADS
  // One copy of f for both ways: two would be a sixth of the wasm.
  const auto task = [](const void* context, int i, int thread) { (*static_cast<const F*>(context))(i, thread); };
  if (count > 1 && worthSharing(work)) {
    runOnPool(count, task, &f);
  } else {
    runHere(count, task, &f);
  }
#else
  static_cast<void>(work);
  for (int i = 0; i < count; ++i) f(i, 0);
#endif
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
