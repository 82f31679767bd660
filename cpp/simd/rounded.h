// Floats as whole numbers with a scale.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "simd/int8.h"

namespace wasm_attention {

/// The largest magnitude. NaN if there is one, otherwise infinity if there is one.
inline float largestMagnitude(const float* x, int count) {
  // Magnitudes are ordered by their bits; infinity and NaN come last.
  const i32x4 magnitude_bits = splat(0x7fffffff);
  i32x4 most{};
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    most = max(most, reinterpret_cast<i32x4>(load(x + i)) & magnitude_bits);
  }
  if (i < count) {
    f32x4 rest{};
    std::memcpy(&rest, x + i, (count - i) * sizeof(float));
    most = max(most, reinterpret_cast<i32x4>(rest) & magnitude_bits);
  }
  const int32_t bits = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  float magnitude;
  std::memcpy(&magnitude, &bits, sizeof magnitude);
  return magnitude;
}

/// The divisor that turns the largest magnitude into `steps`, and its inverse.
struct Scale {
  float value, inverse;

  Scale(float magnitude, int steps) {
    value = magnitude / static_cast<float>(steps);
    inverse = static_cast<float>(steps) / magnitude;
    // All numbers are zeros or tiny.
    if (!(inverse <= std::numeric_limits<float>::max())) value = inverse = 0;
    if (!(magnitude <= std::numeric_limits<float>::max())) {
      value = std::numeric_limits<float>::quiet_NaN();
      inverse = 0;
    }
  }
};

/// The first `count` <= 4 numbers as whole numbers, followed by zeros.
inline i32x4 rounded(const float* x, int count, float inverse) {
  if (count >= kLanes) return nearest(load(x) * inverse);
  f32x4 four{};
  std::memcpy(&four, x, count * sizeof(float));
  return nearest(four * inverse);
}

}  // namespace wasm_attention
