// Versions tried (µs of a loop of two indices on two threads that are awake / asleep; Sapphire Rapids, Node 20, busy):
//   Emscripten's pthreads, mutex, condition variable    18 to 43 / 20 to 180, and 11 kB more JavaScript (brotli)
//   rounds, closed by the caller                        0.14 to 0.55 / 20 to 180   <- this
// Today, in calls: npm run bench -- --scaling --work attention-128,textbook
//
// Versions tried for decoding (speed of a token on two threads relative to one: 3 layers of SmolLM2 in float32 /
// float16 / int8, 8 layers in int8, and processor time of those; Ice Lake, Node 20, busy, the fastest of hundreds of
// calls):
//   no loop is large enough to wake threads                 1.00 / 1.00 / 0.97, 1.00, 1.01
//   woken for a pass; then loops of 10 µs are shared        1.66 / 1.56 / 1.26, 1.25, 1.14
//   woken for a pass; then loops of 4 µs are shared         1.69 / 1.53 / 1.35, 1.51, 1.10   <- this
//   woken for a pass; then loops of 1.6 µs are shared       1.87 / 1.69 / 1.45, 1.40, 1.21
// Today: npm run bench -- --threads 2 --work smollm2-token-int8
#ifdef WASM_ATTENTION_THREADS
#include "kernels/pool.h"

#include <cassert>

#include "kernels/atomics.h"
#include "kernels/parallel.h"

namespace wasm_attention {
namespace {

using Task = void (*)(const void* context, int index, int thread);

/// How often a thread polls for a round before it sleeps: about 0.2 ms, within which the next loop of a call or the
/// next layer of a network begins. Waking a thread takes 50 µs, or more if its core sleeps, too.
constexpr int kSpins = 100000;
/// How often a thread that waits within a loop polls before it gives up its core for 0.1 ms: about 60 µs, within which
/// inputs are copied in. Versions tried (ms of attention (1, 8, 128, 64) on two threads / on sixteen threads and two
/// cores):
///   4 µs                1.17 / 2.0
///   60 µs               0.86 / 2.3   <- this
///   without a limit     not measured / 167
constexpr int kPolls = 30000;
/// How often the caller polls before it checks whether a thread has ended: less than a millisecond. A timeout would not
/// do, because a thread may work on one index for minutes.
constexpr uint32_t kCallerPolls = 65536;

// On its own cache line, so that taking an index does not slow down threads that poll for a round.
struct alignas(64) Round {
  uint32_t state = 0;   // twice the round's number, plus 1 while it is open
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
// The least work for which a loop is shared: 0.1 ms of one core if threads must be woken, 4 µs if all are awake.
double worth = 2.5e6, worth_awake = 1e5;
bool busy = false;  // the caller is in a round

// The least work of a call of small loops for which threads are woken, in units of `worth`; they are awake after a
// fifth of it.
constexpr double kWorthWaking = 2;

void takeIndices(int thread) {
  const Task task = task_;
  const void* const context = context_;
  const uint32_t count = count_;
  for (uint32_t i = add(indices.next, 1); i < count; i = add(indices.next, 1)) {
    task(context, static_cast<int>(i), thread);
  }
}

/// The caller waits until `done`, or until a thread has died.
template <typename Done>
void waitFor(const Done& done) {
  for (uint32_t polls = 1; !done() && !get(round_.failed); ++polls) {
    rest();
    if (polls % kCallerPolls == 0 && lostThread()) set(round_.failed, 1);
  }
}

}  // namespace

int threadCount() { return static_cast<int>(get(thread_count)); }

void setThreadCount(int count) {
  if (busy) {
    // The engine has interrupted the last round, and perhaps an earlier call of this function. Stop all threads from
    // taking another index and from waiting for parts of the work.
    set(indices.next, count_);
    set(round_.failed, 1);
    if (get(round_.state) % 2 == 1) add(round_.state, 1);
    for (uint32_t polls = 1; get(round_.inside) != 0; ++polls) {
      rest();
      if (polls % kCallerPolls == 0 && lostThread()) break;
    }
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

void Progress::advance() { add(done_, 1); }
bool Progress::reached(int parts) const { return get(done_) >= static_cast<uint32_t>(parts); }
void Progress::await(int parts, int thread) const {
  if (thread == 0) return waitFor([&] { return reached(parts); });
  // If there are more threads than cores, the awaited thread may need this one's core.
  for (int polls = 0; !reached(parts) && !get(round_.failed); ++polls) {
    const uint32_t value = get(done_);
    if (polls > kPolls && value < static_cast<uint32_t>(parts)) doze(done_, value);
  }
}

void runHere(int first, int count, Task task, const void* context) {
  for (int i = first; i < count; ++i) task(context, i, 0);
}

void runOnPool(int first, int count, Task task, const void* context) {
  // This loop is inside a shared one.
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
    // Look again: the caller may have closed the round before it saw this thread inside. If a round is open now, even a
    // later one, the caller will wait for this thread.
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
