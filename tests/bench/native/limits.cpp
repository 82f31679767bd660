// The limits of this machine's wasm engine, with which the benchmark's figures are compared.
#include <wasm_simd128.h>

namespace {

inline v128_t multiplyAdd(v128_t a, v128_t b, v128_t c) {
#ifdef __wasm_relaxed_simd__
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return wasm_f32x4_add(c, wasm_f32x4_mul(a, b));
#endif
}

// `kSums` independent chains s = s * x + y that never leave the registers.
template <int kSums>
__attribute__((noinline)) void chains(float* memory, int steps) {
  v128_t sum[kSums];
#pragma clang loop unroll(full)
  for (int i = 0; i < kSums; ++i) sum[i] = wasm_v128_load(memory + 4 * i);
  const v128_t x = wasm_v128_load32_splat(memory + 4 * kSums);
  const v128_t y = wasm_v128_load32_splat(memory + 4 * kSums + 1);
#pragma clang loop unroll(disable)
  for (int step = 0; step < steps; step += 4) {
#pragma clang loop unroll(full)
    for (int unrolled = 0; unrolled < 4; ++unrolled) {
#pragma clang loop unroll(full)
      for (int i = 0; i < kSums; ++i) sum[i] = multiplyAdd(sum[i], x, y);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < kSums; ++i) wasm_v128_store(memory + 4 * i, sum[i]);
}

// C (4 x 8) += A (4 x depth) * B (depth x 8), both packed in the order in which they are read.
// The loop compares a pointer instead of a counter and is not unrolled: the fastest of the forms tried.
__attribute__((noinline)) void microKernel(const float* a, const float* b, float* c, int depth) {
  v128_t sum[4][2];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) sum[i][0] = sum[i][1] = wasm_f32x4_const_splat(0);
  const float* end = b + 8 * depth;
#pragma clang loop unroll(disable)
  for (; b != end; a += 4, b += 8) {
    const v128_t left = wasm_v128_load(b);
    const v128_t right = wasm_v128_load(b + 4);
#pragma clang loop unroll(full)
    for (int i = 0; i < 4; ++i) {
      const v128_t value = wasm_v128_load32_splat(a + i);
      sum[i][0] = multiplyAdd(value, left, sum[i][0]);
      sum[i][1] = multiplyAdd(value, right, sum[i][1]);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) {
    wasm_v128_store(c + 8 * i, wasm_f32x4_add(wasm_v128_load(c + 8 * i), sum[i][0]));
    wasm_v128_store(c + 8 * i + 4, wasm_f32x4_add(wasm_v128_load(c + 8 * i + 4), sum[i][1]));
  }
}

}  // namespace

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

// A step does 4 lanes times the number of chains multiply-adds. Which number is fastest depends on the processor's
// latencies.
EXPORT(multiplyAdd10) void multiplyAdd10(float* memory, int steps) { chains<10>(memory, steps); }
EXPORT(multiplyAdd12) void multiplyAdd12(float* memory, int steps) { chains<12>(memory, steps); }
EXPORT(multiplyAdd13) void multiplyAdd13(float* memory, int steps) { chains<13>(memory, steps); }

EXPORT(microKernels) void microKernels(const float* a, const float* b, float* c, int depth, int times) {
  for (int i = 0; i < times; ++i) microKernel(a, b, c, depth);
}

// Reads `bytes`, a multiple of 128, with eight sums: the upper limit for products of one row.
EXPORT(sum) float sum(const float* from, unsigned bytes) {
  v128_t sums[8];
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; ++i) sums[i] = wasm_f32x4_const_splat(0);
  const float* end = from + bytes / 4;
#pragma clang loop unroll(disable)
  for (; from != end; from += 32) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) sums[i] = wasm_f32x4_add(sums[i], wasm_v128_load(from + 4 * i));
  }
#pragma clang loop unroll(full)
  for (int i = 1; i < 8; ++i) sums[0] = wasm_f32x4_add(sums[0], sums[i]);
  return wasm_f32x4_extract_lane(sums[0], 0) + wasm_f32x4_extract_lane(sums[0], 1) +
         wasm_f32x4_extract_lane(sums[0], 2) + wasm_f32x4_extract_lane(sums[0], 3);
}

EXPORT(copy) void copy(float* to, const float* from, int bytes) {
  __builtin_memcpy(to, from, static_cast<unsigned>(bytes));
}
EXPORT(reserve) float* reserve(int bytes) {
  const int old_pages = static_cast<int>(__builtin_wasm_memory_grow(0, static_cast<unsigned>(bytes + 65535) / 65536));
  return reinterpret_cast<float*>(old_pages * 65536);
}
