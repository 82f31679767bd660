// Attention's gradients of queries, keys and values compared with the chain rule in float64, term by term.
#include <algorithm>

#include "attention_draw.h"
#include "attention_oracle.h"
#include "kernels/dropout.h"

using namespace wasm_attention;

namespace {

/// Gradients as sums, with the sums of their terms' magnitudes.
struct Gradients {
  std::vector<Sum> query, key, value, sinks;
};

int clip(int distance, int limit) { return std::max(-limit, std::min(limit, distance)) + limit; }

Gradients chainRule(const AttentionProblem& problem, const std::vector<float>& grad_output, double* largest) {
  AttentionArgs a = problem.args();
  const float dropout = a.dropout;
  a.dropout = 0;
  std::vector<float> room(size_t(a.batch) * a.heads * a.queries * a.keys);
  a.weights = a.scores = room.data();  // not written, but makes the oracle compute them
  a.scoresStage = ScoresStage::kMasked;
  const ExpectedAttention forward = attentionOracle(a);
  Gradients g{std::vector<Sum>(problem.query.size()), std::vector<Sum>(problem.key.size()),
              std::vector<Sum>(problem.value.size()), std::vector<Sum>(problem.sinks.size())};
  const int group_size = a.heads / a.kvHeads;
  for (int b = 0; b < a.batch; ++b) {
    for (int h = 0; h < a.heads; ++h) {
      for (int i = 0; i < a.queries; ++i) {
        const int row = (b * a.heads + h) * a.queries + i;
        const int position = a.packed ? a.packed[i].position : i + (a.offsets ? a.offsets[b] : 0);
        const auto at = [&](Strides s, int head, int token) {
          return size_t(b) * s.batch + size_t(head) * s.head + size_t(token) * s.row;
        };
        const size_t q = at(a.queryStrides, h, i), out = at(a.outputStrides, h, i);
        const uint32_t bits = dropoutRow(a.seed, static_cast<uint32_t>(row));
        std::vector<double> slope(a.keys), size(a.keys), factor(a.keys, 1);
        double mean = 0, mean_size = 0;
        for (int j = 0; j < a.keys; ++j) {
          const double weight = forward.weights[size_t(row) * a.keys + j];
          if (!attentionSees(a, b, h, i, j) || weight == 0) continue;
          *largest = std::max(*largest, std::abs(forward.scores[size_t(row) * a.keys + j]));
          if (dropout > 0) factor[j] = dropoutBits(bits, j) < dropoutThreshold(dropout) ? 0 : 1.0 / (1.0 - dropout);
          const size_t v = at(a.valueStrides, h / group_size, j);
          for (int e = 0; e < a.valueWidth; ++e) {
            double value = a.value[v + e], magnitude = std::abs(value);
            if (a.relativeValues) {
              const int table = clip(j - position, a.relativeValuesClip) * a.valueWidth;
              const double relative = a.relativeValues[h * a.relativeValuesHead + table + e];
              value += relative;
              magnitude += std::abs(relative);
            }
            slope[j] += factor[j] * grad_output[out + e] * value;
            size[j] += factor[j] * std::abs(grad_output[out + e]) * magnitude;
            const double term = weight * factor[j] * grad_output[out + e];
            g.value[v + e].add(term);
          }
          mean += weight * slope[j];
          mean_size += weight * size[j];
        }
        if (a.sinks && a.sinks[h] > -INFINITY) {
          const double weight = std::exp(a.sinks[h] - forward.logSumExp[row]);
          *largest = std::max(*largest, std::abs(double{a.sinks[h]}));
          g.sinks[h].value -= weight * mean;
          g.sinks[h].magnitude += weight * mean_size;
        }
        for (int j = 0; j < a.keys; ++j) {
          const double weight = forward.weights[size_t(row) * a.keys + j];
          if (!attentionSees(a, b, h, i, j) || weight == 0) continue;
          const double score = weight * (slope[j] - mean), score_size = weight * (size[j] + mean_size);
          const size_t k = at(a.keyStrides, h / group_size, j);
          double bend = 1;
          if (a.softcap > 0) {
            double raw = 0;
            for (int e = 0; e < a.width; ++e) raw += double{a.query[q + e]} * a.key[k + e];
            const double t = std::tanh(a.scale * raw / a.softcap);
            bend = 1 - t * t;
          }
          const auto add = [&](Sum& to, double by, double slope_by) {
            to.value += score * slope_by * by;
            to.magnitude += score_size * std::abs(by);
          };
          for (int e = 0; e < a.width; ++e) {
            add(g.query[q + e], double{a.scale} * a.key[k + e], bend);
            add(g.key[k + e], double{a.scale} * a.query[q + e], bend);
            if (!a.relativeKeys) continue;
            const int table = clip(j - position, a.relativeKeysClip) * a.width;
            add(g.query[q + e], double{a.scale} * a.relativeKeys[h * a.relativeKeysHead + table + e], 1);
          }
        }
      }
    }
  }
  return g;
}

void expectAll(const std::vector<float>& got, const std::vector<Sum>& expected, double tolerance, const char* what) {
  for (size_t i = 0; i < got.size(); ++i) {
    expectNear(got[i], expected[i].value, tolerance * expected[i].magnitude + 1e-30, what, i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const AttentionSizes sizes = drawSizes(draw);
  const AttentionChoices choices = drawChoices(draw);
  AttentionProblem problem(sizes, choices, static_cast<unsigned>(draw.integer(0, 65535)));
  const std::vector<float> grad_output = draw.floats(problem.output.size(), 2);

  std::vector<float> query(problem.query.size(), NAN), key(problem.key.size(), NAN), value(problem.value.size(), NAN);
  std::vector<float> bias(problem.bias.size()), keys(problem.relativeKeys.size()),
      values(problem.relativeValues.size()), sinks(problem.sinks.size());
  AttentionGradArgs args{};
  args.attention = problem.args();
  args.gradOutput = grad_output.data();
  args.gradQuery = query.data();
  args.gradKey = key.data();
  args.gradValue = value.data();
  args.gradBias = bias.data();
  args.gradRelativeKeys = keys.data();
  args.gradRelativeValues = values.data();
  args.gradSinks = sinks.data();
  std::vector<float> scratch(scaledDotProductAttentionBackwardScratch(args), NAN);
  scaledDotProductAttentionBackward(args, scratch.data());

  double largest = 0;
  const Gradients expected = chainRule(problem, grad_output, &largest);
  // A weight's error is 32 units of 2^-23 plus 4 times a logit's error. It is in two factors, and the sums add as much
  // again.
  const double tolerance = (3 * 32 + 8 * largest) * 2 * kHalfUlp;
  expectAll(query, expected.query, tolerance, "the query's gradient");
  expectAll(key, expected.key, tolerance, "the key's gradient");
  expectAll(value, expected.value, tolerance, "the value's gradient");
  expectAll(sinks, expected.sinks, tolerance, "the sinks' gradient");
  return 0;
}
