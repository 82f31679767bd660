// The normal distribution of four floats.
#pragma once

#include "simd/exp.h"

namespace wasm_attention {

/// P(X <= x) and the density at x of a standard normal X.
struct Normal {
  f32x4 cdf, density;
};

/// The error of `cdf` is at most 2.5e-7; its relative error is at most that of e^(-x^2/2), 5e-7 + x^2 * 1.5e-7. Below
/// x = -12.3, where it would be 4e-35, it is 0. NaN stays NaN.
///
/// e^(x^2/2) * P(X <= -|x|) is t times a polynomial of degree 8 in t = 1 / (1 + 0.27 |x|), as in Hastings 1955,
/// interpolated at Chebyshev points for |x| <= 14 to a relative error of 3e-8.
inline Normal normal(f32x4 x) {
  const f32x4 magnitude = max(x, -x);
  const f32x4 t = 1.0f / (magnitude * 0.27f + 1.0f);
  const f32x4 bell = expOfNegative(x * x * -0.5f);
  f32x4 p = splat(2.9107028618201061e-2f);
  p = p * t - 1.2724211980435618e-1f;
  p = p * t + 1.7144468723684883e-1f;
  p = p * t - 7.1213916710311060e-2f;
  p = p * t + 1.0927720613433420e-1f;
  p = p * t + 7.1406062604160200e-2f;
  p = p * t + 1.0198036698715271e-1f;
  p = p * t + 1.0751860326456654e-1f;
  p = p * t + 1.0772209305861885e-1f;
  const f32x4 tail = p * t * bell;
  return {select(x < splat(0.0f), tail, 1.0f - tail), bell * 0.398942280401432678f};
}

}  // namespace wasm_attention
