// Exponentials of four floats.
//
// Both functions split x into n * ln 2 + r with |r| <= ln 2 / 2, and take a minimax polynomial of degree 6 whose
// constant term is 1 (relative error 2.5e-9; exp(0) is exactly 1). Adding 1.5 * 2^23 rounds to n and leaves it in the
// low bits of the sum.
//
// Versions of expOfNegative tried (time of attention; Sapphire Rapids, Node 20):
//   a product and a sum for each term               1
//   fused multiply-adds with relaxed SIMD           0.93 to 0.95   <- this
// Today: npm run bench -- --relaxed --work attention-512
#pragma once

#include "simd/f32x4.h"

namespace wasm_attention {

constexpr float kLog2E = 1.44269504088896341f;
constexpr float kRoundToInteger = 12582912.0f;  // 1.5 * 2^23

/// e^x for x <= 0; NaN stays NaN. The relative error is below 1.5e-7 + |x| * 7.5e-8, which is below 2e-7 of a softmax's
/// largest weight. Results below 2^-110.5 become 0: products of such weights with values may be subnormal, which costs
/// about a hundred cycles each (20 % of a call with ALiBi's far keys).
inline f32x4 expOfNegative(f32x4 x) {
  const f32x4 t = max(x * kLog2E, splat(-111.0f));
  // The constant contains the exponent's bias, so the low bits of the sum are the exponent of 2^(n - 16); n = -111
  // gives a scale of 0. The polynomial is multiplied by 2^16.
  constexpr float kRoundToExponent = kRoundToInteger + 111;
  constexpr float kFactor = 65536;
  const f32x4 shifted = t + kRoundToExponent;
  const f32x4 f = t - (shifted - kRoundToExponent);
  const f32x4 scale = reinterpret_cast<f32x4>(reinterpret_cast<i32x4>(shifted) << 23);
  // In pairs (Estrin): one product more than Horner's rule, but a chain of 25 cycles, not 42.
  const f32x4 f2 = f * f;
  const auto pair = [&](float factor, float term) {
    return multiplyAdd(f, splat(kFactor * factor), splat(kFactor * term));
  };
  f32x4 p =
      multiplyAdd(f2, splat(kFactor * 1.5461444712057819e-4f), pair(1.3400428177684923e-3f, 9.618056678480752e-3f));
  p = multiplyAdd(p, f2, pair(5.5503272266701306e-2f, 2.4022650922289068e-1f));
  p = multiplyAdd(p, f2, pair(6.931472067028328e-1f, 1.0f));
  return p * scale;
}

/// e^x for any x. Normal results have a relative error below 2e-7, subnormal ones are within one unit of the last
/// place. NaN stays NaN.
inline f32x4 exp(f32x4 x) {
  // Beyond these limits the result is 0 or infinity anyway. NaN passes both.
  x = min(max(x, splat(-104.5f)), splat(89.0f));
  // The constant contains the bias of two exponents.
  constexpr float kRoundToExponents = kRoundToInteger + 2 * 127;
  const f32x4 shifted = multiplyAdd(x, splat(kLog2E), splat(kRoundToExponents));
  const f32x4 n = shifted - kRoundToExponents;
  // ln 2 in two parts: the first is so short that its product with n is exact.
  const f32x4 r = multiplyAdd(n, splat(2.12194440054690583e-4f), multiplyAdd(n, splat(-0.693359375f), x));
  f32x4 p = splat(1.3941108443140812e-3f);
  p = multiplyAdd(p, r, splat(8.375126398069317e-3f));
  p = multiplyAdd(p, r, splat(4.166635289661301e-2f));
  p = multiplyAdd(p, r, splat(1.666641551465394e-1f));
  p = multiplyAdd(p, r, splat(5.000000047117823e-1f));
  p = multiplyAdd(p * r, r, r + 1.0f);
  // In two steps, because 2^n may be out of range although p * 2^n is not.
  const i32x4 exponents = reinterpret_cast<i32x4>(shifted);
  const i32x4 half = exponents >> 1;
  const f32x4 first = reinterpret_cast<f32x4>(half << 23);
  const f32x4 second = reinterpret_cast<f32x4>((exponents - half) << 23);
  return p * first * second;
}

}  // namespace wasm_attention
