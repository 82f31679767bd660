#include "attention/attend_one.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "expect_attention.h"

namespace wasm_attention {
namespace {

const int kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65};

void check(const AttentionSizes& sizes, const AttentionChoices& choices, unsigned seed) {
  AttentionProblem problem(sizes, choices, seed);
  ASSERT_TRUE(isOneQuery(problem.args()));
  problem.poison();
  std::fill(problem.output.begin(), problem.output.end(), NAN);
  std::fill(problem.weights.begin(), problem.weights.end(), NAN);
  std::vector<float> scratch(attendOneScratch(problem.args()), NAN);
  attendOne(problem.args(), scratch.data());
  expectAgreement(problem);
}

TEST(AttendOne, AgreesWithFloat64AtEverySize) {
  unsigned seed = 1;
  for (const int keys : kSizes) {
    for (const int width : kSizes) {
      for (const int value_width : {1, width, 33}) {
        AttentionSizes sizes{};
        sizes.keys = keys;
        sizes.width = width;
        sizes.valueWidth = value_width;
        AttentionChoices choices;
        choices.weights = seed % 2 == 0;
        SCOPED_TRACE(testing::Message() << keys << " keys of " << width << ", values of " << value_width);
        check(sizes, choices, seed++);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(AttendOne, SharesKeysBetweenGroupsOfHeadsInEitherLayout) {
  unsigned seed = 1;
  for (const int keys : kSizes) {
    for (const int kv_heads : {1, 2, 4}) {
      for (const bool side_by_side : {false, true}) {
        AttentionChoices choices;
        choices.headsInterleaved = side_by_side;
        choices.weights = side_by_side;
        SCOPED_TRACE(testing::Message() << keys << " keys of " << kv_heads << " heads");
        check({2, 4, kv_heads, 1, keys, 8, 16}, choices, seed++);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(AttendOne, AppliesWindowsAtEachSequencesOffset) {
  unsigned seed = 1;
  for (const int keys : kSizes) {
    for (const int left : {-1, 0, 3, 70}) {
      for (const int right : {-1, 0, 2}) {
        for (const Offsets offsets : {Offsets::kNone, Offsets::kForward, Offsets::kBackward}) {
          AttentionChoices choices;
          choices.windowLeft = left;
          choices.windowRight = right;
          choices.offsets = offsets;
          choices.weights = true;
          SCOPED_TRACE(testing::Message() << keys << " keys, window " << left << ", " << right);
          check({3, 2, 1, 1, keys, 5, 7}, choices, seed++);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(AttendOne, HidesMaskedKeys) {
  unsigned seed = 1;
  for (const int keys : kSizes) {
    for (const Broadcast mask :
         {Broadcast::kFull, Broadcast::kKeys, Broadcast::kQueries, Broadcast::kColumn, Broadcast::kShort}) {
      for (const int left : {-1, 3}) {
        AttentionChoices choices;
        choices.mask = mask;
        choices.windowLeft = left;
        choices.weights = seed % 2 == 0;
        SCOPED_TRACE(testing::Message() << keys << " keys, window " << left);
        check({3, 2, 1, 1, keys, 5, 33}, choices, seed++);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(AttendOne, IsNotUsedForSeveralQueriesOrScores) {
  AttentionArgs args = AttentionProblem({1, 1, 1, 1, 4, 4, 4}, {}, 1).args();
  EXPECT_TRUE(isOneQuery(args));
  args.queries = 2;
  EXPECT_FALSE(isOneQuery(args));
  AttentionChoices scored;
  scored.scoresStage = ScoresStage::kMasked;
  EXPECT_FALSE(isOneQuery(AttentionProblem({1, 1, 1, 1, 4, 4, 4}, scored, 1).args()));
}

}  // namespace
}  // namespace wasm_attention
