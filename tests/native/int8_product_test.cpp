// Int8 products against plain loops.
#include "kernels/int8_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "random.h"

namespace wasm_attention {
namespace {

using Floats = std::vector<float>;

/// Integers and their scale.
struct Rounded {
  std::vector<int> q;
  float scale;
};

Rounded roundedOf(const float* x, int count, int steps) {
  float most = 0;
  for (int i = 0; i < count; ++i) most = std::max(most, std::fabs(x[i]));
  Rounded r{std::vector<int>(count), most / static_cast<float>(steps)};
  const float inverse = most == 0 ? 0 : static_cast<float>(steps) / most;
  for (int i = 0; i < count; ++i) r.q[i] = static_cast<int>(std::nearbyint(x[i] * inverse));
  return r;
}

Floats int8Packed(const Floats& weight, int depth, int cols, int at_once = 8) {
  Floats packed(int8Size(depth, cols));
  for (int first = 0; first < cols; first += at_once) {
    const int count = std::min(at_once, cols - first);
    const Floats part(weight.begin() + first * depth, weight.begin() + (first + count) * depth);
    packInt8Part(part.data(), depth, cols, first, count, packed.data());
  }
  return packed;
}

Floats product(const Floats& a, const Floats& packed, const Floats* bias, int rows, int cols, int depth) {
  Floats c(size_t(rows) * cols, NAN), scratch(int8Scratch(rows, depth), NAN);
  multiplyInt8(a.data(), depth, packed.data(), bias ? bias->data() : nullptr, c.data(), cols, rows, cols, depth,
               scratch.data());
  return c;
}

/// In the kernel's order of float operations: each block's sum times the block's scale, added up, times the row's
/// scale, plus the bias.
Floats expectedProduct(const Floats& a, const Floats& weight, const Floats* bias, int rows, int cols, int depth) {
  Floats c;
  for (int i = 0; i < rows; ++i) {
    const Rounded row = roundedOf(a.data() + size_t(i) * depth, depth, 127);
    for (int j = 0; j < cols; ++j) {
      float total = 0;
      for (int begin = 0; begin < depth; begin += kScaleBlock) {
        const int count = std::min(depth - begin, kScaleBlock);
        const Rounded w = roundedOf(weight.data() + size_t(j) * depth + begin, count, 63);
        int sum = 0;
        for (int k = 0; k < count; ++k) sum += row.q[begin + k] * w.q[k];
        total += static_cast<float>(sum) * w.scale;
      }
      total *= row.scale;
      c.push_back(bias ? (*bias)[j] + total : total);
    }
  }
  return c;
}

TEST(MultiplyInt8, HasTheBitsOfPlainLoops) {
  for (const int depth : {0, 1, 3, 4, 5, 64, 127, 128, 129, 172, 400}) {
    for (const int cols : {1, 4, 7, 8, 9, 16, 23}) {
      for (const int rows : {0, 1, 2, 3, 4, 5, 9, 33, 65, 131}) {
        for (const bool has_bias : {false, true}) {
          const Floats a = randomFloats(size_t(rows) * depth, 1 + rows, 3), bias = randomFloats(cols, 2);
          const Floats weight = randomFloats(size_t(cols) * depth, 3 + cols);
          const Floats packed = int8Packed(weight, depth, cols), *const b = has_bias ? &bias : nullptr;
          ASSERT_EQ(product(a, packed, b, rows, cols, depth), expectedProduct(a, weight, b, rows, cols, depth))
              << rows << "x" << depth << "x" << cols;
        }
      }
    }
  }
}

// All numbers have the largest magnitude, so the sums are as large as possible.
TEST(MultiplyInt8, DoesNotOverflowOnTheLargestSums) {
  const int depth = 4096;
  const Floats packed = int8Packed(Floats(depth, -2.0f), depth, 1);
  EXPECT_NEAR(product(Floats(depth, 3.0f), packed, nullptr, 1, 1, depth)[0], -6.0 * depth, 1e-6 * 6 * depth);
  EXPECT_NEAR(product(Floats(depth, -3.0f), packed, nullptr, 1, 1, depth)[0], 6.0 * depth, 1e-6 * 6 * depth);
}

TEST(MultiplyInt8, UnpacksColumns) {
  for (const int depth : {1, 5, 128, 173}) {
    for (const int cols : {1, 8, 19}) {
      const Floats weight = randomFloats(size_t(depth) * cols, 5);
      const Floats packed = int8Packed(weight, depth, cols);
      for (int j = 0; j < cols; ++j) {
        Floats column(depth, NAN);
        unpackInt8Column(packed.data(), depth, cols, j, column.data());
        for (int begin = 0; begin < depth; begin += kScaleBlock) {
          const int count = std::min(depth - begin, kScaleBlock);
          const Rounded w = roundedOf(weight.data() + j * depth + begin, count, 63);
          for (int k = 0; k < count; ++k) ASSERT_EQ(column[begin + k], static_cast<float>(w.q[k]) * w.scale);
        }
      }
    }
  }
}

TEST(MultiplyInt8, KeepsZerosAndGivesNaNForNaNAndInfinity) {
  const int depth = 140, cols = 9, rows = 6;
  Floats a = randomFloats(size_t(rows) * depth, 1), weight = randomFloats(size_t(cols) * depth, 2);
  std::fill(a.begin(), a.begin() + depth, 0.0f);
  std::fill(weight.begin() + depth, weight.begin() + 2 * depth, 0.0f);
  a[2 * depth + 1] = INFINITY;
  a[3 * depth + 139] = NAN;
  weight[5 * depth + 3] = -INFINITY;
  weight[6 * depth + 138] = NAN;
  const Floats c = product(a, int8Packed(weight, depth, cols), nullptr, rows, cols, depth);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      const float x = c[i * cols + j];
      if (i == 2 || i == 3 || j == 5 || j == 6) {
        EXPECT_TRUE(std::isnan(x)) << i << ", " << j;
      } else if (i == 0 || j == 1) {
        EXPECT_EQ(x, 0);
      } else {
        EXPECT_TRUE(std::isfinite(x) && x != 0);
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
