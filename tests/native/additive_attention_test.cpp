// Both passes of additive attention, in buffers of exactly their size, so that AddressSanitizer sees any access
// outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "additive_tensors.h"
#include "random.h"

namespace wasm_attention {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Problem {
  AdditiveAttentionArgs sizes{};
  AdditiveTensors<float> inputs;
  std::vector<int32_t> valid;
  std::vector<float> gradOutput;

  Problem(int batch, int queries, int keys, int query_width, int key_width, int value_width, int hiddens) {
    sizes.batch = batch;
    sizes.queries = queries;
    sizes.keys = keys;
    sizes.queryWidth = query_width;
    sizes.keyWidth = key_width;
    sizes.valueWidth = value_width;
    sizes.hiddens = hiddens;
    for (const size_t count : additiveCounts(sizes)) inputs.push_back(randomFloats(count, 1 + inputs.size()));
    gradOutput = randomFloats(size_t(batch) * queries * value_width, 7);
    // 0, 1, … up to all keys, then again from 0.
    for (int i = 0; i < batch * queries; ++i) valid.push_back(i % (keys + 1));
  }

  AdditiveAttentionArgs args() const {
    AdditiveAttentionArgs args = sizes;
    bind(args, inputs);
    args.valid = valid.data();
    return args;
  }
};

std::vector<float> forward(const Problem& problem) {
  const AdditiveAttentionArgs& sizes = problem.sizes;
  std::vector<float> scratch(additiveAttentionScratch(sizes), kNaN);
  std::vector<float> output(problem.gradOutput.size(), kNaN);
  std::vector<float> weights(size_t(sizes.batch) * sizes.queries * sizes.keys, kNaN);
  AdditiveAttentionArgs args = problem.args();
  args.output = output.data();
  args.weights = weights.data();
  additiveAttention(args, scratch.data());
  return output;
}

AdditiveTensors<float> backward(const Problem& problem) {
  AdditiveTensors<float> gradients;
  for (const std::vector<float>& input : problem.inputs) gradients.emplace_back(input.size(), kNaN);
  AdditiveAttentionGradArgs args{};
  args.attention = problem.args();
  args.gradOutput = problem.gradOutput.data();
  bindGradients(args, gradients);
  std::vector<float> scratch(additiveAttentionBackwardScratch(args), kNaN);
  additiveAttentionBackward(args, scratch.data());
  return gradients;
}

std::vector<double> oracle(const Problem& problem, const AdditiveTensors<double>& x) {
  const AdditiveAttentionArgs& n = problem.sizes;
  std::vector<double> output(problem.gradOutput.size()), tangents(n.hiddens);
  for (int row = 0; row < n.batch * n.queries; ++row) {
    const int first = row / n.queries * n.keys, visible = problem.valid[row];
    std::vector<double> weights(visible);
    double total = 0;
    for (int j = 0; j < visible; ++j) {
      total += weights[j] = std::exp(additiveScore(n, x, row, first + j, tangents.data()));
    }
    for (int j = 0; j < visible; ++j) {
      for (int c = 0; c < n.valueWidth; ++c) {
        output[row * n.valueWidth + c] += weights[j] / total * x[2][(first + j) * n.valueWidth + c];
      }
    }
  }
  return output;
}

/// Compares outputs with the oracle's, and gradients with central differences of the oracle.
void expectAgreement(const Problem& problem) {
  AdditiveTensors<double> x;
  for (const std::vector<float>& input : problem.inputs) x.emplace_back(input.begin(), input.end());
  const std::vector<double> expected = oracle(problem, x);
  const std::vector<float> output = forward(problem);
  // Inputs are below 1, so hidden sums are below 18 and logits below 9. The error is 9 times the tangent's error of
  // 3e-7, plus the roundings of a sum.
  for (size_t i = 0; i < output.size(); ++i) ASSERT_NEAR(output[i], expected[i], 1e-5) << i;

  const auto loss = [&] {
    const std::vector<double> y = oracle(problem, x);
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += y[i] * problem.gradOutput[i];
    return sum;
  };
  const AdditiveTensors<float> gradients = backward(problem);
  for (size_t t = 0; t < x.size(); ++t) {
    for (size_t i = 0; i < x[t].size(); ++i) {
      constexpr double kStep = 1e-5;
      const double at = x[t][i];
      x[t][i] = at + kStep;
      const double above = loss();
      x[t][i] = at - kStep;
      const double below = loss();
      x[t][i] = at;
      // The same errors, times the few dozen terms of a gradient.
      ASSERT_NEAR(gradients[t][i], (above - below) / (2 * kStep), 1e-4) << "gradient " << t << ", element " << i;
    }
  }
}

TEST(AdditiveAttention, AgreesWithFloat64AroundTheVectorWidth) {
  for (int n = 1; n <= 9; ++n) {
    expectAgreement(Problem(2, 3, 5, 2, 3, 4, n));
    expectAgreement(Problem(2, 3, 5, n, 3, 4, 5));
    expectAgreement(Problem(2, 3, 5, 2, n, 4, 5));
    expectAgreement(Problem(2, 3, 5, 2, 3, n, 5));
    expectAgreement(Problem(1, 4, n, 2, 3, 4, 5));
    expectAgreement(Problem(1, n, 4, 2, 3, 4, 5));
  }
}

TEST(AdditiveAttention, NeverLetsPaddingThrough) {
  Problem problem(2, 4, 6, 3, 2, 5, 7);
  problem.valid = {0, 3, 2, 0, 4, 1, 0, 4};
  const std::vector<float> output = forward(problem);
  const AdditiveTensors<float> gradients = backward(problem);
  const auto poison = [](std::vector<float>& x, int width, std::initializer_list<int> rows) {
    for (const int row : rows) std::fill_n(x.begin() + row * width, width, kNaN);
  };
  poison(problem.inputs[0], 3, {0, 3, 6});
  poison(problem.gradOutput, 5, {0, 3, 6});
  poison(problem.inputs[1], 2, {3, 4, 5, 10, 11});
  poison(problem.inputs[2], 5, {3, 4, 5, 10, 11});
  EXPECT_EQ(forward(problem), output);
  EXPECT_EQ(backward(problem), gradients);
}

TEST(AdditiveAttention, AcceptsEmptyAxes) {
  for (int axis = 0; axis < 6; ++axis) {
    int n[] = {2, 3, 4, 5, 6, 7};
    n[axis] = 0;
    expectAgreement(Problem(n[0], n[1], n[2], n[3], n[4], n[5], 5));
  }
}

}  // namespace
}  // namespace wasm_attention
