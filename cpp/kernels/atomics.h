// Atomic operations, in wasm and natively. Native threads, which only tests use, never sleep.
#pragma once

#include <cstdint>

#ifdef __wasm__
// web/lib/runtime/threads.ts: whether a thread of the pool has ended.
extern "C" int lost_thread();
#else
#include <thread>
#endif

namespace wasm_attention {

// All operations are sequentially consistent.
template <typename T>
T get(const T& x) {
  return __atomic_load_n(&x, __ATOMIC_SEQ_CST);
}
inline void set(uint32_t& x, uint32_t value) { __atomic_store_n(&x, value, __ATOMIC_SEQ_CST); }
/// Returns the previous value.
inline uint32_t add(uint32_t& x, uint32_t amount) { return __atomic_fetch_add(&x, amount, __ATOMIC_SEQ_CST); }

#ifdef __wasm__
/// Sleeps while x has this value, until `wake`.
inline void sleepWhile(uint32_t& x, uint32_t value) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&x), static_cast<int>(value), -1);
}
/// The same for at most 0.1 ms, even without `wake`.
inline void doze(const uint32_t& x, uint32_t value) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(const_cast<uint32_t*>(&x)), static_cast<int>(value),
                                      100000);
}
/// Wakes all threads that sleep on x.
inline void wake(uint32_t& x) { __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&x), ~0u); }
/// Called between polls by a thread that must not sleep.
inline void rest() {}
/// Whether a thread has ended without reporting it.
inline bool lostThread() { return lost_thread() != 0; }
#else
inline void sleepWhile(uint32_t&, uint32_t) { std::this_thread::yield(); }
inline void doze(const uint32_t&, uint32_t) { std::this_thread::yield(); }
inline void wake(uint32_t&) {}
inline void rest() { std::this_thread::yield(); }
inline bool lostThread() { return false; }
#endif

}  // namespace wasm_attention
