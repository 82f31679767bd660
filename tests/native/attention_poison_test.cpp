// NaN and infinity affect only the results that depend on them by the formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention_problem.h"

namespace wasm_attention {
namespace {

/// `queries` by `keys` of width 6; causal or not.
AttentionProblem problemOf(int queries, int keys, bool causal) {
  AttentionChoices choices;
  choices.weights = choices.logSumExp = true;
  choices.windowRight = causal ? 0 : -1;
  return AttentionProblem({1, 1, 1, queries, keys, 6, 6}, choices, queries);
}

TEST(AttentionPoison, InAValueReachesOnlyTheQueriesThatSeeIt) {
  const int poisoned = 5;
  for (int queries : {7, 40}) {
    for (const float poison : {NAN, INFINITY}) {
      AttentionProblem problem = problemOf(queries, 40, true);
      problem.run();
      const std::vector<float> clean = problem.output;
      for (int e = 0; e < 6; ++e) problem.value[poisoned * 6 + e] = poison;
      problem.run();
      for (int i = 0; i < queries; ++i) {
        for (int e = 0; e < 6; ++e) {
          const float got = problem.outputAt(0, 0, i, e);
          if (i < poisoned) {
            EXPECT_EQ(got, clean[i * 6 + e]) << i;
          } else {
            EXPECT_FALSE(std::isfinite(got)) << i;
          }
        }
      }
    }
  }
}

TEST(AttentionPoison, InAKeyReachesExactlyTheQueriesThatSeeIt) {
  for (int queries : {7, 40}) {
    AttentionProblem problem = problemOf(queries, 300, true);
    problem.key[3 * 6] = NAN;
    problem.run();
    for (int i = 0; i < queries; ++i) {
      EXPECT_EQ(std::isnan(problem.outputAt(0, 0, i, 2)), i >= 3) << i;
      EXPECT_EQ(std::isnan(problem.logSumExp[i]), i >= 3) << i;
    }
  }
}

TEST(AttentionPoison, InAQueryStaysInItsRow) {
  for (int queries : {7, 40}) {
    AttentionProblem problem = problemOf(queries, 20, false);
    problem.query[4 * 6 + 1] = NAN;
    problem.run();
    for (int i = 0; i < queries; ++i) {
      for (int e = 0; e < 6; ++e) EXPECT_EQ(std::isnan(problem.outputAt(0, 0, i, e)), i == 4) << i;
    }
  }
}

TEST(AttentionPoison, InTableRowsOfHiddenDistancesChangesNoBit) {
  const int clip = 2, width = 6;
  for (int queries : {7, 40}) {
    AttentionChoices choices;
    choices.weights = choices.logSumExp = true;
    choices.windowRight = 0;
    choices.relativeKeysClip = choices.relativeValuesClip = clip;
    AttentionProblem problem({1, 2, 1, queries, 40, width, width}, choices, queries);
    problem.run();
    const std::vector<float> output = problem.output, weights = problem.weights, log_sum_exp = problem.logSumExp;
    // In causal attention only hidden keys have distances above 0.
    for (auto* table : {&problem.relativeKeys, &problem.relativeValues}) {
      std::fill(table->begin() + (clip + 1) * width, table->end(), NAN);
    }
    problem.run();
    EXPECT_EQ(problem.output, output);
    EXPECT_EQ(problem.weights, weights);
    EXPECT_EQ(problem.logSumExp, log_sum_exp);
  }
}

}  // namespace
}  // namespace wasm_attention
