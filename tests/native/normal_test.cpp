#include "simd/normal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vector_functions.h"

namespace wasm_attention {
namespace {

double belowOf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(Normal, KeepsItsErrorBounds) {
  for (const float last : {20.0f, -20.0f}) {
    Worst absolute, relative;
    sampleFloats(
        last, [](f32x4 x) { return normal(x).cdf; },
        [&](float x, float y) {
          const double expected = belowOf(x);
          absolute.add(std::abs(y - expected), x);
          // Far from zero, e^(-x^2/2) is off by x^2/2 roundings.
          if (expected > 1e-34) relative.add(std::abs(y / expected - 1) / (5e-7 + double{x} * x * 1.5e-7), x);
        });
    EXPECT_LE(absolute.error, 2.5e-7) << "at " << absolute.at;
    EXPECT_LE(relative.error, 1) << "at " << relative.at;
  }
}

TEST(Normal, HasTheRightDensity) {
  for (const float last : {20.0f, -20.0f}) {
    Worst worst;
    sampleFloats(
        last, [](f32x4 x) { return normal(x).density; },
        [&](float x, float y) {
          worst.add(std::abs(y - std::exp(double{x} * x / -2) / std::sqrt(2 * std::acos(-1.0))), x);
        });
    EXPECT_LE(worst.error, 2e-7) << "at " << worst.at;
  }
}

TEST(Normal, SaturatesAtZeroAndOne) {
  for (const float x : {20.0f, 1e20f, std::numeric_limits<float>::max(), kInfinity}) {
    EXPECT_EQ(normal(splat(x)).cdf[0], 1);
    EXPECT_EQ(normal(splat(-x)).cdf[0], 0);
    EXPECT_EQ(normal(splat(x)).density[0], 0);
  }
}

TEST(Normal, KeepsNaNInItsLane) {
  const Normal n = normal(f32x4{0, NAN, kInfinity, -NAN});
  EXPECT_NEAR(n.cdf[0], 0.5, 6e-8);
  EXPECT_TRUE(std::isnan(n.cdf[1]));
  EXPECT_EQ(n.cdf[2], 1);
  EXPECT_TRUE(std::isnan(n.cdf[3]));
  EXPECT_TRUE(std::isnan(n.density[1]));
}

}  // namespace
}  // namespace wasm_attention
