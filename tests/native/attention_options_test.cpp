// Every pair of sizes and options, in a few hundred calls.
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "attention_problem.h"
#include "expect_attention.h"
#include "pairwise.h"

namespace wasm_attention {
namespace {

// Sizes around the vector (4), the block (8) and the strip (32) of queries, and the block of keys (256).
constexpr int kQueries[] = {1, 3, 7, 8, 9, 31, 32, 33, 65};
constexpr int kKeys[] = {1, 4, 5, 255, 256, 257, 520};
constexpr int kWidths[] = {1, 3, 4, 17, 32, 64};
constexpr int kHeads[][2] = {{1, 1}, {2, 2}, {4, 2}, {3, 1}};
constexpr int kBatches[] = {1, 2};
constexpr int kWindowLeft[] = {-1, 0, 3, 300};
constexpr int kWindowRight[] = {-1, 0, 2};
constexpr int kClips[] = {-1, 0, 2, 9};
constexpr float kSoftcaps[] = {0, 1.5f};
constexpr float kDropouts[] = {0, 0.3f};

struct Case {
  AttentionSizes sizes;
  AttentionChoices choices;
};

/// Returns the levels of a row of `pairwise` one after the other, and records how many levels each factor has.
class Levels {
 public:
  explicit Levels(const std::vector<int>* row) : row_(row) {}
  int take(int count) {
    counts_.push_back(count);
    return row_ ? (*row_)[counts_.size() - 1] : 0;
  }
  template <typename T, size_t N>
  const T& of(const T (&levels)[N]) {
    return levels[take(N)];
  }
  template <typename Enum>
  Enum enumeration(int count) {
    return static_cast<Enum>(take(count));
  }
  bool flag() { return take(2) != 0; }
  const std::vector<int>& counts() const { return counts_; }

 private:
  const std::vector<int>* row_;
  std::vector<int> counts_;
};

Case caseOf(Levels& levels) {
  Case c;
  c.sizes.queries = levels.of(kQueries);
  c.sizes.keys = levels.of(kKeys);
  c.sizes.width = levels.of(kWidths);
  c.sizes.valueWidth = levels.of(kWidths);
  const auto& heads = levels.of(kHeads);
  c.sizes.heads = heads[0];
  c.sizes.kvHeads = heads[1];
  c.sizes.batch = levels.of(kBatches);
  c.choices.headsSideBySide = levels.flag();
  c.choices.validLens = levels.enumeration<ValidLens>(3);
  c.choices.windowLeft = levels.of(kWindowLeft);
  c.choices.windowRight = levels.of(kWindowRight);
  c.choices.offsets = levels.enumeration<Offsets>(3);
  c.choices.mask = levels.enumeration<Broadcast>(6);
  c.choices.bias = levels.enumeration<Broadcast>(6);
  c.choices.biasMasks = levels.flag();
  c.choices.relativeKeysClip = levels.of(kClips);
  c.choices.relativeValuesClip = levels.of(kClips);
  c.choices.relativePerHead = levels.flag();
  c.choices.alibi = levels.flag();
  c.choices.sinks = levels.flag();
  c.choices.packed = levels.flag();
  c.choices.softcap = levels.of(kSoftcaps);
  c.choices.dropout = levels.of(kDropouts);
  c.choices.weights = levels.flag();
  c.choices.logSumExp = levels.flag();
  c.choices.scoresStage = levels.enumeration<ScoresStage>(4);
  return c;
}

std::string describe(const Case& c) {
  const AttentionSizes& n = c.sizes;
  const AttentionChoices& o = c.choices;
  std::ostringstream text;
  text << "B " << n.batch << ", H " << n.heads << "/" << n.kvHeads << ", L " << n.queries << ", S " << n.keys << ", E "
       << n.width << ", Ev " << n.valueWidth << (o.headsSideBySide ? ", heads side by side" : "") << ", validLens "
       << static_cast<int>(o.validLens) << ", window " << o.windowLeft << " " << o.windowRight << ", offsets "
       << static_cast<int>(o.offsets) << ", mask " << static_cast<int>(o.mask) << ", bias " << static_cast<int>(o.bias)
       << (o.biasMasks ? " (masks)" : "") << ", relative " << o.relativeKeysClip << " " << o.relativeValuesClip
       << (o.relativePerHead ? " (per head)" : "") << (o.alibi ? ", alibi" : "") << (o.sinks ? ", sinks" : "")
       << (o.packed ? ", packed" : "") << ", softcap " << o.softcap << ", dropout " << o.dropout
       << (o.weights ? ", weights" : "") << (o.logSumExp ? ", logSumExp" : "") << ", scores "
       << static_cast<int>(o.scoresStage);
  return text.str();
}

class AttentionOptionsTest : public testing::TestWithParam<unsigned> {
 protected:
  template <typename Check>
  void forEachCase(Check check) {
    Levels none(nullptr);
    caseOf(none);
    unsigned seed = 1000 * GetParam();
    for (const std::vector<int>& row : pairwise(none.counts(), GetParam())) {
      Levels levels(&row);
      const Case c = caseOf(levels);
      SCOPED_TRACE(describe(c));
      AttentionProblem problem(c.sizes, c.choices, seed++);
      check(problem);
      if (HasFailure()) return;
    }
  }
};

TEST_P(AttentionOptionsTest, EveryPairOfOptionsAgreesWithFloat64) {
  forEachCase([](AttentionProblem& problem) {
    problem.run();
    expectAgreement(problem);
  });
}

TEST_P(AttentionOptionsTest, WhatNoQuerySeesChangesNoBitOfTheResult) {
  int poisoned = 0;
  forEachCase([&](AttentionProblem& problem) {
    problem.run();
    const std::vector<float> output = problem.output, weights = problem.weights, log_sum_exp = problem.logSumExp;
    const std::vector<float> scores = problem.scores;
    poisoned += problem.poison();
    problem.run();
    EXPECT_EQ(problem.output, output);
    EXPECT_EQ(problem.weights, weights);
    EXPECT_EQ(problem.logSumExp, log_sum_exp);
    if (problem.args().scoresStage == ScoresStage::kMasked) {
      EXPECT_EQ(problem.scores, scores);
    }
  });
  EXPECT_GT(poisoned, 1000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AttentionOptionsTest, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace wasm_attention
