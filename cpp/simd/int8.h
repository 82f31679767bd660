// Sums of products of small whole numbers, four in each lane of 32 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/f32x4.h"

namespace wasm_attention {

typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef int16_t i16x8 __attribute__((vector_size(16)));

/// The number of words for four numbers of the left operand.
#ifdef __wasm_relaxed_simd__
constexpr int kFourWords = 1;  // bytes
#else
constexpr int kFourWords = 2;  // of 16 bits: the first and the third, the second and the fourth
#endif

inline i32x4 loadSplat(const int32_t* p) {
#ifdef __wasm_simd128__
  return reinterpret_cast<i32x4>(wasm_v128_load32_splat(p));
#else
  return splat(*p);
#endif
}

inline i32x4 load(const int32_t* p) {
  i32x4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline void store(int32_t* p, i32x4 v) { std::memcpy(p, &v, sizeof v); }

/// Writes four numbers from -127 to 127 as a left operand, whose words are `stride` apart.
inline void storeFour(i32x4 four, int32_t* words, int stride) {
#ifdef __wasm_relaxed_simd__
  const i8x16 bytes = reinterpret_cast<i8x16>(four);
  const i8x16 packed = __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
#else
  const i16x8 halves = reinterpret_cast<i16x8>(four);
  const i16x8 packed = __builtin_shufflevector(halves, halves, 0, 4, 2, 6, 0, 4, 2, 6);
#endif
  const i32x4 parts = reinterpret_cast<i32x4>(packed);
  for (int part = 0; part < kFourWords; ++part) words[part * stride] = parts[part];
}

/// Part kPart < kFourWords of right operands, whose lanes have four bytes from 0 to 126 each.
template <int kPart>
inline i32x4 partOf(i32x4 b) {
#ifdef __wasm_relaxed_simd__
  return b;
#else
  return kPart == 0 ? b & splat(0x00ff00ff) : reinterpret_cast<i32x4>(reinterpret_cast<i16x8>(b) >> 8);
#endif
}

/// sum + a . b in each lane, for one part of both operands. Processors agree on the relaxed instruction for right
/// operands of 7 bits. Not the instruction that also adds, which V8 11.3 (Node 20, Chrome 113) miscompiles before it
/// optimises. A product with ones adds the pairs, because V8 keeps the ones in a register, but reads a constant from
/// memory each time for the instruction that adds pairs.
inline i32x4 addDot(i32x4 a, i32x4 b, i32x4 sum) {
#if defined(__wasm_relaxed_simd__)
  const v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b));
  return sum + reinterpret_cast<i32x4>(wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_splat(1)));
#elif defined(__wasm_simd128__)
  return sum + reinterpret_cast<i32x4>(wasm_i32x4_dot_i16x8(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  const auto low = [](i32x4 x) { return reinterpret_cast<i32x4>(reinterpret_cast<u32x4>(x) << 16) >> 16; };
  return sum + low(a) * low(b) + (a >> 16) * (b >> 16);
#endif
}

/// Rounds numbers from -2^22 to 2^22 to nearest, ties to even, because the sum has no fraction; NaN becomes 0.
inline i32x4 nearest(f32x4 x) {
  constexpr float kWhole = 0x1.8p23f;
  int32_t whole;
  std::memcpy(&whole, &kWhole, sizeof whole);
  return (reinterpret_cast<i32x4>(x + kWhole) - splat(whole)) & (x == x);
}

inline i32x4 max(i32x4 a, i32x4 b) {
#ifdef __wasm_simd128__
  return reinterpret_cast<i32x4>(wasm_i32x4_max(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  return a > b ? a : b;
#endif
}

inline f32x4 toFloats(i32x4 x) { return __builtin_convertvector(x, f32x4); }

}  // namespace wasm_attention
