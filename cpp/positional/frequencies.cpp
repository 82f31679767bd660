#include "positional/frequencies.h"

#include <cassert>
#include <cmath>

#include "attention.h"
#include "positional/double_double.h"

namespace wasm_attention {
namespace {

constexpr DoubleDouble kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/// exp(x) for |x| <= 0.7, by Taylor's series and Horner's rule. The first omitted term is below 1e-32.
DoubleDouble expOfSmall(DoubleDouble x) {
  DoubleDouble sum{1.0, 0.0};
  for (int n = 27; n > 0; --n) sum = DoubleDouble{1.0, 0.0} + x * sum / n;
  return sum;
}

DoubleDouble exp(DoubleDouble x) {
  const double twos = std::floor(x.high / kLn2.high + 0.5);
  const DoubleDouble small = expOfSmall(x + -(DoubleDouble{twos, 0.0} * kLn2));
  const int exponent = static_cast<int>(twos);
  return {std::ldexp(small.high, exponent), std::ldexp(small.low, exponent)};
}

DoubleDouble log(double x) {
  int exponent;
  const DoubleDouble mantissa{std::frexp(x, &exponent), 0.0};
  // Newton's method for exp(y) = mantissa, which is in [0.5, 1). Each step squares and halves the error: 0.7, 0.24, …
  // 5e-30.
  DoubleDouble y{0.0, 0.0};
  for (int i = 0; i < 7; ++i) y = y + mantissa * expOfSmall(-y) + DoubleDouble{-1.0, 0.0};
  return y + kLn2 * DoubleDouble{static_cast<double>(exponent), 0.0};
}

/// The first 29 bits.
double leadingBits(double x) {
  int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= ~INT64_C(0xffffff);
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// Splits a frequency into the two numbers of a table.
void put(DoubleDouble frequency, double* high, double* low) {
  *high = leadingBits(frequency.high);
  *low = (frequency.high - *high) + frequency.low;
}

}  // namespace

int64_t sinusoidalFrequenciesSize(int dim) { return 2 * 2 * int64_t{frequencyCount(dim)}; }

void sinusoidalFrequencies(double* out, int dim, double base) {
  assert(dim > 0 && base > 0 && std::isfinite(base));
  const int count = frequencyCount(dim);
  // A geometric progression. In twice the precision its error stays below 1e-25 for any width.
  const DoubleDouble ratio = exp(log(base) * DoubleDouble{-2.0, 0.0} / dim);
  DoubleDouble frequency{1.0, 0.0};
  for (int j = 0; j < count; ++j) {
    put(frequency, out + j, out + count + j);
    frequency = frequency * ratio;
  }
}

void scaleFrequencies(double* frequencies, const double* factors, int dim) {
  const int count = frequencyCount(dim);
  for (int j = 0; 2 * j < dim; ++j) {
    const DoubleDouble frequency = quickTwoSum(frequencies[j], frequencies[count + j]);
    put(frequency * DoubleDouble{factors[j], 0.0}, frequencies + j, frequencies + count + j);
  }
}

}  // namespace wasm_attention
