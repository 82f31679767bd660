// Rows divided by their root mean square, and the gradients of that.
#include "attention.h"
#include "fuzz.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int rows = draw.integer(1, draw.flag() ? 300 : 20), dim = draw.integer(1, 90);
  const bool in_place = draw.flag();
  const float eps = 0.1f;
  const std::vector<float> x = draw.floats(size_t(rows) * dim, 2), g = draw.floats(size_t(rows) * dim, 2);
  const std::vector<float> weight = draw.floats(dim);
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN), grad_x = g, grad_weight(dim);
  rmsNorm(in_place ? out.data() : x.data(), weight.data(), out.data(), rows, dim, eps);
  std::vector<float> scratch(rmsNormBackwardScratch(rows, dim), NAN);
  rmsNormBackward(in_place ? grad_x.data() : g.data(), x.data(), weight.data(), grad_x.data(), grad_weight.data(),
                  scratch.data(), rows, dim, eps);
  std::vector<double> sums(dim);
  // As for layer norm.
  const double tolerance = 64 * 4 * 4 * kHalfUlp;
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[size_t(r) * dim], *grad = &g[size_t(r) * dim];
    double squares = 0, along = 0;
    for (int i = 0; i < dim; ++i) squares += double{row[i]} * row[i];
    const double root = std::sqrt(squares / dim + eps);
    for (int i = 0; i < dim; ++i) along += double{grad[i]} * weight[i] * row[i];
    for (int i = 0; i < dim; ++i) {
      const size_t at = size_t(r) * dim + i;
      sums[i] += grad[i] * row[i] / root;
      expectNear(out[at], row[i] / root * weight[i], tolerance, "rms norm", at);
      expectNear(grad_x[at], grad[i] * weight[i] / root - row[i] * along / (dim * root * root * root), 10 * tolerance,
                 "its gradient", at);
    }
  }
  for (int i = 0; i < dim; ++i) expectNear(grad_weight[i], sums[i], rows * tolerance, "the weight's gradient", i);
  return 0;
}
