#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention.h"
#include "property.h"
#include "random.h"

namespace wasm_attention {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(MaskedSoftmax, NeverReadsMaskedLogits) {
  std::vector<float> x{1, 1, 1, kNaN, kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN};
  const std::vector<int32_t> valid{3, 0};
  maskedSoftmax(x.data(), valid.data(), x.data(), 2, 5);
  const float third = 1.0f / 3;
  EXPECT_EQ(x, (std::vector<float>{third, third, third, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(MaskedSoftmax, TreatsMinusInfinityAsMasked) {
  std::vector<float> x{0, -kInfinity, 0, -kInfinity, -kInfinity, -kInfinity};
  maskedSoftmax(x.data(), nullptr, x.data(), 2, 3);
  EXPECT_EQ(x, (std::vector<float>{0.5, 0, 0.5, 0, 0, 0}));
}

TEST(MaskedSoftmax, StaysFiniteForHugeScores) {
  std::vector<float> x{3e38f, 3e38f, -3e38f, 1e4f, -1e4f, 1e4f};
  maskedSoftmax(x.data(), nullptr, x.data(), 2, 3);
  EXPECT_EQ(x, (std::vector<float>{0.5, 0.5, 0, 0.5, 0, 0.5}));
}

TEST(MaskedSoftmax, PropagatesNaNInValidLogits) {
  std::vector<float> x{0, kNaN, 0};
  maskedSoftmax(x.data(), nullptr, x.data(), 1, 3);
  for (const float weight : x) EXPECT_TRUE(std::isnan(weight));
}

TEST(MaskedSoftmax, AcceptsZeroRowsOrColumns) {
  float untouched = 7;
  maskedSoftmax(&untouched, nullptr, &untouched, 0, 5);
  maskedSoftmax(&untouched, nullptr, &untouched, 5, 0);
  EXPECT_EQ(untouched, 7);
}

// With NaN and infinity beyond the valid lengths.
PROPERTY(MaskedSoftmax, AgreesWithFloat64) {
  const int rows = draw.integer(1, 12), cols = draw.integer(1, draw.flag() ? 600 : 40);
  const bool has_lens = draw.flag(), in_place = draw.flag();
  std::vector<float> x = draw.floats(size_t(rows) * cols, draw.flag() ? 80 : 3);
  std::vector<int32_t> valid(rows);
  for (int r = 0; r < rows; ++r) {
    valid[r] = has_lens ? draw.integer(0, cols) : cols;
    for (int j = 0; j < cols; ++j) {
      float& value = x[size_t(r) * cols + j];
      if (j >= valid[r])
        value = j % 2 ? NAN : INFINITY;
      else if (j % 7 == 3 && draw.flag())
        value = -INFINITY;
    }
  }
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN);
  maskedSoftmax(in_place ? out.data() : x.data(), has_lens ? valid.data() : nullptr, out.data(), rows, cols);
  for (int r = 0; r < rows; ++r) {
    const float* row = x.data() + size_t(r) * cols;
    double max = -INFINITY, sum = 0;
    for (int j = 0; j < valid[r]; ++j) max = std::max(max, double{row[j]});
    for (int j = 0; j < valid[r]; ++j) sum += max == -INFINITY ? 0 : std::exp(row[j] - max);
    for (int j = 0; j < cols; ++j) {
      const double expected = j < valid[r] && sum > 0 ? std::exp(row[j] - max) / sum : 0;
      // The difference of two logits is rounded by up to half an ulp of 160. The exponential, the sum and the quotient
      // are off by up to 32 ulps.
      const double tolerance = (64 + std::sqrt(cols) + 2 * 160) * kHalfUlp * expected + 1.2e-38;
      expectNear(out[size_t(r) * cols + j], expected, tolerance, "softmax", size_t(r) * cols + j);
    }
  }
}

}  // namespace
}  // namespace wasm_attention
