#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attention.h"
#include "property.h"
#include "random.h"
#include "sequence_layers.h"

namespace wasm_attention {
namespace {

TEST(Conv1d, StartsFromZeroWithoutBias) {
  const float x[] = {1, 2, 3}, weight[] = {1, 10};
  const Conv1dArgs sizes = conv1dSizes(1, 1, 1, 3, 2, 1, 0, 1, 1);
  EXPECT_EQ(conv1dScratch(sizes), 0);
  EXPECT_EQ(runConv1d(sizes, x, weight, nullptr), (std::vector<float>{21, 32}));
}

TEST(Conv1d, NeverReadsBeyondTheInput) {
  // Padding is skipped: the weights that would multiply its zeros are NaN. Both by rows and as matrix products.
  for (const int outputs : {1, 4}) {
    const std::vector<float> x{1};
    std::vector<float> weight;
    for (int o = 0; o < outputs; ++o) weight.insert(weight.end(), {NAN, 1, NAN});
    const Conv1dArgs sizes = conv1dSizes(1, 1, outputs, 1, 3, 1, 1, 1, 1);
    for (const float value : runConv1d(sizes, x.data(), weight.data(), nullptr)) EXPECT_EQ(value, 1);
  }
}

PROPERTY(Conv1d, AgreesWithFloat64) {
  const int batch = draw.integer(1, 2), groups = draw.integer(1, 3), in_width = draw.integer(1, 7),
            out_width = draw.integer(1, 9), kernel = draw.integer(1, 5), stride = draw.integer(1, 4),
            padding = draw.integer(0, draw.flag() ? 20 : 2), dilation = draw.integer(1, 3);
  const int length = draw.integer(1, draw.flag() ? 1100 : 40), ins = groups * in_width, outs = groups * out_width;
  if (dilation * (kernel - 1) + 1 > length + 2 * padding) return;
  const int out_length = conv1dLength(length, kernel, stride, padding, dilation);
  const bool has_bias = draw.flag();
  const std::vector<float> x = draw.floats(size_t(batch) * ins * length), bias = draw.floats(outs);
  const std::vector<float> weight = draw.floats(size_t(outs) * in_width * kernel);
  const Conv1dArgs sizes = conv1dSizes(batch, ins, outs, length, kernel, stride, padding, dilation, groups);
  const std::vector<float> out = runConv1d(sizes, x.data(), weight.data(), has_bias ? bias.data() : nullptr);
  size_t at = 0;
  for (int b = 0; b < batch; ++b) {
    for (int o = 0; o < outs; ++o) {
      for (int t = 0; t < out_length; ++t, ++at) {
        Sum sum;
        sum.add(has_bias ? bias[o] : 0);
        for (int i = 0; i < in_width; ++i) {
          for (int k = 0; k < kernel; ++k) {
            const int from = t * stride + k * dilation - padding;
            if (from < 0 || from >= length) continue;
            const size_t channel = size_t(b) * ins + o / out_width * in_width + i;
            sum.add(double{weight[(size_t(o) * in_width + i) * kernel + k]} * x[channel * length + from]);
          }
        }
        expectNear(out[at], sum.value, sum.tolerance(), "convolution", at);
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
