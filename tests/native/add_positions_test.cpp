#include <gtest/gtest.h>

#include <vector>

#include "attention.h"
#include "random.h"

namespace wasm_attention {
namespace {

TEST(AddPositions, AddsTheTableToEverySequence) {
  const int batch = 3, rows = 4, dim = 5;
  const std::vector<float> x = randomFloats(batch * rows * dim, 1), table = randomFloats(rows * dim, 2);
  std::vector<float> out(x.size());
  addPositions(x.data(), table.data(), out.data(), batch, rows, dim, 9, 0);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i], x[i] + table[i % table.size()]);
}

TEST(AddPositions, WithoutTableAndDropoutCopies) {
  const std::vector<float> x = randomFloats(24, 1);
  std::vector<float> out(x.size());
  addPositions(x.data(), nullptr, out.data(), 2, 4, 3, 0, 0);
  EXPECT_EQ(out, x);
}

TEST(AddPositions, DropsTheGivenShareAndScalesTheRest) {
  const int rows = 400, dim = 250;
  const float dropout = 0.25f;
  std::vector<float> out(rows * dim, 3.0f), again = out, other = out;
  addPositions(out.data(), nullptr, out.data(), 1, rows, dim, 5, dropout);
  int dropped = 0;
  for (const float value : out) {
    if (value == 0)
      ++dropped;
    else
      EXPECT_EQ(value, 4.0f);
  }
  // Five standard deviations of a binomial of 1e5 draws.
  EXPECT_NEAR(dropped, 25000, 5 * 137);
  addPositions(again.data(), nullptr, again.data(), 1, rows, dim, 5, dropout);
  EXPECT_EQ(again, out);
  addPositions(other.data(), nullptr, other.data(), 1, rows, dim, 6, dropout);
  EXPECT_NE(other, out);
}

TEST(AddPositions, DropsIndependentlyInEverySequenceAndRow) {
  const int batch = 2, rows = 2, dim = 64;
  std::vector<float> out(batch * rows * dim, 1.0f);
  addPositions(out.data(), nullptr, out.data(), batch, rows, dim, 1, 0.5f);
  for (int a = 0; a < batch * rows; ++a) {
    for (int b = a + 1; b < batch * rows; ++b) {
      const std::vector<float> first(&out[a * dim], &out[a * dim] + dim), second(&out[b * dim], &out[b * dim] + dim);
      EXPECT_NE(first, second);
    }
  }
}

TEST(AddPositionsBackward, PassesWhatWasPassedAndAddsUpTheTable) {
  const int batch = 3, rows = 4, dim = 7;
  const std::vector<float> gradient = randomFloats(batch * rows * dim, 1), before = randomFloats(rows * dim, 2);
  for (const float dropout : {0.0f, 0.4f}) {
    std::vector<float> passed(gradient.size()), expected(gradient.size()), table = before;
    addPositions(gradient.data(), nullptr, expected.data(), batch, rows, dim, 9, dropout);
    addPositionsBackward(gradient.data(), passed.data(), table.data(), batch, rows, dim, 9, dropout);
    EXPECT_EQ(passed, expected);
    for (int i = 0; i < rows * dim; ++i) {
      float sum = before[i];
      for (int b = 0; b < batch; ++b) sum += expected[b * rows * dim + i];
      EXPECT_EQ(table[i], sum) << i;
    }
    std::vector<float> alone(gradient.size());
    addPositionsBackward(gradient.data(), alone.data(), nullptr, batch, rows, dim, 9, dropout);
    EXPECT_EQ(alone, passed);
  }
}

}  // namespace
}  // namespace wasm_attention
