#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attention.h"
#include "random.h"
#include "sequence_layers.h"

namespace wasm_attention {
namespace {

struct Case {
  int batch, in_channels, out_channels, length, kernel, stride, padding, dilation, groups;
};

void check(const Case& c) {
  const int in_width = c.in_channels / c.groups, out_width = c.out_channels / c.groups;
  const int out_length = conv1dLength(c.length, c.kernel, c.stride, c.padding, c.dilation);
  const std::vector<float> x = randomFloats(size_t(c.batch) * c.in_channels * c.length, 1);
  const std::vector<float> weight = randomFloats(size_t(c.out_channels) * in_width * c.kernel, 2);
  const std::vector<float> bias = randomFloats(c.out_channels, 3);
  const Conv1dArgs sizes = conv1dSizes(c.batch, c.in_channels, c.out_channels, c.length, c.kernel, c.stride, c.padding,
                                       c.dilation, c.groups);
  const std::vector<float> out = runConv1d(sizes, x.data(), weight.data(), bias.data());
  size_t element = 0;
  for (int b = 0; b < c.batch; ++b) {
    for (int o = 0; o < c.out_channels; ++o) {
      for (int t = 0; t < out_length; ++t, ++element) {
        double sum = bias[o];
        for (int i = 0; i < in_width; ++i) {
          for (int k = 0; k < c.kernel; ++k) {
            const int at = t * c.stride + k * c.dilation - c.padding;
            if (at < 0 || at >= c.length) continue;
            const int channel = o / out_width * in_width + i;
            sum += double(weight[(o * in_width + i) * c.kernel + k]) *
                   x[(size_t(b) * c.in_channels + channel) * c.length + at];
          }
        }
        // Each of in_width * kernel products of values up to 1 is rounded twice.
        ASSERT_NEAR(out[element], sum, 1.2e-7 * (in_width * c.kernel + 1) * 2);
      }
    }
  }
}

TEST(Conv1d, AgreesWithFloat64InEveryCombination) {
  for (const int length : {1, 2, 5, 8, 17}) {
    for (const int kernel : {1, 2, 3, 5}) {
      for (const int stride : {1, 2, 3}) {
        for (const int padding : {0, 1, 4}) {
          for (const int dilation : {1, 2}) {
            if (dilation * (kernel - 1) + 1 > length + 2 * padding) continue;
            for (const int groups : {1, 2}) check({2, 4, 6, length, kernel, stride, padding, dilation, groups});
          }
        }
      }
    }
  }
}

TEST(Conv1d, HandlesPaddingFarBeyondTheInput) { check({1, 1, 1, 2, 3, 7, 20, 3, 1}); }

TEST(Conv1d, HandlesOneGroupPerChannel) { check({1, 5, 10, 9, 3, 1, 1, 1, 5}); }

TEST(Conv1d, HandlesGroupsOnBothSidesOfATile) {
  for (const int out_width : {3, 4, 5, 9}) check({2, 6, 2 * out_width, 21, 3, 2, 2, 1, 2});
}

TEST(Conv1d, HandlesSequencesLongerThanABlock) {
  for (const int length : {511, 512, 513, 1100}) {
    for (const int stride : {1, 3}) check({1, 5, 7, length, 4, stride, 3, 2, 1});
  }
}

TEST(Conv1d, WithoutBiasStartsFromZero) {
  const float x[] = {1, 2, 3}, weight[] = {1, 10};
  const Conv1dArgs sizes = conv1dSizes(1, 1, 1, 3, 2, 1, 0, 1, 1);
  EXPECT_EQ(conv1dScratch(sizes), 0);
  EXPECT_EQ(runConv1d(sizes, x, weight, nullptr), (std::vector<float>{21, 32}));
}

TEST(Conv1d, NeverReadsBeyondTheInput) {
  // Padding is skipped: weights that would be multiplied by its zeros are NaN. Both row by row and as products.
  for (const int outputs : {1, 4}) {
    const std::vector<float> x{1};
    std::vector<float> weight;
    for (int o = 0; o < outputs; ++o) weight.insert(weight.end(), {NAN, 1, NAN});
    const Conv1dArgs sizes = conv1dSizes(1, 1, outputs, 1, 3, 1, 1, 1, 1);
    for (const float value : runConv1d(sizes, x.data(), weight.data(), nullptr)) EXPECT_EQ(value, 1);
  }
}

}  // namespace
}  // namespace wasm_attention
