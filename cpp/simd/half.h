// float16, widened and rounded exactly with instructions that all processors have.
#pragma once

#include <cstddef>
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

/// The nearest float16s, ties to even, as Math.f16round; beyond 65504 by half a step or more they are infinite.
inline i32x4 narrow(f32x4 x) {
  const i32x4 bits = reinterpret_cast<i32x4>(x), magnitude = bits & splat(0x7fffffff);
  const i32x4 normal = ((magnitude + splat(0xfff) + (magnitude >> 13 & splat(1))) >> 13) - splat(112 << 10);
  // Subnormal: the last digit of the sum is 2^-24, so it rounds there.
  const f32x4 digits = splat(0.5f);
  const i32x4 small =
      reinterpret_cast<i32x4>(reinterpret_cast<f32x4>(magnitude) + digits) - reinterpret_cast<i32x4>(digits);
  const i32x4 special = splat(0x7c00) | ((magnitude > splat(0x7f800000)) & splat(0x200));
  const i32x4 finite = magnitude < splat(0x38800000) ? small : normal;
  return (magnitude < splat(0x47800000) ? finite : special) | (bits >> 16 & splat(0x8000));
}
inline Half narrow(float x) { return static_cast<Half>(narrow(splat(x))[0]); }

/// Writes a row's nearest float16s, `stride` apart.
inline void narrowRow(const float* from, int width, Half* to, ptrdiff_t stride) {
  int e = 0;
  for (; e + kLanes <= width; e += kLanes, to += kLanes * stride) {
    const i32x4 four = narrow(load(from + e));
    for (int i = 0; i < kLanes; ++i) to[i * stride] = static_cast<Half>(four[i]);
  }
  for (; e < width; ++e, to += stride) *to = narrow(from[e]);
}

}  // namespace wasm_attention
