#include <gtest/gtest.h>

#include <vector>

#include "attention.h"
#include "kernels/dropout.h"
#include "property.h"
#include "random.h"

namespace wasm_attention {
namespace {

TEST(AddPositions, DropsAtTheGivenRateAndScalesTheRest) {
  const int rows = 400, dim = 250;
  const float dropout = 0.25f;
  std::vector<float> out(rows * dim, 3.0f), again = out, other = out;
  addPositions(out.data(), nullptr, out.data(), 0, rows, rows, dim, 5, dropout);
  int dropped = 0;
  for (const float value : out) {
    if (value == 0)
      ++dropped;
    else
      EXPECT_EQ(value, 4.0f);
  }
  // Five standard deviations of a binomial distribution with 1e5 draws.
  EXPECT_NEAR(dropped, 25000, 5 * 137);
  addPositions(again.data(), nullptr, again.data(), 0, rows, rows, dim, 5, dropout);
  EXPECT_EQ(again, out);
  addPositions(other.data(), nullptr, other.data(), 0, rows, rows, dim, 6, dropout);
  EXPECT_NE(other, out);
}

TEST(AddPositions, DropsIndependentlyInEachSequenceAndRow) {
  const int batch = 2, rows = 2, dim = 64;
  std::vector<float> out(batch * rows * dim, 1.0f);
  addPositions(out.data(), nullptr, out.data(), 0, batch * rows, rows, dim, 1, 0.5f);
  for (int a = 0; a < batch * rows; ++a) {
    for (int b = a + 1; b < batch * rows; ++b) {
      const std::vector<float> first(&out[a * dim], &out[a * dim] + dim), second(&out[b * dim], &out[b * dim] + dim);
      EXPECT_NE(first, second);
    }
  }
}

// In place and out of place, with the gradients.
PROPERTY(AddPositions, AgreesWithFloat64) {
  const int batch = draw.integer(0, 5), rows = draw.integer(1, 20), dim = draw.integer(1, 40);
  const bool has_table = draw.flag(), in_place = draw.flag();
  const uint32_t seed = draw.integer(0, 65535);
  const float dropout = draw.flag() ? draw.integer(0, 99) / 100.0f : 0;
  const std::vector<float> x = draw.floats(size_t(batch) * rows * dim), table = draw.floats(size_t(rows) * dim);
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN), grad_x = out;
  // In two calls, as the library computes large inputs in pieces.
  const int parts[] = {0, draw.integer(0, batch * rows), batch * rows};
  for (int part = 0; part < 2; ++part) {
    const int first = parts[part];
    addPositions((in_place ? out : x).data() + size_t(first) * dim, has_table ? table.data() : nullptr,
                 out.data() + size_t(first) * dim, first, parts[part + 1] - first, rows, dim, seed, dropout);
  }
  std::vector<float> grad_table = draw.floats(table.size());
  std::vector<Sum> sums(table.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i].add(grad_table[i]);
  addPositionsBackward(in_place ? grad_x.data() : x.data(), grad_x.data(), has_table ? grad_table.data() : nullptr,
                       batch, rows, dim, seed, dropout);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool dropped = dropoutBits(dropoutRow(seed, i / dim), i % dim) < dropoutThreshold(dropout);
    const double factor = dropped ? 0 : 1 / (1 - double{dropout});
    const double added = has_table ? double{x[i]} + table[i % table.size()] : x[i];
    // 1 - dropout, its inverse, the sum and the product are each rounded.
    expectNear(out[i], factor * added, 4 * kHalfUlp * std::abs(factor * added), "positions", i);
    expectNear(grad_x[i], factor * x[i], 4 * kHalfUlp * std::abs(factor * x[i]), "x's gradient", i);
    if (has_table) sums[i % table.size()].add(grad_x[i]);
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    expectNear(grad_table[i], sums[i].value, has_table ? sums[i].tolerance() : 0, "the table's gradient", i);
  }
}

}  // namespace
}  // namespace wasm_attention
