// Float16 by definition.
#pragma once

#include <cmath>

namespace wasm_attention {

/// sign * digits * 2^exponent; an exponent of all ones means infinity or NaN.
inline double defined(int half) {
  const int exponent = half >> 10 & 31, digits = half & 1023;
  const double sign = half & 0x8000 ? -1 : 1;
  if (exponent == 31) return digits == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(digits, -24) : std::ldexp(1024 + digits, exponent - 25));
}

/// The nearest finite float16; of two, the even one.
inline int nearestHalf(double x) {
  const int sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(x);
  if (magnitude >= 65520) return sign | 0x7c00;
  int low = 0, high = 0x7bff;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (defined(middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == 0x7bff) return sign | low;
  const double below = magnitude - defined(low), above = defined(low + 1) - magnitude;
  return sign | (below < above || (below == above && low % 2 == 0) ? low : low + 1);
}

}  // namespace wasm_attention
