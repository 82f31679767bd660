// A loop of two indices over two threads, from call to return (µs; Node 20, two cores, busy):
//   Emscripten's pthreads, mutex and condition variable    18-43, asleep 20-180; 11 kB more of JavaScript, with brotli
//   these rounds                                           0.14-0.55, asleep 20-180     <- this
// Calls below worthThreads(), such as the textbook's, open no round.
#ifdef WASM_ATTENTION_THREADS
#include "kernels/pool.h"

#include <cassert>

#include "kernels/parallel.h"

#ifdef __wasm__
// web/lib/embind.ts: milliseconds.
extern "C" double performance_now();
#else
#include <chrono>
#include <thread>
#endif

namespace wasm_attention {
namespace {

using Task = void (*)(const void* context, int index, int thread);

/// Looks before a thread goes to sleep: some 0.2 ms. Waking one takes 50 µs and more where its core sleeps, too; the loops of a
/// call, and the calls of a network's layers, follow each other more closely than that.
constexpr int kSpins = 100000;
/// Looks at what a thread waits for within a loop before it leaves its core to others, 0.1 ms at a time: some 60 µs, in which
/// inputs arrive. With 4 µs (1, 8, 128, 64) takes 1.17 ms in place of 0.86, and sixteen threads on two cores 2.0 in place of 2.3;
/// with looks alone those take 167.
constexpr int kLooks = 30000;
/// Milliseconds that a thread inside may take for an index while the caller has nothing left to do.
constexpr double kPatience = 10000;

// All operations on these are sequentially consistent. Apart, so that taking an index does not disturb those who look for a
// round.
struct alignas(64) Round {
  uint32_t state = 0;   // twice its number, and 1 while it is open
  uint32_t inside = 0;  // threads that may be working in it
  uint32_t stopped = 0;
  uint32_t failed = 0;
  uint32_t asleep = 0;
};
struct alignas(64) Indices {
  uint32_t next = 0;
};

Round round_;
Indices indices;
// Written by the caller while no round is open.
Task task_ = nullptr;
const void* context_ = nullptr;
uint32_t count_ = 0;
uint32_t thread_count = 1;
// About 0.1 ms of one core where a thread must be woken first, 10 µs where all of them are looking for a round.
double worth = 2.5e6, worth_awake = 2.5e5;
bool busy = false;  // the caller is in a round

// Calls of many small loops: in a fifth of it all threads are awake.
constexpr double kWorthWaking = 2;

template <typename T>
T get(const T& x) {
  return __atomic_load_n(&x, __ATOMIC_SEQ_CST);
}
void set(uint32_t& x, uint32_t value) { __atomic_store_n(&x, value, __ATOMIC_SEQ_CST); }
uint32_t add(uint32_t& x, uint32_t amount) { return __atomic_fetch_add(&x, amount, __ATOMIC_SEQ_CST); }

#ifdef __wasm__
void sleepWhile(uint32_t& x, uint32_t value) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&x), static_cast<int>(value), -1);
}
/// The same for 0.1 ms at most: nobody wakes it.
void doze(const uint32_t& x, uint32_t value) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(const_cast<uint32_t*>(&x)), static_cast<int>(value),
                                      100000);
}
void wake(uint32_t& x) { __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&x), ~0u); }
void rest() {}
double now() { return performance_now(); }
#else
void sleepWhile(uint32_t&, uint32_t) { std::this_thread::yield(); }
void doze(const uint32_t&, uint32_t) { std::this_thread::yield(); }
void wake(uint32_t&) {}
void rest() { std::this_thread::yield(); }
double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
#endif

void takeIndices(int thread) {
  const Task task = task_;
  const void* const context = context_;
  const uint32_t count = count_;
  for (uint32_t i = add(indices.next, 1); i < count; i = add(indices.next, 1)) {
    task(context, static_cast<int>(i), thread);
  }
}

/// The caller, until `done`; gives up where a thread has died, or stays inside.
template <typename Done>
void waitFor(const Done& done) {
  double deadline = 0;
  for (uint32_t looks = 1; !done(); ++looks) {
    if (get(round_.failed)) return;
    rest();
    if (looks % 65536 != 0) continue;
    const double time = now();
    if (deadline == 0) deadline = time + kPatience;
    if (time > deadline) set(round_.failed, 1);
  }
}

}  // namespace

int threadCount() { return static_cast<int>(get(thread_count)); }

void setThreadCount(int count) {
  if (busy) {
    // Nobody takes another index, or waits for a part. This, too, may have been ended in the middle before.
    set(indices.next, count_);
    set(round_.failed, 1);
    if (get(round_.state) % 2 == 1) add(round_.state, 1);
    const double deadline = now() + kPatience;
    while (get(round_.inside) != 0 && now() < deadline) rest();
    busy = false;
  }
  set(thread_count, static_cast<uint32_t>(count));
  set(round_.failed, 0);
}

double worthThreads() { return get(round_.asleep) == 0 ? worth_awake : worth; }

void setWorthThreads(double work) { worth = worth_awake = work; }

void wakeThreads(double work) {
  if (work < kWorthWaking * worth || get(round_.asleep) == 0 || thread_count == 1 || busy) return;
  add(round_.state, 2);
  wake(round_.state);
}

void Progress::clear() { set(done_, 0); }
void Progress::advance() { add(done_, 1); }
bool Progress::reached(int parts) const { return get(done_) >= static_cast<uint32_t>(parts); }
void Progress::await(int parts, int thread) const {
  if (thread == 0) return waitFor([&] { return reached(parts); });
  // Where there are more threads than cores, whoever is waited for may need this one.
  for (int looks = 0; !reached(parts) && !get(round_.failed); ++looks) {
    const uint32_t value = get(done_);
    if (looks > kLooks && value < static_cast<uint32_t>(parts)) doze(done_, value);
  }
}

void runHere(int first, int count, Task task, const void* context) {
  for (int i = first; i < count; ++i) task(context, i, 0);
}

void runOnPool(int first, int count, Task task, const void* context) {
  // Within a loop that is shared already.
  if (busy) return runHere(first, count, task, context);
  busy = true;
  task_ = task;
  context_ = context;
  count_ = static_cast<uint32_t>(count);
  set(indices.next, 0);
  add(round_.state, 1);
  wake(round_.state);
  if (first < 0) task(context, first, 0);
  takeIndices(0);
  add(round_.state, 1);
  waitFor([] { return get(round_.inside) == 0; });
  busy = false;
}

void serveThread(int thread) {
  uint32_t last = 0;
  while (!get(round_.stopped)) {
    uint32_t state = get(round_.state);
    for (int spins = 0; state == last && spins < kSpins; ++spins) state = get(round_.state);
    if (state == last) {
      add(round_.asleep, 1);
      sleepWhile(round_.state, last);
      add(round_.asleep, ~0u);
      continue;
    }
    last = state;
    if (state % 2 == 0 || thread >= threadCount()) continue;
    add(round_.inside, 1);
    // Closed meanwhile: the caller may have seen nobody inside and gone on. Open, even as a later round: it will wait.
    last = get(round_.state);
    if (last % 2 == 1) takeIndices(thread);
    add(round_.inside, ~0u);
  }
}

void stopThreads() {
  set(round_.stopped, 1);
  add(round_.state, 2);
  wake(round_.state);
}

void reportDeath() {
  set(round_.failed, 1);
  add(round_.inside, ~0u);
}

bool threadsFailed() { return get(round_.failed) != 0; }

}  // namespace wasm_attention
#endif
