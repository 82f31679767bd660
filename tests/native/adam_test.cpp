// Adam's steps, and gradient clipping.
#include <algorithm>

#include "attention.h"
#include "property.h"

namespace wasm_attention {
namespace {

PROPERTY(Adam, AgreesWithFloat64) {
  const int count = draw.integer(0, 90), step = draw.integer(1, 20);
  const double beta1 = draw.flag() ? 0.9 : draw.integer(0, 99) / 100.0, beta2 = draw.flag() ? 0.999 : 0.5;
  const double lr = draw.integer(0, 100) / 1000.0, eps = 1e-8, decay = draw.flag() ? 0 : 0.1;
  const double step_size = lr / (1 - std::pow(beta1, step)), correction = std::sqrt(1 - std::pow(beta2, step));
  const std::vector<float> p = draw.floats(count), g = draw.floats(count), m = draw.floats(count);
  std::vector<float> s = draw.floats(count);
  // With squares of at least this size, the quotient's error is relative.
  for (float& x : s) x = 0.01f + std::abs(x);
  std::vector<float> parameter = p, mean = m, square = s;
  adam(parameter.data(), g.data(), mean.data(), square.data(), count, beta1, beta2, step_size, correction, eps, decay);
  for (int i = 0; i < count; ++i) {
    const double gradient = g[i] + decay * p[i], size = std::abs(g[i]) + decay * std::abs(p[i]);
    const double mean64 = beta1 * m[i] + (1 - beta1) * gradient, mean_size = std::abs(m[i]) + size;
    const double square64 = beta2 * s[i] + (1 - beta2) * gradient * gradient;
    const double root = std::sqrt(square64) / correction + eps;
    // Coefficients and half a dozen operations are rounded, relative to the terms of each sum.
    const double unit = 12 * kHalfUlp;
    expectNear(mean[i], mean64, unit * mean_size, "mean", i);
    expectNear(square[i], square64, unit * (s[i] + size * size), "square", i);
    const double relative = unit * (2 + (s[i] + size * size) / square64);
    expectNear(parameter[i], p[i] - step_size * mean64 / root,
               unit * std::abs(p[i]) + relative * step_size * mean_size / root, "parameter", i);
  }
  Sum squares;
  for (const float x : g) squares.add(double{x} * x);
  expectNear(sumOfSquares(g.data(), count), squares.value, 1e-14 * squares.value, "sum of squares", 0);
  std::vector<float> scaled = g;
  scaleInPlace(scaled.data(), count, lr);
  for (int i = 0; i < count; ++i) expectNear(scaled[i], g[i] * lr, 2 * kHalfUlp * std::abs(g[i] * lr), "scaled", i);
}

TEST(Adam, UpdatesAnElementTheSameAtEveryIndex) {
  const std::vector<float> ones(7, 1), g(7, 0.5f);
  std::vector<float> parameter = ones, mean(7), square(7);
  for (int step = 0; step < 3; ++step) {
    adam(parameter.data(), g.data(), mean.data(), square.data(), 7, 0.9, 0.999, 0.01, 0.1, 1e-8, 0.1);
  }
  for (const float x : parameter) EXPECT_EQ(x, parameter[0]);
  EXPECT_LT(parameter[0], 1);
}

}  // namespace
}  // namespace wasm_attention
