// Helpers for tests of vector functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "simd/f32x4.h"

namespace wasm_attention {

inline uint32_t bitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float floatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// Calls check(x, function(x)) for every 997th float from zero to `last`, which may be negative. Because 997 is prime,
/// all lanes and kinds of mantissas occur.
template <typename Function, typename Check>
void sampleFloats(float last, Function function, Check check) {
  constexpr uint32_t kStep = 997;
  const uint32_t sign = bitsOf(last) & 0x80000000;
  const uint32_t end = bitsOf(last) & 0x7fffffff;
  for (uint32_t bits = 0; bits <= end; bits += kLanes * kStep) {
    f32x4 x;
    for (int lane = 0; lane < kLanes; ++lane) x[lane] = floatOf(sign | (bits + lane * kStep));
    const f32x4 y = function(x);
    for (int lane = 0; lane < kLanes; ++lane) check(x[lane], y[lane]);
  }
}

/// The largest error so far, and its argument.
struct Worst {
  double error = 0;
  float at = 0;
  void add(double e, float x) {
    if (e > error || std::isnan(e)) {
      error = e;
      at = x;
    }
  }
};

}  // namespace wasm_attention
