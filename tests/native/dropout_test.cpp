#include "kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

/// The published inverse of lowbias32.
uint32_t unmix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x43021123u;
  x ^= x >> 15 ^ x >> 30;
  x *= 0x1d69e2a5u;
  x ^= x >> 16;
  return x;
}

TEST(Dropout, MixesNumbersOneToOne) {
  std::mt19937 generator(1);
  for (uint32_t i = 0; i < 100000; ++i) {
    const uint32_t x = i < 50000 ? i : static_cast<uint32_t>(generator());
    ASSERT_EQ(unmix32(mix32(x)), x);
  }
}

TEST(Dropout, MixesLanesLikeNumbers) {
  std::mt19937 generator(2);
  for (int i = 0; i < 10000; ++i) {
    u32x4 x;
    for (int lane = 0; lane < kLanes; ++lane) x[lane] = static_cast<uint32_t>(generator());
    const u32x4 mixed = mix32(x);
    for (int lane = 0; lane < kLanes; ++lane) ASSERT_EQ(mixed[lane], mix32(static_cast<uint32_t>(x[lane])));
  }
}

TEST(Dropout, DropsAtTheGivenRate) {
  for (const float probability : {0.01f, 0.1f, 0.5f, 0.9f}) {
    const uint32_t threshold = dropoutThreshold(probability);
    const int rows = 300, columns = 300;
    int dropped = 0;
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t key = dropoutRow(7, row);
      for (uint32_t j = 0; j < columns; ++j) dropped += dropoutBits(key, j) < threshold;
    }
    const double count = rows * columns;
    // Five standard deviations of a binomial distribution.
    EXPECT_NEAR(dropped, count * probability, 5 * std::sqrt(count * probability * (1 - probability)));
  }
}

TEST(Dropout, DropsNothingAtZeroAndNearlyAllNearOne) {
  EXPECT_EQ(dropoutThreshold(0), 0u);
  EXPECT_EQ(dropoutThreshold(0.5f), 0x80000000u);
  EXPECT_EQ(dropoutThreshold(std::nextafter(1.0f, 0.0f)), 0xffffff00u);
}

/// How often the draws of `count` pairs agree, in standard deviations from one half.
template <typename Pair>
double agreement(int count, Pair pair) {
  int agreed = 0;
  for (int i = 0; i < count; ++i) {
    const auto [a, b] = pair(static_cast<uint32_t>(i));
    agreed += (a >> 31) == (b >> 31);
  }
  return (agreed - count / 2.0) / std::sqrt(count / 4.0);
}

TEST(Dropout, DrawsNeighboursIndependently) {
  const auto bits = [](uint32_t seed, uint32_t row, uint32_t j) { return dropoutBits(dropoutRow(seed, row), j); };
  const int count = 40000;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    // Along a row, down a column, across seeds, transposed: within five standard deviations.
    EXPECT_LT(std::abs(agreement(count, [&](uint32_t i) { return std::pair(bits(seed, 3, i), bits(seed, 3, i + 1)); })),
              5);
    EXPECT_LT(std::abs(agreement(count, [&](uint32_t i) { return std::pair(bits(seed, i, 3), bits(seed, i + 1, 3)); })),
              5);
    EXPECT_LT(std::abs(agreement(count, [&](uint32_t i) { return std::pair(bits(seed, 3, i), bits(seed + 1, 3, i)); })),
              5);
    EXPECT_LT(std::abs(agreement(count, [&](uint32_t i) { return std::pair(bits(seed, 3, i), bits(seed, i, 3)); })), 5);
  }
}

}  // namespace
}  // namespace wasm_attention
