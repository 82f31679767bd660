// Linear maps and their gradients, which are added to existing values.
#include "attention.h"
#include "fuzz.h"
#include "linear_layers.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
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
  return 0;
}
