// The hyperbolic tangent of four floats.
#pragma once

#include "simd/exp.h"

namespace wasm_attention {

/// tanh(x) with a relative error below 3e-7: an odd polynomial for |x| < 0.625 (S. Moshier's Cephes), 1 - 2 / (e^2x +
/// 1) beyond.
inline f32x4 tanh(f32x4 x) {
  const f32x4 z = x * x;
  f32x4 p = splat(-5.70498872745e-3f);
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const f32x4 near = p * z * x + x;
  const f32x4 far = 1.0f - 2.0f / (exp(x + x) + 1.0f);
  return select(z < splat(0.390625f), near, far);
}

}  // namespace wasm_attention
