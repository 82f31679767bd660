// Attention's gradients against the chain rule in float64, and identities between them, in buffers of exactly the right
// size. The JavaScript tests compare those of biases and relative tables with an oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention_draw.h"
#include "attention_oracle.h"
#include "kernels/dropout.h"

namespace wasm_attention {
namespace {

/// The operation's outputs.
struct Gradients {
  std::vector<float> query, key, value, bias, relativeKeys, relativeValues, sinks;

  bool operator==(const Gradients& g) const {
    return query == g.query && key == g.key && value == g.value && bias == g.bias && relativeKeys == g.relativeKeys &&
           relativeValues == g.relativeValues && sinks == g.sinks;
  }
};

/// Gradients that the operation writes start as NaN; those that it adds to start as zeros.
Gradients backward(const AttentionProblem& problem, const std::vector<float>& grad_output) {
  Gradients g;
  for (auto [to, like] : {std::pair{&g.query, &problem.query}, {&g.key, &problem.key}, {&g.value, &problem.value}}) {
    to->assign(like->size(), NAN);
  }
  g.bias.resize(problem.bias.size());
  g.relativeKeys.resize(problem.relativeKeys.size());
  g.relativeValues.resize(problem.relativeValues.size());
  g.sinks.resize(problem.sinks.size());
  AttentionGradArgs args{};
  args.attention = problem.args();
  args.gradOutput = grad_output.data();
  args.gradQuery = g.query.data();
  args.gradKey = g.key.data();
  args.gradValue = g.value.data();
  args.gradBias = g.bias.data();
  args.gradRelativeKeys = g.relativeKeys.data();
  args.gradRelativeValues = g.relativeValues.data();
  args.gradSinks = g.sinks.data();
  std::vector<float> scratch(scaledDotProductAttentionBackwardScratch(args), NAN);
  scaledDotProductAttentionBackward(args, scratch.data());
  return g;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

double largest(const std::vector<float>& x) {
  double max = 0;
  for (float value : x) max = std::max(max, std::abs(double{value}));
  return max;
}

/// Gradients as sums in float64, with the sums of their terms' magnitudes.
struct ExpectedGradients {
  std::vector<Sum> query, key, value, sinks;
};

int clip(int distance, int limit) { return std::max(-limit, std::min(limit, distance)) + limit; }

ExpectedGradients chainRule(const AttentionProblem& problem, const std::vector<float>& grad_output, double* largest) {
  AttentionArgs a = problem.args();
  const float dropout = a.dropout;
  a.dropout = 0;
  std::vector<float> room(size_t(a.batch) * a.heads * a.queries * a.keys);
  a.weights = a.scores = room.data();  // never written; any address makes the oracle compute them
  a.scoresStage = ScoresStage::kMasked;
  const ExpectedAttention forward = attentionOracle(a);
  ExpectedGradients g{std::vector<Sum>(problem.query.size()), std::vector<Sum>(problem.key.size()),
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

PROPERTY(AttentionBackward, FollowsTheChainRuleForAllOptions) {
  const AttentionSizes sizes = drawSizes(draw);
  const AttentionChoices choices = drawChoices(draw);
  AttentionProblem problem(sizes, choices, static_cast<unsigned>(draw.integer(0, 65535)));
  problem.run();
  const std::vector<float> grad_output = draw.floats(problem.output.size(), 2);
  const Gradients g = backward(problem, grad_output);

  double steepest = 0;
  const ExpectedGradients expected = chainRule(problem, grad_output, &steepest);
  // A weight's error is 32 units of 2^-23 plus 4 times a logit's error. A weight occurs in two factors, and the sums
  // add as much again.
  const double tolerance = (3 * 32 + 8 * steepest) * 2 * kHalfUlp;
  expectAll(g.query, expected.query, tolerance, "the query's gradient");
  expectAll(g.key, expected.key, tolerance, "the key's gradient");
  expectAll(g.value, expected.value, tolerance, "the value's gradient");
  expectAll(g.sinks, expected.sinks, tolerance, "the sinks' gradient");

  // The output is linear in the values. A weight's error is up to 2^-17 (32 units in the last place of 1, and 4 times a
  // logit's error), and each gradient of an output is multiplied by values of this size.
  const double size = largest(problem.value) + largest(problem.relativeValues);
  double terms = 0;
  for (float x : grad_output) terms += std::abs(x) * size / (1 - problem.args().dropout);
  const double values = dot(g.value, problem.value) + dot(g.relativeValues, problem.relativeValues);
  EXPECT_NEAR(values, dot(grad_output, problem.output), terms / (1 << 17));
  // Adding a constant to a row's scores changes nothing; without a bias only some of the scores' gradients are known.
  double sum = 0;
  for (float x : g.bias) sum += x;
  if (problem.args().bias) {
    for (float x : g.sinks) sum += x;
  }
  EXPECT_NEAR(sum, 0, terms * problem.args().valueWidth / (1 << 17));
  for (float x : g.relativeKeys) EXPECT_TRUE(std::isfinite(x));

  problem.poison();
  EXPECT_TRUE(backward(problem, grad_output) == g) << "hidden keys or values changed a bit";
}

TEST(AttentionBackward, GivesTheSameBitsForBothLayoutsOfHeads) {
  for (int n : {1, 7, 33, 300}) {
    AttentionChoices choices;
    choices.windowRight = 0;
    AttentionProblem heads_first({2, 4, 2, n, n, 5, 3}, choices, n);
    choices.headsInterleaved = true;
    AttentionProblem tokens_first({2, 4, 2, n, n, 5, 3}, choices, n);
    // Moves (B, H, n, columns) to (B, n, H, columns).
    const auto moved = [n](const std::vector<float>& x, int heads, int columns) {
      std::vector<float> to(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        const size_t column = i % columns, row = i / columns % n, head = i / columns / n % heads,
                     batch = i / columns / n / heads;
        to[((batch * n + row) * heads + head) * columns + column] = x[i];
      }
      return to;
    };
    tokens_first.query = moved(heads_first.query, 4, 5);
    tokens_first.key = moved(heads_first.key, 2, 5);
    tokens_first.value = moved(heads_first.value, 2, 3);
    tokens_first.args().query = tokens_first.query.data();
    tokens_first.args().key = tokens_first.key.data();
    tokens_first.args().value = tokens_first.value.data();
    const std::vector<float> grad_output = randomFloats(heads_first.output.size(), 5, 2);
    const Gradients expected = backward(heads_first, grad_output);
    const Gradients got = backward(tokens_first, moved(grad_output, 4, 3));
    EXPECT_EQ(got.query, moved(expected.query, 4, 5));
    EXPECT_EQ(got.key, moved(expected.key, 2, 5));
    EXPECT_EQ(got.value, moved(expected.value, 2, 3));
  }
}

}  // namespace
}  // namespace wasm_attention
