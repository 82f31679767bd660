// Identities of attention's gradients that hold with any options, in buffers of exactly the right size. The JavaScript
// tests compare the gradients with an oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "attention_problem.h"
#include "random.h"

namespace wasm_attention {
namespace {

struct Gradients {
  std::vector<float> query, key, value, bias, relativeKeys, relativeValues, sinks;

  bool operator==(const Gradients& g) const {
    return query == g.query && key == g.key && value == g.value && bias == g.bias && relativeKeys == g.relativeKeys &&
           relativeValues == g.relativeValues && sinks == g.sinks;
  }
};

/// Gradients that the operation writes are NaN before; those that it adds to are zeros.
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

bool allFinite(const std::vector<float>& x) {
  return std::all_of(x.begin(), x.end(), [](float value) { return std::isfinite(value); });
}

/// Sizes around the vector (4), the block (8) and the strip (32) of queries, and the block of keys (256).
class Draw {
 public:
  explicit Draw(unsigned seed) : generator_(seed) {}
  int operator()(std::initializer_list<int> levels) { return levels.begin()[generator_() % levels.size()]; }

 private:
  std::mt19937 generator_;
};

AttentionSizes sizesOf(Draw& draw) {
  AttentionSizes n;
  n.batch = draw({1, 2});
  n.kvHeads = draw({1, 2});
  n.heads = n.kvHeads * draw({1, 1, 3});
  n.queries = draw({1, 3, 8, 9, 31, 32, 33, 65});
  n.keys = draw({1, 4, 5, 63, 255, 256, 257, 520});
  n.width = draw({1, 3, 4, 17, 32});
  n.valueWidth = draw({1, 3, 4, 17, 32});
  return n;
}

AttentionChoices choicesOf(Draw& draw) {
  AttentionChoices c;
  c.headsSideBySide = draw({0, 1}) != 0;
  c.validLens = static_cast<ValidLens>(draw({0, 1, 2}));
  c.windowLeft = draw({-1, -1, 0, 3, 300});
  c.windowRight = draw({-1, 0, 2});
  c.offsets = static_cast<Offsets>(draw({0, 1, 2}));
  c.mask = static_cast<Broadcast>(draw({0, 0, 1, 2, 3, 4, 5}));
  c.bias = static_cast<Broadcast>(draw({0, 1, 2, 3, 4, 5}));
  c.biasMasks = draw({0, 1}) != 0;
  c.relativeKeysClip = draw({-1, 0, 2, 9});
  c.relativeValuesClip = draw({-1, 0, 2, 9});
  c.relativePerHead = draw({0, 1}) != 0;
  c.alibi = draw({0, 1}) != 0;
  c.sinks = draw({0, 1}) != 0;
  c.packed = draw({0, 0, 1}) != 0;
  c.softcap = draw({0, 2});
  c.dropout = 0.1f * draw({0, 3});
  return c;
}

TEST(AttentionBackward, HoldsItsIdentitiesWhateverTheOptions) {
  int poisoned = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const AttentionSizes sizes = sizesOf(draw);
    AttentionProblem problem(sizes, choicesOf(draw), seed);
    problem.run();
    const std::vector<float> grad_output = randomFloats(problem.output.size(), seed + 99, 2);
    const Gradients g = backward(problem, grad_output);
    for (const auto* x : {&g.query, &g.key, &g.value, &g.bias, &g.relativeKeys, &g.relativeValues, &g.sinks}) {
      ASSERT_TRUE(allFinite(*x));
    }

    // The output is linear in the values. A weight's error is up to 2^-17 (32 units in the last place of 1, and 4 times
    // a logit's error), and each gradient of an output is multiplied by values of this size.
    const double size = largest(problem.value) + largest(problem.relativeValues);
    double terms = 0;
    for (float x : grad_output) terms += std::abs(x) * size / (1 - problem.args().dropout);
    const double values = dot(g.value, problem.value) + dot(g.relativeValues, problem.relativeValues);
    EXPECT_NEAR(values, dot(grad_output, problem.output), terms / (1 << 17));
    // A constant added to all scores of a row changes nothing; without a bias only some of their gradients are known.
    double sum = 0;
    for (float x : g.bias) sum += x;
    if (problem.args().bias) {
      for (float x : g.sinks) sum += x;
    }
    EXPECT_NEAR(sum, 0, terms * problem.args().valueWidth / (1 << 17));

    poisoned += problem.poison();
    EXPECT_TRUE(backward(problem, grad_output) == g) << "what is hidden changed a bit";
  }
  EXPECT_GT(poisoned, 1000);
}

TEST(AttentionBackward, GivesTheSameForHeadsSideBySide) {
  for (int n : {1, 7, 33, 300}) {
    AttentionChoices choices;
    choices.windowRight = 0;
    AttentionProblem apart({2, 4, 2, n, n, 5, 3}, choices, n);
    choices.headsSideBySide = true;
    AttentionProblem beside({2, 4, 2, n, n, 5, 3}, choices, n);
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
    beside.query = moved(apart.query, 4, 5);
    beside.key = moved(apart.key, 2, 5);
    beside.value = moved(apart.value, 2, 3);
    beside.args().query = beside.query.data();
    beside.args().key = beside.key.data();
    beside.args().value = beside.value.data();
    const std::vector<float> grad_output = randomFloats(apart.output.size(), 5, 2);
    const Gradients expected = backward(apart, grad_output);
    const Gradients got = backward(beside, moved(grad_output, 4, 3));
    EXPECT_EQ(got.query, moved(expected.query, 4, 5));
    EXPECT_EQ(got.key, moved(expected.key, 2, 5));
    EXPECT_EQ(got.value, moved(expected.value, 2, 3));
  }
}

}  // namespace
}  // namespace wasm_attention
