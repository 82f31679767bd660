#include "simd/tanh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vector_functions.h"

namespace wasm_attention {
namespace {

float tanhOf(float x) { return tanh(splat(x))[0]; }

TEST(Tanh, IsWithin3e7OfEveryResult) {
  for (const float last : {20.0f, -20.0f}) {
    Worst worst;
    sampleFloats(
        last, [](f32x4 x) { return tanh(x); },
        [&](float x, float y) {
          const double expected = std::tanh(double{x});
          // Subnormal results have hardly any relative precision.
          if (std::abs(expected) >= std::numeric_limits<float>::min()) {
            worst.add(std::abs((y - expected) / expected), x);
          }
        });
    EXPECT_LE(worst.error, 3e-7) << "at " << worst.at;
  }
}

TEST(Tanh, ReturnsTinyArguments) {
  // x^3 / 3 is below half an ulp of x.
  for (const float x : {0.0f, 1e-45f, 1e-40f, 1e-38f, 1e-20f, 1e-4f}) {
    EXPECT_EQ(tanhOf(x), x);
    EXPECT_EQ(tanhOf(-x), -x);
  }
}

TEST(Tanh, SaturatesAtOne) {
  for (const float x : {10.0f, 100.0f, std::numeric_limits<float>::max(), kInfinity}) {
    EXPECT_EQ(tanhOf(x), 1);
    EXPECT_EQ(tanhOf(-x), -1);
  }
}

TEST(Tanh, KeepsNaNInItsLane) {
  const f32x4 y = tanh(f32x4{0, NAN, kInfinity, -NAN});
  EXPECT_EQ(y[0], 0);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 1);
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST(Tanh, StaysBetweenMinusOneAndOne) {
  for (float x = -12; x <= 12; x += 0.001f) EXPECT_LE(std::abs(tanhOf(x)), 1) << x;
}

}  // namespace
}  // namespace wasm_attention
