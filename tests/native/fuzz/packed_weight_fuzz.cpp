// Products with weights of every type that are packed in parts, compared with the weights as they are kept, which an
// embedding reads.
#include <cmath>
#include <numeric>

#include "attention.h"
#include "fuzz.h"
#include "linear_layers.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int rows = draw.integer(0, draw.flag() ? 200 : 6), inputs = draw.integer(1, 80), outputs = draw.integer(1, 40);
  const auto type = static_cast<WeightType>(draw.integer(0, 2));
  const bool exact = type == WeightType::kFloat32, has_bias = draw.flag();
  const int part = exact ? 8 * draw.integer(1, 4) : draw.integer(1, 40);
  const std::vector<float> x = draw.floats(size_t(rows) * inputs), weight = draw.floats(size_t(outputs) * inputs);
  const std::vector<float> bias = draw.floats(outputs);
  std::vector<float> packed(packedWeightSize(inputs, outputs, type), exact ? NAN : 0);
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
        // The row is rounded to steps of most / 127.
        if (type == WeightType::kInt8) rounding += std::fabs(kept[o * inputs + i]) * most / 127 / 2 * 1.001;
      }
      expectNear(out[r * outputs + o], sum.value, sum.tolerance() + rounding, "linear", size_t(r) * outputs + o);
    }
  }
  return 0;
}
