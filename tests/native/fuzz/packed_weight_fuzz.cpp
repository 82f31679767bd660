// Products with weights of every type, compared with the weights as they are kept.
#include <cmath>

#include "attention.h"
#include "fuzz.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int rows = draw.integer(0, draw.flag() ? 200 : 6), inputs = draw.integer(1, 80), outputs = draw.integer(1, 40);
  const auto type = draw.flag() ? WeightType::kInt8 : WeightType::kFloat16;
  const bool has_bias = draw.flag();
  const int part = draw.integer(1, 40);
  const std::vector<float> x = draw.floats(size_t(rows) * inputs), weight = draw.floats(size_t(outputs) * inputs);
  const std::vector<float> bias = draw.floats(outputs);
  std::vector<float> packed(packedWeightSize(inputs, outputs, type));
  for (int first = 0; first < outputs; first += part) {
    const int count = std::min(part, outputs - first);
    const auto from = weight.begin() + ptrdiff_t{first} * inputs;
    const std::vector<float> some(from, from + ptrdiff_t{count} * inputs);
    packWeightRows(some.data(), packed.data(), inputs, outputs, first, count, type);
  }
  std::vector<int32_t> ids(outputs);
  for (int o = 0; o < outputs; ++o) ids[o] = o;
  std::vector<float> kept(weight.size(), NAN), out(size_t(rows) * outputs, NAN);
  unpackWeightRows(ids.data(), packed.data(), kept.data(), outputs, inputs, outputs, type);
  Projection args{x.data(), packed.data(), has_bias ? bias.data() : nullptr, out.data(), rows, inputs, outputs, type};
  std::vector<float> scratch(projectScratch(args), NAN);
  project(args, scratch.data());
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
      expectNear(out[r * outputs + o], sum.value, sum.tolerance() + rounding, "project", size_t(r) * outputs + o);
    }
  }
  return 0;
}
