#include "simd/exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vector_functions.h"

namespace wasm_attention {
namespace {

constexpr double kSmallestNormal = std::numeric_limits<float>::min();
constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kSmallestSubnormal = std::numeric_limits<float>::denorm_min();

/// e^x reaches 2^-110.5 slightly below this.
constexpr float kLastOfNegative = -76.592f;

float expOf(float x) { return exp(splat(x))[0]; }
float expOfNegativeOf(float x) { return expOfNegative(splat(x))[0]; }

TEST(Exp, IsWithin2e7OfEveryNormalResult) {
  Worst worst;
  const auto check = [&](float x, float y) {
    const double expected = std::exp(double{x});
    if (kSmallestNormal <= expected && expected <= kLargest) worst.add(std::abs(y - expected) / expected, x);
  };
  const auto exp_of = [](f32x4 x) { return exp(x); };
  sampleFloats(-104, exp_of, check);
  sampleFloats(89, exp_of, check);
  EXPECT_LE(worst.error, 2e-7) << "at " << worst.at;
}

TEST(Exp, IsWithinOneUlpOfEverySubnormalResult) {
  Worst worst;
  // All floats with e^x below 2^-126; they are 2^-17 apart.
  for (float x = -87.3f; x > -104.5f; x -= 0x1p-17f) {
    const double expected = std::exp(double{x});
    if (expected < kSmallestNormal) worst.add(std::abs(expOf(x) - expected) / kSmallestSubnormal, x);
  }
  EXPECT_LE(worst.error, 1) << "at " << worst.at;
}

TEST(Exp, OfZeroIsExactlyOne) {
  EXPECT_EQ(expOf(0.0f), 1);
  EXPECT_EQ(expOf(-0.0f), 1);
  EXPECT_EQ(expOf(kSmallestSubnormal), 1);
}

TEST(Exp, UnderflowsToZeroAndOverflowsToInfinity) {
  EXPECT_EQ(expOf(-kInfinity), 0);
  EXPECT_EQ(expOf(-kLargest), 0);
  EXPECT_EQ(expOf(-104.0f), 0);
  EXPECT_EQ(expOf(kInfinity), kInfinity);
  EXPECT_EQ(expOf(kLargest), kInfinity);
  EXPECT_EQ(expOf(88.73f), kInfinity);  // e^88.73 > 2^128
  EXPECT_LT(expOf(88.72f), kInfinity);  // e^88.72 < 2^128
  EXPECT_GT(expOf(-103.27f), 0);        // e^-103.27 > 2^-149
}

TEST(Exp, KeepsNaNInItsLane) {
  const f32x4 y = exp(f32x4{0, NAN, -kInfinity, -NAN});
  EXPECT_EQ(y[0], 1);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 0);
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST(Exp, IsMonotonic) {
  float previous = 0;
  for (float x = -103; x < 88; x += 0.001f) {
    const float y = expOf(x);
    EXPECT_GE(y, previous) << x;
    previous = y;
  }
}

TEST(ExpOfNegative, KeepsItsErrorBoundForNonzeroResults) {
  Worst worst;
  Worst of_largest;
  const auto check = [&](float x, float y) {
    const double expected = std::exp(double{x});
    const double error = std::abs(y - expected);
    of_largest.add(error, x);
    if (x > kLastOfNegative) worst.add(error / expected / (1.5e-7 + std::abs(x) * 7.5e-8), x);
  };
  const auto exp_of_negative = [](f32x4 x) { return expOfNegative(x); };
  sampleFloats(-88, exp_of_negative, check);
  EXPECT_LE(worst.error, 1) << "times the bound at " << worst.at;
  EXPECT_LE(of_largest.error, 2e-7) << "at " << of_largest.at;
}

TEST(ExpOfNegative, IsZeroWhereProductsWithItWouldBeSubnormal) {
  EXPECT_GT(expOfNegativeOf(kLastOfNegative), 0);
  for (float x = kLastOfNegative - 1e-3f; x > -200; x -= 0.01f) EXPECT_EQ(expOfNegativeOf(x), 0) << x;
  EXPECT_EQ(expOfNegativeOf(-1e6f), 0);
  EXPECT_EQ(expOfNegativeOf(-kLargest), 0);
  EXPECT_EQ(expOfNegativeOf(-kInfinity), 0);
}

TEST(ExpOfNegative, OfZeroIsExactlyOneAndOfNaNIsNaN) {
  const f32x4 y = expOfNegative(f32x4{0.0f, -0.0f, NAN, -NAN});
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 1);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_TRUE(std::isnan(y[3]));
}

}  // namespace
}  // namespace wasm_attention
