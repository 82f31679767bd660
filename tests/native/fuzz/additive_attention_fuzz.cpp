// Weights and outputs of additive attention, with NaN and infinity in masked keys and values.
#include "additive_draw.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  AdditiveDraw call;
  drawAdditive(draw, call);
  AdditiveAttentionArgs& n = call.args;
  std::vector<float> scratch(additiveAttentionScratch(n), NAN), output(size_t(n.batch) * n.queries * n.valueWidth, NAN),
      weights(size_t(n.batch) * n.queries * n.keys, NAN);
  n.output = output.data();
  n.weights = weights.data();
  additiveAttention(n, scratch.data());
  // A tangent's error is 3 ulps plus the roundings of its argument, a sum of up to 18. A logit has a tangent for each
  // hidden unit.
  const double error = (32 + 2 * n.hiddens * (3 + 4 * 18)) * 2 * kHalfUlp;
  std::vector<double> tangents(n.hiddens);
  for (int row = 0; row < n.batch * n.queries; ++row) {
    const size_t first = size_t(row) / n.queries * n.keys;
    const int visible = call.valid[row];
    std::vector<double> power(n.keys, 0.0);
    double total = 0;
    for (int j = 0; j < visible; ++j) {
      total += power[j] = std::exp(additiveScore(n, call.inputs, row, first + j, tangents.data()));
    }
    for (int j = 0; j < n.keys; ++j) {
      const double weight = j < visible ? power[j] / total : 0;
      expectNear(weights[size_t(row) * n.keys + j], weight, error * weight, "weights", size_t(row) * n.keys + j);
    }
    for (int c = 0; c < n.valueWidth; ++c) {
      double mix = 0;
      for (int j = 0; j < visible; ++j) mix += power[j] / total * call.inputs[2][(first + j) * n.valueWidth + c];
      expectNear(output[size_t(row) * n.valueWidth + c], mix, visible ? error : 0, "output",
                 size_t(row) * n.valueWidth + c);
    }
  }
  return 0;
}
