// float16, widened and rounded exactly with instructions that all processors have.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/f32x4.h"

namespace wasm_attention {

/// The bits of a float16.
typedef uint16_t Half;

/// Two vectors of float16: lane i holds a number of the first in its low half, and one of the second in its high half.
inline i32x4 loadHalves(const Half* p) {
  i32x4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

/// The float16s in the high halves of the lanes, as float32s that are exactly 2^-112 times as large, unless they are
/// infinite or NaN.
inline f32x4 shrunkHigh(i32x4 halves) {
  return reinterpret_cast<f32x4>((halves >> 3) & splat(static_cast<int32_t>(0x8fffe000u)));
}
inline f32x4 shrunkLow(i32x4 halves) {
  return shrunkHigh(reinterpret_cast<i32x4>(reinterpret_cast<u32x4>(halves) << 16));
}

constexpr float kShrunk = 0x1p112f;  // the divisor of shrunkHigh and shrunkLow

/// Undoes the division, exactly. An infinite or NaN float16 keeps its sign and digits.
inline f32x4 grown(f32x4 shrunk) {
  constexpr int32_t kExponent = 31 << 23;
  const i32x4 bits = reinterpret_cast<i32x4>(shrunk);
  const i32x4 special = (bits & splat(kExponent)) == splat(kExponent);
  return reinterpret_cast<f32x4>(reinterpret_cast<i32x4>(shrunk * kShrunk) | (special & splat(0x7f800000)));
}

inline float widen(Half half) { return grown(shrunkLow(splat(int32_t{half})))[0]; }

/// The nearest float16, ties to even, as Math.f16round; beyond 65504 by half a step or more it is infinite.
inline Half narrow(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000) return static_cast<Half>(sign | 0x7c00 | (magnitude > 0x7f800000 ? 0x200 : 0));
  if (magnitude >= 0x47800000) return static_cast<Half>(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Subnormal: the last digit of the sum is 2^-24, so it rounds there.
    constexpr float kDigits = 0.5f;
    float sum;
    std::memcpy(&sum, &magnitude, sizeof sum);
    sum += kDigits;
    uint32_t digits, none;
    std::memcpy(&digits, &sum, sizeof digits);
    std::memcpy(&none, &kDigits, sizeof none);
    return static_cast<Half>(sign | (digits - none));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<Half>(sign | ((rounded >> 13) - (112 << 10)));
}

}  // namespace wasm_attention
