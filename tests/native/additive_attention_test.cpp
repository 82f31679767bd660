// Additive attention and its gradients, with NaN and infinity in masked keys and values, in queries that see no key,
// and in the gradients of their outputs.
#include <algorithm>

#include "additive_tensors.h"
#include "property.h"

namespace wasm_attention {
namespace {

/// A call's sizes, tensors and valid lengths.
struct AdditiveDraw {
  AdditiveAttentionArgs args{};
  AdditiveTensors<float> inputs;
  /// How many keys each query sees, even if `args` has no lengths.
  std::vector<int32_t> valid;
};

/// Draws a call whose arguments point to the tensors in `call`. The caller adds scratch and results.
void drawAdditive(Draw& draw, AdditiveDraw& call) {
  AdditiveAttentionArgs& n = call.args;
  n.batch = draw.integer(0, 3);
  n.queries = draw.integer(0, 12);
  n.keys = draw.integer(0, draw.flag() ? 140 : 12);
  n.queryWidth = draw.integer(0, 9);
  n.keyWidth = draw.integer(0, 9);
  n.valueWidth = draw.integer(0, 20);
  n.hiddens = draw.integer(1, 20);
  for (const size_t count : additiveCounts(n)) call.inputs.push_back(draw.floats(count));
  const bool has_lens = draw.flag();
  call.valid.assign(size_t(n.batch) * n.queries, n.keys);
  for (int b = 0; has_lens && b < n.batch; ++b) {
    int longest = 0;
    for (int i = 0; i < n.queries; ++i) {
      longest = std::max(longest, call.valid[b * n.queries + i] = draw.integer(0, n.keys));
    }
    for (int j = longest; j < n.keys; ++j) {
      std::fill_n(call.inputs[1].begin() + (size_t(b) * n.keys + j) * n.keyWidth, n.keyWidth, NAN);
      std::fill_n(call.inputs[2].begin() + (size_t(b) * n.keys + j) * n.valueWidth, n.valueWidth, INFINITY);
    }
  }
  for (size_t row = 0; row < call.valid.size(); ++row) {
    if (call.valid[row] == 0) std::fill_n(call.inputs[0].begin() + row * n.queryWidth, n.queryWidth, NAN);
  }
  bindTensors(n, call.inputs);
  n.valid = has_lens ? call.valid.data() : nullptr;
}

PROPERTY(AdditiveAttention, AgreesWithFloat64) {
  AdditiveDraw call;
  drawAdditive(draw, call);
  AdditiveAttentionArgs& n = call.args;
  std::vector<float> scratch(additiveAttentionScratch(n), NAN), output(size_t(n.batch) * n.queries * n.valueWidth, NAN),
      weights(size_t(n.batch) * n.queries * n.keys, NAN);
  n.output = output.data();
  n.weights = weights.data();
  additiveAttention(n, scratch.data());
  // The error of a tanh is 3 ulps plus the roundings of its argument, a sum of up to 18 terms. A logit has a tanh for
  // each hidden unit.
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
}

using SumsOfGradients = std::vector<std::vector<Sum>>;

void add(Sum& to, double value, double magnitude) {
  to.value += value;
  to.magnitude += std::abs(magnitude);
}

/// Adds the gradients that come from one query.
void chainRule(const AdditiveAttentionArgs& n, const AdditiveTensors<float>& x, int row, int visible, const float* grad,
               SumsOfGradients& g) {
  const int first = row / n.queries * n.keys;
  std::vector<double> weights(visible), slope(visible), size(visible), tangents(size_t(visible) * n.hiddens);
  double total = 0, mean = 0, mean_size = 0;
  for (int j = 0; j < visible; ++j) {
    total += weights[j] = std::exp(additiveScore(n, x, row, first + j, &tangents[j * n.hiddens]));
    for (int c = 0; c < n.valueWidth; ++c) {
      const double term = double{grad[c]} * x[2][(first + j) * n.valueWidth + c];
      slope[j] += term;
      size[j] += std::abs(term);
    }
  }
  for (int j = 0; j < visible; ++j) {
    weights[j] /= total;
    mean += weights[j] * slope[j];
    mean_size += weights[j] * size[j];
  }
  for (int j = 0; j < visible; ++j) {
    const int key = first + j;
    for (int c = 0; c < n.valueWidth; ++c) {
      add(g[2][key * n.valueWidth + c], weights[j] * grad[c], weights[j] * grad[c]);
    }
    const double score = weights[j] * (slope[j] - mean), score_size = weights[j] * (size[j] + mean_size);
    for (int d = 0; d < n.hiddens; ++d) {
      const double t = tangents[j * n.hiddens + d], hidden = score * x[5][d] * (1 - t * t);
      const double hidden_size = score_size * x[5][d];  // the error of 1 - t * t is relative to 1, not to itself
      add(g[5][d], score * t, score_size);
      for (int c = 0; c < n.queryWidth; ++c) {
        const size_t weight = d * n.queryWidth + c, input = row * n.queryWidth + c;
        add(g[3][weight], hidden * x[0][input], hidden_size * x[0][input]);
        add(g[0][input], hidden * x[3][weight], hidden_size * x[3][weight]);
      }
      for (int c = 0; c < n.keyWidth; ++c) {
        const size_t weight = d * n.keyWidth + c, input = key * n.keyWidth + c;
        add(g[4][weight], hidden * x[1][input], hidden_size * x[1][input]);
        add(g[1][input], hidden * x[4][weight], hidden_size * x[4][weight]);
      }
    }
  }
}

PROPERTY(AdditiveAttentionBackward, FollowsTheChainRule) {
  AdditiveDraw call;
  drawAdditive(draw, call);
  AdditiveAttentionArgs& n = call.args;
  std::vector<float> grad_output = draw.floats(size_t(n.batch) * n.queries * n.valueWidth);
  for (size_t row = 0; row < call.valid.size(); ++row) {
    if (call.valid[row] == 0) std::fill_n(grad_output.begin() + row * n.valueWidth, n.valueWidth, NAN);
  }
  AdditiveTensors<float> gradients;
  for (const std::vector<float>& input : call.inputs) gradients.emplace_back(input.size(), NAN);
  AdditiveAttentionGradArgs args{};
  args.attention = n;
  args.gradOutput = grad_output.data();
  bindGradients(args, gradients);
  std::vector<float> scratch(additiveAttentionBackwardScratch(args), NAN);
  additiveAttentionBackward(args, scratch.data());

  SumsOfGradients expected;
  for (const std::vector<float>& input : call.inputs) expected.emplace_back(input.size());
  for (int row = 0; row < n.batch * n.queries; ++row) {
    chainRule(n, call.inputs, row, call.valid[row], grad_output.data() + size_t(row) * n.valueWidth, expected);
  }
  // A weight's error consists of the exponential's error, 3 ulps for the tanh of each hidden unit, and the roundings of
  // the tanh's argument, a sum of up to 18 terms. A weight occurs in two factors, and the sums over queries, keys and
  // units round each term.
  const double error =
      (3 * (32 + 2 * n.hiddens * (3 + 4 * 18)) + n.batch * (n.queries + n.keys) + n.valueWidth) * kHalfUlp;
  const char* names[] = {"the queries'", "the keys'", "the values'", "Wq's", "Wk's", "wv's"};
  for (size_t t = 0; t < gradients.size(); ++t) {
    for (size_t i = 0; i < gradients[t].size(); ++i) {
      const Sum& sum = expected[t][i];
      expectNear(gradients[t][i], sum.value, sum.magnitude == 0 ? 0 : error * sum.magnitude + 1e-37, names[t], i);
    }
  }
}

}  // namespace
}  // namespace wasm_attention
