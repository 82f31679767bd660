#include <algorithm>

#include "attention.h"
#include "property.h"

namespace wasm_attention {
namespace {

// In place and out of place, with ignored rows.
PROPERTY(SoftmaxCrossEntropy, AgreesWithFloat64) {
  const int rows = draw.integer(1, 20), classes = draw.integer(1, 70), scale = draw.integer(1, 90);
  const bool ignores = draw.flag(), in_place = draw.flag();
  const std::vector<float> logits = draw.floats(size_t(rows) * classes, static_cast<float>(scale));
  std::vector<int32_t> targets;
  int counted = 0;
  for (int r = 0; r < rows; ++r) {
    targets.push_back(draw.integer(ignores ? -1 : 0, classes - 1));
    counted += targets[r] >= 0;
  }
  std::vector<float> grad = in_place ? logits : std::vector<float>(logits.size(), NAN);
  const double loss =
      softmaxCrossEntropy(in_place ? grad.data() : logits.data(), targets.data(), grad.data(), rows, classes);
  // An exponential's error is a few ulps plus the rounding of its argument, which is up to twice the scale. A sum adds
  // one rounding per four classes, and a logarithm of up to 5 its own.
  const double error = (16 + 4 * scale + classes) * kHalfUlp;
  double expected = 0;
  for (int r = 0; r < rows; ++r) {
    const float* row = &logits[size_t(r) * classes];
    const double most = *std::max_element(row, row + classes);
    double total = 0;
    for (int i = 0; i < classes; ++i) total += std::exp(row[i] - most);
    if (targets[r] >= 0) expected += std::log(total) + most - row[targets[r]];
    for (int i = 0; i < classes; ++i) {
      const double weight = std::exp(row[i] - most) / total;
      const double slope = targets[r] < 0 ? 0 : (weight - (i == targets[r])) / counted;
      // Exponentials below float32's smallest normal number are 0.
      const double tolerance =
          targets[r] < 0 ? 0 : (error * weight + (i == targets[r]) * 4 * kHalfUlp) / counted + 1e-37;
      expectNear(grad[size_t(r) * classes + i], slope, tolerance, "gradient", size_t(r) * classes + i);
    }
  }
  if (counted > 0) {
    expectNear(loss, expected / counted, error * (1 + std::abs(expected / counted)), "loss", 0);
  } else if (!std::isnan(loss)) {
    expectNear(NAN, loss, 0, "the loss of no row", 0);
  }
}

}  // namespace
}  // namespace wasm_attention
