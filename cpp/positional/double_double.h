// Numbers of about 106 bits, as unevaluated sums of two float64s (Dekker 1971; Shewchuk 1997), with the operations that
// frequencies need. libm's exp, log and pow would add 6 KB (brotli) and be less accurate.
#pragma once

namespace wasm_attention {

struct DoubleDouble {
  double high, low;
};

/// a + b exactly, where |a| >= |b| or a is 0.
inline DoubleDouble quickTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
inline DoubleDouble twoSum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a · b exactly, unless it overflows or a or b exceeds 2^996. (wasm has no fused multiply-add.)
inline DoubleDouble twoProduct(double a, double b) {
  const double split = 134217729.0;  // 2^27 + 1 splits 53 bits into 26 and 26
  const double a_scaled = split * a, b_scaled = split * b;
  const double a_high = a_scaled - (a_scaled - a), a_low = a - a_high;
  const double b_high = b_scaled - (b_scaled - b), b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble sum = twoSum(a.high, b.high);
  return quickTwoSum(sum.high, sum.low + (a.low + b.low));
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = twoProduct(a.high, b.high);
  return quickTwoSum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble operator/(DoubleDouble a, double b) {
  const double quotient = a.high / b;
  const DoubleDouble back = twoProduct(quotient, b);
  return quickTwoSum(quotient, ((a.high - back.high) - back.low + a.low) / b);
}

}  // namespace wasm_attention
