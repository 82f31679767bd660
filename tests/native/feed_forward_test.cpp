// Feed-forward networks and their gradients. Each step is compared with float64 on the kernel's result of the step
// before, so that relu's kink and large hidden units do not amplify differences.
#include <algorithm>

#include "attention.h"
#include "kernels/dropout.h"
#include "layer_oracles.h"
#include "linear_layers.h"
#include "property.h"

namespace wasm_attention {
namespace {

// The error of a single step, relative to the terms that it sums.
constexpr double kStep = 32 * kHalfUlp;

PROPERTY(FeedForward, AgreesWithFloat64) {
  const int rows = draw.integer(1, draw.flag() ? 300 : 12), width = draw.integer(1, 20), hiddens = draw.integer(1, 40);
  const auto activation = static_cast<Activation>(draw.integer(0, 5));
  const bool gated = draw.flag();
  const int inner = gated ? 2 * hiddens : hiddens;
  const float dropout = draw.flag() ? 0.3f : 0;
  const bool has_bias1 = draw.flag(), has_bias2 = draw.flag();
  const uint32_t seed = draw.integer(0, 65535);
  const std::vector<float> x = draw.floats(size_t(rows) * width), g = draw.floats(x.size());
  const std::vector<float> w1 = draw.floats(size_t(inner) * width), w2 = draw.floats(size_t(width) * hiddens);
  const std::vector<float> b1 = draw.floats(inner), b2 = draw.floats(width);
  const FeedForwardNetwork network{
      rows, width, hiddens, activation, seed, dropout, &w1, has_bias1 ? &b1 : nullptr, &w2, has_bias2 ? &b2 : nullptr,
      gated};
  std::vector<float> kept;
  const std::vector<float> out = network.forward(x, &kept), alone = network.forward(x, nullptr);
  const FeedForwardGradients back = network.backward(x, kept, g);

  std::vector<Sum> sums_w1(w1.size()), sums_w2(w2.size()), sums_b1(inner), sums_b2(width);
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[size_t(r) * width], *units = &kept[size_t(r) * inner], *grad = &g[size_t(r) * width];
    // The second product's input, the gradients of the first product's results, and the magnitudes of their terms.
    std::vector<double> passed(hiddens), passed_size(hiddens), slope(inner), slope_size(inner);
    const uint32_t key = dropoutRow(seed, r);
    for (int h = 0; h < inner; ++h) {
      Sum sum;
      if (has_bias1) sum.add(b1[h]);
      for (int i = 0; i < width; ++i) sum.add(double{w1[h * width + i]} * row[i]);
      expectNear(units[h], sum.value, sum.tolerance(), "hidden", size_t(r) * inner + h);
    }
    for (int h = 0; h < hiddens; ++h) {
      const double unit = units[h], value = gated ? units[hiddens + h] : 1;
      const Point point = activate64(activation, unit);
      const double factor = dropout == 0                                      ? 1
                            : dropoutBits(key, h) < dropoutThreshold(dropout) ? 0
                                                                              : 1 / (1 - double{dropout});
      // An activation's error is a few units of 2^-24, relative to its argument.
      const double size = std::abs(point.value) + std::abs(unit);
      passed[h] = factor * point.value * value;
      passed_size[h] = factor * size * std::abs(value);
      Sum sum;
      for (int i = 0; i < width; ++i) sum.add(double{w2[i * hiddens + h]} * grad[i]);
      slope[h] = factor * point.slope * value * sum.value;
      slope_size[h] = factor * (1 + std::abs(point.slope) + std::abs(unit)) * std::abs(value) * sum.magnitude;
      if (!gated) continue;
      slope[hiddens + h] = factor * point.value * sum.value;
      slope_size[hiddens + h] = factor * size * sum.magnitude;
    }
    for (int i = 0; i < width; ++i) {
      Sum sum, grad_sum;
      if (has_bias2) sum.add(b2[i]);
      for (int h = 0; h < hiddens; ++h) {
        sum.add(w2[i * hiddens + h] * passed[h]);
        sum.magnitude += std::abs(w2[i * hiddens + h]) * passed_size[h];
        sums_w2[i * hiddens + h].value += grad[i] * passed[h];
        sums_w2[i * hiddens + h].magnitude += std::abs(grad[i]) * passed_size[h];
      }
      for (int h = 0; h < inner; ++h) {
        grad_sum.value += w1[h * width + i] * slope[h];
        grad_sum.magnitude += std::abs(w1[h * width + i]) * slope_size[h];
        sums_w1[h * width + i].value += row[i] * slope[h];
        sums_w1[h * width + i].magnitude += std::abs(row[i]) * slope_size[h];
      }
      const size_t at = size_t(r) * width + i;
      expectNear(out[at], sum.value, (kStep + hiddens * kHalfUlp) * sum.magnitude + 1e-37, "feed forward", at);
      expectNear(alone[at], out[at], 0, "the same without what the backward pass reads", at);
      expectNear(back.x[at], grad_sum.value, (kStep + (width + inner) * kHalfUlp) * grad_sum.magnitude + 1e-37,
                 "x's gradient", at);
      sums_b2[i].add(grad[i]);
    }
    for (int h = 0; h < inner; ++h) {
      sums_b1[h].value += slope[h];
      sums_b1[h].magnitude += slope_size[h];
    }
  }
  const auto expectAll = [&](const std::vector<float>& got, const std::vector<Sum>& sums, const char* what) {
    for (size_t i = 0; i < got.size(); ++i) {
      expectNear(got[i], sums[i].value, (kStep + (rows + width) * kHalfUlp) * sums[i].magnitude + 1e-37, what, i);
    }
  };
  expectAll(back.weight1, sums_w1, "the first weight's gradient");
  expectAll(back.weight2, sums_w2, "the second weight's gradient");
  expectAll(back.bias1, sums_b1, "the first bias's gradient");
  expectAll(back.bias2, sums_b2, "the second bias's gradient");
}

}  // namespace
}  // namespace wasm_attention
