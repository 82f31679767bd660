// Sums of products of small whole numbers, four in each lane of 32 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/f32x4.h"

namespace wasm_attention {

typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef int16_t i16x8 __attribute__((vector_size(16)));
typedef uint16_t u16x8 __attribute__((vector_size(16)));

/// Left operands within 127, right ones within 63: a word of the left operand has the bytes of four numbers where the
/// processor multiplies bytes, otherwise two numbers of 16 bits: the first and the third, then the second and the
/// fourth.
struct Int8 {
  static constexpr int kMostInput = 127, kMostWeight = 63;
#ifdef __wasm_relaxed_simd__
  static constexpr int kWords = 1;  // for four numbers
#else
  static constexpr int kWords = 2;
#endif
};

/// Left operands within 32767, right ones within 127, multiplied as numbers of 16 bits.
struct Int8Fine {
  static constexpr int kMostInput = 32767, kMostWeight = 127;
  static constexpr int kWords = 2;
};

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

/// The lowest bytes of four numbers as one word.
inline int32_t bytesOf(i32x4 four) {
  const i8x16 bytes = reinterpret_cast<i8x16>(four);
  return reinterpret_cast<i32x4>(
      __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12))[0];
}

/// Writes four numbers as a left operand, whose words are `stride` apart.
template <typename Form>
inline void storeFour(i32x4 four, int32_t* words, int stride) {
  if constexpr (Form::kWords == 1) {
    *words = bytesOf(four);
  } else {
    const i16x8 halves = reinterpret_cast<i16x8>(four);
    const i32x4 packed = reinterpret_cast<i32x4>(__builtin_shufflevector(halves, halves, 0, 4, 2, 6, 0, 4, 2, 6));
    for (int word = 0; word < Form::kWords; ++word) words[word * stride] = packed[word];
  }
}

/// What word kWord of a left operand is multiplied with: a part of right operands, whose lanes have four bytes each.
template <typename Form, int kWord>
inline i32x4 partOf(i32x4 b) {
  if constexpr (Form::kWords == 1) return b;
  return kWord == 0 ? b & splat(0x00ff00ff) : reinterpret_cast<i32x4>(reinterpret_cast<u16x8>(b) >> 8);
}

/// sum + a . b in each lane, for a word of a left operand and its part of the right one. Processors agree on the
/// relaxed instruction for right operands of 7 bits. Not the instruction that also adds, which V8 11.3 (Node 20, Chrome
/// 113) miscompiles before it optimises. A product with ones adds the pairs, because V8 keeps the ones in a register,
/// but reads a constant from memory each time for the instruction that adds pairs.
template <typename Form>
inline i32x4 addDot(i32x4 a, i32x4 b, i32x4 sum) {
#ifdef __wasm_relaxed_simd__
  if constexpr (Form::kWords == 1) {
    const v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b));
    return sum + reinterpret_cast<i32x4>(wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_splat(1)));
  }
#endif
#ifdef __wasm_simd128__
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
