// Additive attention: weights and outputs, with anything in what is masked.
#include <algorithm>

#include "attention.h"
#include "fuzz.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  AdditiveAttentionArgs a{};
  a.batch = draw.integer(1, 3);
  a.queries = draw.integer(1, 12);
  a.keys = draw.integer(1, draw.flag() ? 140 : 12);
  a.queryWidth = draw.integer(1, 9);
  a.keyWidth = draw.integer(1, 9);
  a.valueWidth = draw.integer(1, 20);
  a.hiddens = draw.integer(1, 20);
  const std::vector<float> query = draw.floats(size_t(a.batch) * a.queries * a.queryWidth);
  std::vector<float> key = draw.floats(size_t(a.batch) * a.keys * a.keyWidth);
  std::vector<float> value = draw.floats(size_t(a.batch) * a.keys * a.valueWidth);
  const std::vector<float> wq = draw.floats(size_t(a.hiddens) * a.queryWidth), wv = draw.floats(a.hiddens);
  const std::vector<float> wk = draw.floats(size_t(a.hiddens) * a.keyWidth);
  const bool has_lens = draw.flag();
  std::vector<int32_t> valid(size_t(a.batch) * a.queries, a.keys);
  for (int b = 0; has_lens && b < a.batch; ++b) {
    int longest = 0;
    for (int i = 0; i < a.queries; ++i) longest = std::max(longest, valid[b * a.queries + i] = draw.integer(0, a.keys));
    for (int j = longest; j < a.keys; ++j) {
      std::fill_n(&key[(size_t(b) * a.keys + j) * a.keyWidth], a.keyWidth, NAN);
      std::fill_n(&value[(size_t(b) * a.keys + j) * a.valueWidth], a.valueWidth, INFINITY);
    }
  }
  a.query = query.data();
  a.key = key.data();
  a.value = value.data();
  a.weightQuery = wq.data();
  a.weightKey = wk.data();
  a.weightVector = wv.data();
  a.valid = has_lens ? valid.data() : nullptr;
  std::vector<float> scratch(additiveAttentionScratch(a), NAN), output(size_t(a.batch) * a.queries * a.valueWidth, NAN),
      weights(size_t(a.batch) * a.queries * a.keys, NAN);
  a.scratch = scratch.data();
  a.output = output.data();
  a.weights = weights.data();
  additiveAttention(a);
  // A tangent is off by 3 ulps and by its argument's roundings, of sums of up to 18; a logit has as many as hidden units.
  const double error = (32 + 2 * a.hiddens * (3 + 4 * 18)) * 2 * kHalfUlp;
  for (int row = 0; row < a.batch * a.queries; ++row) {
    const int b = row / a.queries, visible = valid[row];
    std::vector<double> power(a.keys, 0.0);
    double total = 0;
    for (int j = 0; j < visible; ++j) {
      double score = 0;
      for (int d = 0; d < a.hiddens; ++d) {
        double sum = 0;
        for (int c = 0; c < a.queryWidth; ++c) sum += double{wq[d * a.queryWidth + c]} * query[row * a.queryWidth + c];
        for (int c = 0; c < a.keyWidth; ++c) {
          sum += double{wk[d * a.keyWidth + c]} * key[(size_t(b) * a.keys + j) * a.keyWidth + c];
        }
        score += wv[d] * std::tanh(sum);
      }
      total += power[j] = std::exp(score);
    }
    for (int j = 0; j < a.keys; ++j) {
      const double weight = j < visible ? power[j] / total : 0;
      expectNear(weights[size_t(row) * a.keys + j], weight, error * weight, "weights", size_t(row) * a.keys + j);
    }
    for (int c = 0; c < a.valueWidth; ++c) {
      double mix = 0;
      for (int j = 0; j < visible; ++j) {
        mix += power[j] / total * value[(size_t(b) * a.keys + j) * a.valueWidth + c];
      }
      expectNear(output[size_t(row) * a.valueWidth + c], mix, visible ? error : 0, "output",
                 size_t(row) * a.valueWidth + c);
    }
  }
  return 0;
}
