// Float16 against its definition, and products of float16 weights against float32's of the same numbers.
#include "simd/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "half_oracle.h"
#include "kernels/gemm.h"
#include "random.h"

namespace wasm_attention {
namespace {

using Floats = std::vector<float>;

TEST(Half, WidensEveryNumber) {
  for (int half = 0; half < 0x10000; ++half) {
    const float wide = widen(static_cast<Half>(half));
    if (std::isnan(defined(half))) {
      ASSERT_TRUE(std::isnan(wide)) << half;
    } else {
      ASSERT_EQ(wide, static_cast<float>(defined(half))) << half;
      ASSERT_EQ(std::signbit(wide), (half & 0x8000) != 0) << half;
      ASSERT_EQ(narrow(wide), half);
    }
    alignas(16) Half eight[8];
    for (int i = 0; i < 8; ++i) eight[i] = static_cast<Half>(half + i);
    const f32x4 low = grown(shrunkLow(loadHalves(eight))), high = grown(shrunkHigh(loadHalves(eight)));
    for (int i = 0; i < kLanes; ++i) {
      const float first = low[i], second = high[i];
      const float expected_first = widen(eight[2 * i]), expected_second = widen(eight[2 * i + 1]);
      ASSERT_EQ(std::memcmp(&first, &expected_first, 4), 0);
      ASSERT_EQ(std::memcmp(&second, &expected_second, 4), 0);
    }
  }
}

TEST(Half, RoundsToTheNearestEven) {
  const auto check = [](float x) { ASSERT_EQ(narrow(x), nearestHalf(x)) << x; };
  for (int half = 0; half < 0x7c00; ++half) {
    // A number, the midpoint to the next one, and their neighbours.
    const auto here = static_cast<float>(defined(half));
    const auto middle = static_cast<float>((defined(half) + (half == 0x7bff ? 65536 : defined(half + 1))) / 2);
    for (const float x : {here, middle}) {
      for (const float y : {std::nextafter(x, -INFINITY), x, std::nextafter(x, INFINITY)}) {
        check(y);
        check(-y);
      }
    }
  }
  for (const float x : randomFloats(20000, 1, 1e-4f)) check(x);
  for (const float x : {1e-45f, 1e-30f, 1e5f, 3e38f, INFINITY}) {
    check(x);
    check(-x);
  }
  EXPECT_TRUE(std::isnan(widen(narrow(NAN))));
}

Floats rounded(Floats x) {
  for (float& value : x) value = static_cast<float>(defined(nearestHalf(value)));
  return x;
}

TEST(GemmHalf, GivesTheBitsOfTheProductOfRoundedWeights) {
  for (const int depth : {0, 1, 3, 8, 33, 384, 400}) {
    for (const int cols : {1, 7, 8, 9, 16, 17, 40}) {
      for (const int rows : {1, 2, 5, 70}) {
        // The second case has subnormal weights, the third left operands that overflow when multiplied by 2^112.
        for (const auto& [size, large] : {std::pair{1.0f, 1.0f}, {1e-5f, 1.0f}, {1.0f, 1e20f}}) {
          const Floats a = randomFloats(size_t(rows) * depth, 1, large), bias = randomFloats(cols, 3);
          const Floats weight = rounded(randomFloats(size_t(cols) * depth, 2, size));
          Floats packed(packedSize(depth, cols), NAN), halves(halfSize(depth, cols));
          packTransposed(weight.data(), depth, cols, packed.data());
          for (int first = 0; first < cols; first += 5) {
            const Floats part(weight.begin() + first * depth, weight.begin() + std::min(first + 5, cols) * depth);
            packHalfPart(part.data(), depth, cols, first, std::min(cols - first, 5), halves.data());
          }
          Floats c(size_t(rows) * cols, NAN), expected = c;
          gemm(a.data(), depth, packed.data(), bias.data(), expected.data(), cols, rows, cols, depth);
          gemmHalf(a.data(), depth, halves.data(), bias.data(), c.data(), cols, rows, cols, depth);
          ASSERT_EQ(c, expected) << rows << "x" << depth << "x" << cols;
          Floats column(depth);
          for (int j = 0; j < cols; ++j) {
            unpackHalfColumn(halves.data(), depth, cols, j, column.data());
            ASSERT_EQ(column, Floats(weight.begin() + j * depth, weight.begin() + (j + 1) * depth));
          }
        }
      }
    }
  }
}

TEST(GemmHalf, KeepsInfinities) {
  const Floats a{1, 2, 3}, weight{1, INFINITY, 0, 1, -1e6f, 0, 1, 2, NAN, 4, 5, 6};
  for (const int rows : {1, 4}) {
    Floats left;
    for (int r = 0; r < rows; ++r) left.insert(left.end(), a.begin(), a.end());
    Floats halves(halfSize(3, 4)), c(4 * rows, NAN);
    packHalfPart(weight.data(), 3, 4, 0, 4, halves.data());
    gemmHalf(left.data(), 3, halves.data(), nullptr, c.data(), 4, rows, 4, 3);
    for (int r = 0; r < rows; ++r) {
      EXPECT_EQ(c[4 * r], INFINITY);
      EXPECT_EQ(c[4 * r + 1], -INFINITY);
      EXPECT_TRUE(std::isnan(c[4 * r + 2]));
      EXPECT_EQ(c[4 * r + 3], 4 + 10 + 18);
    }
  }
}

}  // namespace
}  // namespace wasm_attention
