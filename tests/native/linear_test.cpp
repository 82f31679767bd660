#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention.h"
#include "linear_layers.h"
#include "property.h"
#include "simd/int8.h"

namespace wasm_attention {
namespace {

// Gradients of weight and bias are added to existing values.
PROPERTY(Linear, AgreesWithFloat64) {
  const int rows = draw.integer(0, draw.flag() ? 600 : 20), inputs = draw.integer(1, 40), outputs = draw.integer(1, 40);
  const bool has_bias = draw.flag();
  const std::vector<float> x = draw.floats(size_t(rows) * inputs), weight = draw.floats(size_t(outputs) * inputs);
  const std::vector<float> bias = draw.floats(outputs), g = draw.floats(size_t(rows) * outputs);
  const std::vector<float> out =
      linearOf(x, packedOf(weight, inputs, outputs), has_bias ? &bias : nullptr, inputs, outputs);
  const std::vector<float> weight_before = draw.floats(weight.size()), bias_before = draw.floats(outputs);
  const auto [grad_x, grad_weight, grad_bias] =
      linearGradients(x, weight, g, rows, inputs, outputs, {{}, weight_before, bias_before}, has_bias);
  for (int r = 0; r < rows; ++r) {
    for (int o = 0; o < outputs; ++o) {
      Sum sum;
      if (has_bias) sum.add(bias[o]);
      for (int i = 0; i < inputs; ++i) sum.add(double{weight[o * inputs + i]} * x[r * inputs + i]);
      expectNear(out[r * outputs + o], sum.value, sum.tolerance(), "linear", size_t(r) * outputs + o);
    }
    for (int i = 0; i < inputs; ++i) {
      Sum sum;
      for (int o = 0; o < outputs; ++o) sum.add(double{weight[o * inputs + i]} * g[r * outputs + o]);
      expectNear(grad_x[r * inputs + i], sum.value, sum.tolerance(), "x's gradient", size_t(r) * inputs + i);
    }
  }
  for (int o = 0; o < outputs; ++o) {
    for (int i = 0; i < inputs; ++i) {
      Sum sum;
      sum.add(weight_before[o * inputs + i]);
      for (int r = 0; r < rows; ++r) sum.add(double{g[r * outputs + o]} * x[r * inputs + i]);
      expectNear(grad_weight[o * inputs + i], sum.value, sum.tolerance(), "the weight's gradient", o * inputs + i);
    }
    Sum sum;
    sum.add(bias_before[o]);
    for (int r = 0; has_bias && r < rows; ++r) sum.add(g[r * outputs + o]);
    expectNear(grad_bias[o], sum.value, has_bias ? sum.tolerance() : 0, "the bias's gradient", o);
  }
}

// Weights are packed in parts, and an embedding unpacks them.
PROPERTY(Linear, MultipliesByTheUnpackedWeightOfEveryType) {
  const int rows = draw.integer(0, draw.flag() ? 200 : 6), inputs = draw.integer(1, 80), outputs = draw.integer(1, 40);
  const auto type = static_cast<WeightType>(draw.integer(0, 3));
  const bool exact = type == WeightType::kFloat32, has_bias = draw.flag();
  const int part = exact ? 8 * draw.integer(1, 4) : draw.integer(1, 40);
  const std::vector<float> x = draw.floats(size_t(rows) * inputs), weight = draw.floats(size_t(outputs) * inputs);
  const std::vector<float> bias = draw.floats(outputs);
  std::vector<float> packed(packedWeightSize(inputs, outputs, type), exact ? NAN : 0);
  const bool rounds = type == WeightType::kInt8 || type == WeightType::kInt8Fine;
  if (rounds) scaleInt8Columns(packed.data(), inputs, std::vector<float>(inputs).data());  // by 1
  for (int first = 0; first < outputs; first += part) {
    const int count = std::min(part, outputs - first);
    const auto from = weight.begin() + ptrdiff_t{first} * inputs;
    const std::vector<float> some(from, from + ptrdiff_t{count} * inputs);
    packWeight(some.data(), packed.data(), inputs, outputs, first, count, type);
  }
  std::vector<int32_t> ids(outputs);
  std::iota(ids.begin(), ids.end(), 0);
  std::vector<float> kept(weight.size(), NAN);
  embedding({ids.data(), packed.data(), kept.data(), outputs, inputs, outputs, type});
  for (size_t i = 0; exact && i < kept.size(); ++i) expectNear(kept[i], weight[i], 0, "kept", i);
  const std::vector<float> out = linearOf(x, packed, has_bias ? &bias : nullptr, inputs, outputs, type);
  for (int r = 0; r < rows; ++r) {
    float most = 0;
    for (int i = 0; i < inputs; ++i) most = std::max(most, std::fabs(x[r * inputs + i]));
    for (int o = 0; o < outputs; ++o) {
      Sum sum;
      double rounding = 0;
      if (has_bias) sum.add(bias[o]);
      for (int i = 0; i < inputs; ++i) {
        sum.add(double{kept[o * inputs + i]} * x[r * inputs + i]);
        // The row is rounded to steps of at most most / kMostInput.
        const int steps = type == WeightType::kInt8 ? Int8::kMostInput : Int8Fine::kMostInput;
        if (rounds) rounding += std::fabs(kept[o * inputs + i]) * most / steps / 2 * 1.001;
      }
      expectNear(out[r * outputs + o], sum.value, sum.tolerance() + rounding, "linear", size_t(r) * outputs + o);
    }
  }
}

}  // namespace
}  // namespace wasm_attention
