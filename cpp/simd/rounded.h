// Floats as whole numbers with a scale.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "simd/int8.h"

namespace wasm_attention {

/// What numbers are divided by, and multiplied with, so that the largest magnitude becomes `steps`.
struct Scale {
  float value, inverse;

  Scale(const float* x, int count, int steps) {
    f32x4 most{}, bad{};
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const f32x4 v = load(x + i);
      most = max(most, max(v, -v));
      bad += v * 0.0f;
    }
    float magnitude = max(most), zero = sum(bad);
    for (; i < count; ++i) {
      magnitude = std::max(magnitude, std::fabs(x[i]));
      zero += x[i] * 0.0f;
    }
    value = magnitude / static_cast<float>(steps);
    inverse = static_cast<float>(steps) / magnitude;
    // All zeros, or too small to matter.
    if (!(inverse <= std::numeric_limits<float>::max())) value = inverse = 0;
    if (zero != 0) {
      value = std::numeric_limits<float>::quiet_NaN();
      inverse = 0;
    }
  }
};

/// `count` <= 4 numbers as whole ones, and zeros behind them.
inline i32x4 rounded(const float* x, int count, float inverse) {
  if (count >= kLanes) return nearest(load(x) * inverse);
  f32x4 four{};
  std::memcpy(&four, x, count * sizeof(float));
  return nearest(four * inverse);
}

}  // namespace wasm_attention
