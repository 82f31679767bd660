#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attention_draw.h"
#include "expect_attention.h"

namespace wasm_attention {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kFarthest = 1 << 30;  // the maximum of offsets and windows

AttentionChoices allResults() {
  AttentionChoices choices;
  choices.weights = true;
  choices.logSumExp = true;
  choices.scoresStage = ScoresStage::kMasked;
  return choices;
}

AttentionSizes sizes(int queries, int keys, int width, int value_width) {
  return {1, 1, 1, queries, keys, width, value_width};
}

void expectZeros(const std::vector<float>& values) {
  for (const float x : values) ASSERT_EQ(x, 0);
}

PROPERTY(Attention, AgreesWithFloat64ForAllOptions) {
  const AttentionSizes sizes = drawSizes(draw);
  AttentionChoices choices = drawChoices(draw);
  if (draw.integer(0, 5) == 0) choices.bias = Broadcast::kTransposed;
  AttentionProblem problem(sizes, choices, static_cast<unsigned>(draw.integer(0, 65535)));
  problem.run();
  expectAgreement(problem);
  // Keys and values that no query sees change no bit.
  const std::vector<float> output = problem.output, weights = problem.weights, log_sum_exp = problem.logSumExp;
  const std::vector<float> scores = problem.scores;
  problem.poison();
  problem.run();
  EXPECT_EQ(problem.output, output);
  EXPECT_EQ(problem.weights, weights);
  EXPECT_EQ(problem.logSumExp, log_sum_exp);
  if (choices.scoresStage == ScoresStage::kMasked) {
    EXPECT_EQ(problem.scores, scores);
  }
}

TEST(Attention, GivesTheSameBitsForBothLayoutsOfHeads) {
  for (int queries : {3, 33}) {
    AttentionChoices choices = allResults();
    const AttentionSizes sizes{2, 4, 2, queries, 37, 5, 9};
    AttentionProblem heads_first(sizes, choices, 1);
    choices.headsInterleaved = true;
    AttentionProblem tokens_first(sizes, choices, 1);
    const auto rearrange = [&](const std::vector<float>& from, std::vector<float>& to, int heads, int rows, int width) {
      for (int b = 0; b < sizes.batch; ++b) {
        for (int h = 0; h < heads; ++h) {
          for (int i = 0; i < rows; ++i) {
            for (int e = 0; e < width; ++e) {
              to[((b * rows + i) * heads + h) * width + e] = from[((b * heads + h) * rows + i) * width + e];
            }
          }
        }
      }
    };
    rearrange(heads_first.query, tokens_first.query, sizes.heads, queries, sizes.width);
    rearrange(heads_first.key, tokens_first.key, sizes.kvHeads, sizes.keys, sizes.width);
    rearrange(heads_first.value, tokens_first.value, sizes.kvHeads, sizes.keys, sizes.valueWidth);
    heads_first.run();
    tokens_first.run();
    std::vector<float> expected(heads_first.output.size());
    rearrange(heads_first.output, expected, sizes.heads, queries, sizes.valueWidth);
    EXPECT_EQ(tokens_first.output, expected);
    EXPECT_EQ(tokens_first.weights, heads_first.weights);
    EXPECT_EQ(tokens_first.logSumExp, heads_first.logSumExp);
  }
}

TEST(Attention, GivesZerosAndMinusInfinityForAQueryThatSeesNothing) {
  for (int queries : {3, 40}) {
    AttentionChoices choices = allResults();
    choices.validLens = ValidLens::kPerBatch;
    AttentionProblem problem({2, 2, 1, queries, 300, 4, 5}, choices, 1);
    problem.validLens = {0, 0};
    problem.poison();
    problem.run();
    expectZeros(problem.output);
    expectZeros(problem.weights);
    for (const float x : problem.scores) ASSERT_EQ(x, -kInfinity);
    for (const float x : problem.logSumExp) ASSERT_EQ(x, -kInfinity);
  }
}

TEST(Attention, GivesZerosWithoutKeys) {
  for (int queries : {3, 40}) {
    AttentionProblem problem(sizes(queries, 0, 4, 5), allResults(), 1);
    problem.run();
    expectZeros(problem.output);
    for (const float x : problem.logSumExp) ASSERT_EQ(x, -kInfinity);
  }
}

TEST(Attention, AcceptsEmptyAxes) {
  for (const AttentionSizes& empty : {AttentionSizes{0, 2, 1, 9, 5, 4, 4}, AttentionSizes{2, 0, 1, 9, 5, 4, 4},
                                      AttentionSizes{2, 2, 1, 0, 5, 4, 4}, AttentionSizes{2, 2, 1, 9, 5, 4, 0}}) {
    AttentionProblem problem(empty, allResults(), 1);
    problem.run();
    EXPECT_TRUE(problem.output.empty());
    expectAgreement(problem);
  }
}

TEST(Attention, AveragesTheValuesIfTheWidthIsZero) {
  for (int queries : {3, 40}) {
    AttentionProblem problem(sizes(queries, 300, 0, 7), allResults(), 1);
    problem.run();
    expectAgreement(problem);
    for (const float weight : problem.weights) ASSERT_EQ(weight, 1 / 300.0f);
  }
}

TEST(Attention, StaysFiniteForHugeScores) {
  for (int queries : {3, 40}) {
    AttentionProblem problem(sizes(queries, 600, 4, 4), allResults(), 1);
    for (auto* buffer : {&problem.query, &problem.key}) {
      for (float& x : *buffer) x *= 1e15f;
    }
    problem.run();
    for (int i = 0; i < queries; ++i) {
      // Scores are so far apart that one key has all the weight.
      int ones = 0;
      for (int j = 0; j < 600; ++j) {
        const float weight = problem.weights[i * 600 + j];
        EXPECT_TRUE(weight == 0 || weight == 1) << weight;
        if (weight != 1) continue;
        ++ones;
        for (int e = 0; e < 4; ++e) EXPECT_EQ(problem.outputAt(0, 0, i, e), problem.value[j * 4 + e]);
      }
      EXPECT_EQ(ones, 1);
      EXPECT_TRUE(std::isfinite(problem.logSumExp[i]));
    }
  }
}

TEST(Attention, AcceptsTheLargestOffsetsAndWindows) {
  for (int queries : {3, 40}) {
    for (int offset : {-kFarthest, -1, 0, 1, kFarthest}) {
      for (int left : {-1, 0, kFarthest}) {
        for (int right : {-1, 0, kFarthest}) {
          SCOPED_TRACE(testing::Message() << "offset " << offset << ", window " << left << " " << right);
          AttentionChoices choices = allResults();
          choices.offsets = Offsets::kForward;
          choices.windowLeft = left;
          choices.windowRight = right;
          choices.relativeKeysClip = choices.relativeValuesClip = 2;
          AttentionProblem problem(sizes(queries, 50, 3, 3), choices, 1);
          problem.offsets = {offset};
          problem.run();
          expectAgreement(problem);
        }
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
