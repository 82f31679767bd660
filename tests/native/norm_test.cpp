#include "attention.h"
#include "property.h"

namespace wasm_attention {
namespace {

PROPERTY(Norm, AgreesWithFloat64) {
  const int rows = draw.integer(1, draw.flag() ? 300 : 20), dim = draw.integer(1, 90);
  const bool rms = draw.flag(), affine = draw.flag() || rms, in_place = draw.flag();
  const Norm kind = rms ? Norm::kRms : Norm::kLayer;
  const float eps = 0.1f;
  const std::vector<float> x = draw.floats(size_t(rows) * dim, 2), g = draw.floats(size_t(rows) * dim, 2);
  const std::vector<float> weight = draw.floats(dim), bias = draw.floats(dim);
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN), grad_x = g;
  std::vector<float> grad_weight(dim), grad_bias(dim);
  norm({in_place ? out.data() : x.data(), affine ? weight.data() : nullptr, affine && !rms ? bias.data() : nullptr,
        out.data(), rows, dim, kind, eps});
  const NormGradArgs args{x.data(),
                          affine ? weight.data() : nullptr,
                          grad_x.data(),
                          affine ? grad_weight.data() : nullptr,
                          affine && !rms ? grad_bias.data() : nullptr,
                          rows,
                          dim,
                          kind,
                          eps};
  std::vector<float> scratch(normBackwardScratch(args), NAN);
  normBackward(args, scratch.data());
  std::vector<double> sums(dim), bias_sums(dim);
  // A few dozen roundings of numbers of up to 4, divided by a deviation of at least sqrt(0.1), twice in gradients.
  const double tolerance = 64 * 4 * 4 * kHalfUlp;
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[size_t(r) * dim], *grad = &g[size_t(r) * dim];
    double mean = 0, variance = 0, mean_g = 0, mean_gy = 0;
    for (int i = 0; i < dim && !rms; ++i) mean += double{row[i]} / dim;
    for (int i = 0; i < dim; ++i) variance += (row[i] - mean) * (row[i] - mean) / dim;
    const double root = std::sqrt(variance + eps);
    const auto y = [&](int i) { return (row[i] - mean) / root; };
    const auto w = [&](int i) { return affine ? double{weight[i]} : 1.0; };
    for (int i = 0; i < dim; ++i) {
      if (!rms) mean_g += grad[i] * w(i) / dim;
      mean_gy += grad[i] * w(i) * y(i) / dim;
      sums[i] += grad[i] * y(i);
      bias_sums[i] += grad[i];
    }
    for (int i = 0; i < dim; ++i) {
      const size_t at = size_t(r) * dim + i;
      expectNear(out[at], y(i) * w(i) + (affine && !rms ? bias[i] : 0), tolerance, "norm", at);
      expectNear(grad_x[at], (grad[i] * w(i) - mean_g - y(i) * mean_gy) / root, 10 * tolerance, "its gradient", at);
    }
  }
  for (int i = 0; affine && i < dim; ++i) {
    expectNear(grad_weight[i], sums[i], rows * tolerance, "the weight's gradient", i);
    if (!rms) expectNear(grad_bias[i], bias_sums[i], rows * tolerance, "the bias's gradient", i);
  }
}

}  // namespace
}  // namespace wasm_attention
