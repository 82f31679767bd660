// Vectors of four floats. clang's and GCC's vector extensions have arithmetic and comparisons; this file has the rest,
// for wasm and in portable form.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace wasm_attention {

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));

constexpr int kLanes = 4;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline f32x4 load(const float* p) {
  f32x4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline void store(float* p, f32x4 v) { std::memcpy(p, &v, sizeof v); }

inline f32x4 splat(float x) { return f32x4{x, x, x, x}; }
inline i32x4 splat(int32_t x) { return i32x4{x, x, x, x}; }
inline u32x4 splat(uint32_t x) { return u32x4{x, x, x, x}; }

/// Four copies of *p in one instruction.
inline f32x4 loadSplat(const float* p) {
#ifdef __wasm_simd128__
  return reinterpret_cast<f32x4>(wasm_v128_load32_splat(p));
#else
  return splat(*p);
#endif
}

/// a < b ? b : a in each lane: keeps a NaN in `a`, ignores one in `b`. One instruction on x86 and ARM, where wasm's
/// f32x4.max takes eight to get NaN and -0 right.
inline f32x4 max(f32x4 a, f32x4 b) {
#ifdef __wasm_simd128__
  return reinterpret_cast<f32x4>(wasm_f32x4_pmax(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  return a < b ? b : a;
#endif
}

/// b < a ? b : a in each lane: like `max`, keeps a NaN in `a` and ignores one in `b`.
inline f32x4 min(f32x4 a, f32x4 b) {
#ifdef __wasm_simd128__
  return reinterpret_cast<f32x4>(wasm_f32x4_pmin(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  return b < a ? b : a;
#endif
}

/// a * b + c. With relaxed SIMD this is one instruction, which rounds once if the processor has a fused multiply-add;
/// otherwise two, which round twice.
inline f32x4 multiplyAdd(f32x4 a, f32x4 b, f32x4 c) {
#ifdef __wasm_relaxed_simd__
  return reinterpret_cast<f32x4>(
      wasm_f32x4_relaxed_madd(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(c)));
#else
  return c + a * b;
#endif
}

/// The same for one number, with the same bits.
inline float multiplyAdd(float a, float b, float c) {
#ifdef __wasm_relaxed_simd__
  return multiplyAdd(splat(a), splat(b), splat(c))[0];
#else
  return c + a * b;
#endif
}

/// mask ? a : b for each bit; a comparison gives a mask.
inline f32x4 select(i32x4 mask, f32x4 a, f32x4 b) {
#ifdef __wasm_simd128__
  return reinterpret_cast<f32x4>(
      wasm_v128_bitselect(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(mask)));
#else
  return mask ? a : b;
#endif
}

inline f32x4 sqrt(f32x4 a) {
#ifdef __wasm_simd128__
  return reinterpret_cast<f32x4>(wasm_f32x4_sqrt(reinterpret_cast<v128_t>(a)));
#else
  return f32x4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

inline bool anyTrue(i32x4 mask) {
#ifdef __wasm_simd128__
  return wasm_v128_any_true(reinterpret_cast<v128_t>(mask));
#else
  return mask[0] | mask[1] | mask[2] | mask[3];
#endif
}

inline float sum(f32x4 v) { return (v[0] + v[2]) + (v[1] + v[3]); }

inline float max(f32x4 v) {
  const f32x4 halves = max(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
  return max(halves, __builtin_shufflevector(halves, halves, 1, 0, 3, 2))[0];
}

/// Turns four rows into four columns.
inline void transpose(f32x4& a, f32x4& b, f32x4& c, f32x4& d) {
  const f32x4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const f32x4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const f32x4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const f32x4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

}  // namespace wasm_attention
