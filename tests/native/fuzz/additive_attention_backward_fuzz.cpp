// Additive attention's gradients compared with the chain rule in float64, term by term. Masked keys and values get
// zeros, even if they are NaN.
#include "additive_draw.h"

using namespace wasm_attention;

namespace {

using Gradients = std::vector<std::vector<Sum>>;

void add(Sum& to, double value, double magnitude) {
  to.value += value;
  to.magnitude += std::abs(magnitude);
}

/// Adds the gradients that come from one query.
void chainRule(const AdditiveAttentionArgs& n, const AdditiveTensors<float>& x, int row, int visible, const float* grad,
               Gradients& g) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  AdditiveDraw call;
  drawAdditive(draw, call);
  AdditiveAttentionArgs& n = call.args;
  const std::vector<float> grad_output = draw.floats(size_t(n.batch) * n.queries * n.valueWidth);
  AdditiveTensors<float> gradients;
  for (const std::vector<float>& input : call.inputs) gradients.emplace_back(input.size(), NAN);
  AdditiveAttentionGradArgs args{};
  args.attention = n;
  args.gradOutput = grad_output.data();
  bindGradients(args, gradients);
  std::vector<float> scratch(additiveAttentionBackwardScratch(args), NAN);
  additiveAttentionBackward(args, scratch.data());

  Gradients expected;
  for (const std::vector<float>& input : call.inputs) expected.emplace_back(input.size());
  for (int row = 0; row < n.batch * n.queries; ++row) {
    chainRule(n, call.inputs, row, call.valid[row], &grad_output[size_t(row) * n.valueWidth], expected);
  }
  // A weight's error consists of the exponential's error, 3 ulps for the tangent of each hidden unit, and roundings of
  // the tangent's argument, which is a sum of up to 18. A weight is in two factors, and sums over queries, keys and
  // units round for each term.
  const double error =
      (3 * (32 + 2 * n.hiddens * (3 + 4 * 18)) + n.batch * (n.queries + n.keys) + n.valueWidth) * kHalfUlp;
  const char* names[] = {"the queries'", "the keys'", "the values'", "Wq's", "Wk's", "wv's"};
  for (size_t t = 0; t < gradients.size(); ++t) {
    for (size_t i = 0; i < gradients[t].size(); ++i) {
      const Sum& sum = expected[t][i];
      expectNear(gradients[t][i], sum.value, sum.magnitude == 0 ? 0 : error * sum.magnitude + 1e-37, names[t], i);
    }
  }
  return 0;
}
