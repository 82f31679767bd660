// Gated feed-forward networks and their gradients. Each step is compared with float64 from the kernel's own gates and
// values. Those with hidden units are in feed_forward_fuzz.cpp.
#include "attention.h"
#include "fuzz.h"
#include "kernels/dropout.h"
#include "linear_layers.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int rows = draw.integer(1, draw.flag() ? 300 : 12), width = draw.integer(1, 20), hiddens = draw.integer(1, 40);
  const float dropout = draw.flag() ? 0.3f : 0;
  const bool has_bias1 = draw.flag(), has_bias2 = draw.flag();
  const uint32_t seed = draw.integer(0, 65535);
  const std::vector<float> x = draw.floats(size_t(rows) * width), g = draw.floats(x.size());
  const std::vector<float> w1 = draw.floats(size_t(2 * hiddens) * width), w2 = draw.floats(size_t(width) * hiddens);
  const std::vector<float> b1 = draw.floats(2 * hiddens), b2 = draw.floats(width);
  const FeedForwardNetwork network{rows,    width,
                                   hiddens, Activation::kSilu,
                                   seed,    dropout,
                                   &w1,     has_bias1 ? &b1 : nullptr,
                                   &w2,     has_bias2 ? &b2 : nullptr,
                                   true};
  std::vector<float> inner;
  const std::vector<float> out = network.forward(x, &inner), alone = network.forward(x, nullptr);
  const FeedForwardGradients back = network.backward(x, inner, g);

  // The error of a single step, relative to the terms that it sums.
  const double step = 32 * kHalfUlp;
  std::vector<Sum> sums_w1(w1.size()), sums_w2(w2.size()), sums_b1(2 * hiddens), sums_b2(width);
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[size_t(r) * width], *kept = &inner[size_t(r) * 2 * hiddens], *grad = &g[size_t(r) * width];
    std::vector<double> passed(hiddens), size_passed(hiddens), slope(2 * hiddens), slope_size(2 * hiddens);
    const uint32_t key = dropoutRow(seed, r);
    for (int h = 0; h < 2 * hiddens; ++h) {
      Sum sum;
      if (has_bias1) sum.add(b1[h]);
      for (int i = 0; i < width; ++i) sum.add(double{w1[h * width + i]} * row[i]);
      expectNear(kept[h], sum.value, sum.tolerance(), "gates and values", size_t(r) * 2 * hiddens + h);
    }
    for (int h = 0; h < hiddens; ++h) {
      const double gate = kept[h], value = kept[hiddens + h], s = 1 / (1 + std::exp(-gate));
      const double factor = dropout == 0                                      ? 1
                            : dropoutBits(key, h) < dropoutThreshold(dropout) ? 0
                                                                              : 1 / (1 - double{dropout});
      passed[h] = factor * gate * s * value;
      size_passed[h] = factor * std::abs(gate * value);
      Sum sum;
      for (int i = 0; i < width; ++i) sum.add(double{w2[i * hiddens + h]} * grad[i]);
      const double at_gate = factor * value * (s + gate * s * (1 - s)), at_value = factor * gate * s;
      slope[h] = at_gate * sum.value;
      slope_size[h] = 2 * factor * std::abs(value) * (1 + std::abs(gate)) * sum.magnitude;
      slope[hiddens + h] = at_value * sum.value;
      slope_size[hiddens + h] = factor * std::abs(gate) * sum.magnitude;
    }
    for (int i = 0; i < width; ++i) {
      Sum sum, grad_sum;
      if (has_bias2) sum.add(b2[i]);
      for (int h = 0; h < hiddens; ++h) {
        sum.add(w2[i * hiddens + h] * passed[h]);
        sum.magnitude += std::abs(w2[i * hiddens + h]) * size_passed[h];
        sums_w2[i * hiddens + h].value += grad[i] * passed[h];
        sums_w2[i * hiddens + h].magnitude += std::abs(grad[i]) * size_passed[h];
      }
      for (int h = 0; h < 2 * hiddens; ++h) {
        grad_sum.value += w1[h * width + i] * slope[h];
        grad_sum.magnitude += std::abs(w1[h * width + i]) * slope_size[h];
        sums_w1[h * width + i].value += row[i] * slope[h];
        sums_w1[h * width + i].magnitude += std::abs(row[i]) * slope_size[h];
      }
      const size_t at = size_t(r) * width + i;
      expectNear(out[at], sum.value, (step + hiddens * kHalfUlp) * sum.magnitude + 1e-37, "feed forward", at);
      expectNear(alone[at], out[at], 0, "the same without what the backward pass reads", at);
      expectNear(back.x[at], grad_sum.value, (step + (width + 2 * hiddens) * kHalfUlp) * grad_sum.magnitude + 1e-37,
                 "x's gradient", at);
      sums_b2[i].add(grad[i]);
    }
    for (int h = 0; h < 2 * hiddens; ++h) {
      sums_b1[h].value += slope[h];
      sums_b1[h].magnitude += slope_size[h];
    }
  }
  const auto expectAll = [&](const std::vector<float>& got, const std::vector<Sum>& sums, const char* what) {
    for (size_t i = 0; i < got.size(); ++i) {
      expectNear(got[i], sums[i].value, (step + (rows + width) * kHalfUlp) * sums[i].magnitude + 1e-37, what, i);
    }
  };
  expectAll(back.weight1, sums_w1, "the first weight's gradient");
  expectAll(back.weight2, sums_w2, "the second weight's gradient");
  expectAll(back.bias1, sums_b1, "the first bias's gradient");
  expectAll(back.bias2, sums_b2, "the second bias's gradient");
  return 0;
}
