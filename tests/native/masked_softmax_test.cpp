#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attention.h"
#include "random.h"

namespace wasm_attention {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<double> oracle(const float* x, int valid) {
  double max = -INFINITY, sum = 0;
  for (int j = 0; j < valid; ++j) max = std::fmax(max, x[j]);
  std::vector<double> weights(valid);
  for (int j = 0; j < valid; ++j) sum += weights[j] = std::exp(x[j] - max);
  for (double& weight : weights) weight /= sum;
  return weights;
}

TEST(MaskedSoftmax, AgreesWithFloat64AtEveryLengthAroundTheVectorWidth) {
  for (int cols = 1; cols <= 35; ++cols) {
    const std::vector<float> x = randomFloats(size_t(cols) * (cols + 1), cols, 20);
    std::vector<int32_t> valid(cols + 1);
    for (int i = 0; i <= cols; ++i) valid[i] = i;
    std::vector<float> out(x.size(), kNaN);
    maskedSoftmax(x.data(), valid.data(), out.data(), cols + 1, cols);
    for (int i = 0; i <= cols; ++i) {
      const std::vector<double> expected = oracle(&x[i * cols], i);
      for (int j = 0; j < i; ++j) {
        // x - max is below 40 and rounded by up to 2^-19; the exponential and the sum add a few units in the last
        // place.
        EXPECT_NEAR(out[i * cols + j], expected[j], 2.4e-6 * expected[j] + 1e-38) << cols;
      }
      for (int j = i; j < cols; ++j) EXPECT_EQ(out[i * cols + j], 0) << cols;
    }
  }
}

TEST(MaskedSoftmax, WorksInPlaceAndWithoutLengths) {
  std::vector<float> x = randomFloats(3 * 7, 1), out(x.size());
  maskedSoftmax(x.data(), nullptr, out.data(), 3, 7);
  maskedSoftmax(x.data(), nullptr, x.data(), 3, 7);
  EXPECT_EQ(x, out);
}

TEST(MaskedSoftmax, NeverReadsWhatIsMasked) {
  std::vector<float> x{1, 1, 1, kNaN, kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN};
  const std::vector<int32_t> valid{3, 0};
  maskedSoftmax(x.data(), valid.data(), x.data(), 2, 5);
  const float third = 1.0f / 3;
  EXPECT_EQ(x, (std::vector<float>{third, third, third, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(MaskedSoftmax, TakesMinusInfinityAsMasked) {
  std::vector<float> x{0, -kInfinity, 0, -kInfinity, -kInfinity, -kInfinity};
  maskedSoftmax(x.data(), nullptr, x.data(), 2, 3);
  EXPECT_EQ(x, (std::vector<float>{0.5, 0, 0.5, 0, 0, 0}));
}

TEST(MaskedSoftmax, StaysFiniteForHugeScores) {
  std::vector<float> x{3e38f, 3e38f, -3e38f, 1e4f, -1e4f, 1e4f};
  maskedSoftmax(x.data(), nullptr, x.data(), 2, 3);
  EXPECT_EQ(x, (std::vector<float>{0.5, 0.5, 0, 0.5, 0, 0.5}));
}

TEST(MaskedSoftmax, LetsNaNAmongTheValidShow) {
  std::vector<float> x{0, kNaN, 0};
  maskedSoftmax(x.data(), nullptr, x.data(), 1, 3);
  for (const float weight : x) EXPECT_TRUE(std::isnan(weight));
}

TEST(MaskedSoftmax, AcceptsNoRowsAndNoColumns) {
  float untouched = 7;
  maskedSoftmax(&untouched, nullptr, &untouched, 0, 5);
  maskedSoftmax(&untouched, nullptr, &untouched, 5, 0);
  EXPECT_EQ(untouched, 7);
}

}  // namespace
}  // namespace wasm_attention
