// Int8 products against plain loops.
#include "kernels/int8_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "attention.h"
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

template <typename Form>
Floats int8Packed(const Floats& weight, int depth, int cols, int at_once = 8) {
  Floats packed(int8Size<Form>(depth, cols)), sorted(depth);
  const auto each = [&](auto use) {
    for (int first = 0; first < cols; first += at_once) {
      const int count = std::min(at_once, cols - first);
      use(Floats(weight.begin() + first * depth, weight.begin() + (first + count) * depth).data(), first, count);
    }
  };
  each([&](const float* part, int, int count) { weighInt8Columns(part, depth, count, packed.data()); });
  scaleInt8Columns(packed.data(), depth, sorted.data());
  each([&](const float* part, int first, int count) {
    packInt8Part<Form>(part, depth, cols, first, count, packed.data());
  });
  return packed;
}

template <typename Form>
Floats product(const Floats& a, const Floats& packed, const Floats* bias, int rows, int cols, int depth) {
  Floats c(size_t(rows) * cols, NAN), scratch(int8Scratch<Form>(rows, depth), NAN);
  multiplyInt8<Form>(a.data(), depth, packed.data(), bias ? bias->data() : nullptr, c.data(), cols, rows, cols, depth,
                     scratch.data());
  return c;
}

/// A power of two for each input: 1 where its mean share of a row of the weight is within 8 times the median's. The
/// largest is made 1.
Floats expectedFactors(const Floats& weight, int depth, int cols) {
  std::vector<double> shares(depth);
  for (int j = 0; j < cols; ++j) {
    double sum = 0;
    for (int k = 0; k < depth; ++k) sum += std::fabs(weight[size_t(j) * depth + k]);
    for (int k = 0; k < depth; ++k) shares[k] += std::fabs(weight[size_t(j) * depth + k]) / sum;
  }
  std::vector<double> sorted = shares;
  std::sort(sorted.begin(), sorted.end());
  Floats factors;
  for (const double share : shares) {
    const double times = share / sorted[depth / 2];
    const bool is_usual = share == 0 || (times >= 0.125 && times <= 8);
    factors.push_back(is_usual ? 1 : static_cast<float>(std::exp2(std::floor(std::log2(times)))));
  }
  const float largest = depth > 0 ? *std::max_element(factors.begin(), factors.end()) : 1;
  for (float& factor : factors) factor /= largest;
  return factors;
}

/// The positions of the numbers above 8 times the mean: at most the 16 largest.
std::vector<int> expectedLarge(const Floats& row) {
  double sum = 0;
  for (const float x : row) sum += std::fabs(x);
  std::vector<int> large;
  for (size_t k = 0; k < row.size(); ++k) {
    if (std::fabs(row[k]) * row.size() > 8 * sum) large.push_back(k);
  }
  std::stable_sort(large.begin(), large.end(), [&](int i, int j) { return std::fabs(row[i]) > std::fabs(row[j]); });
  large.resize(std::min<size_t>(large.size(), 16));
  std::sort(large.begin(), large.end());
  return large;
}

/// In the kernel's order of float operations: each block's sum times the scales of the weight and the input, added up;
/// then the products of large numbers; then the bias.
template <typename Form>
Floats expectedProduct(const Floats& a, const Floats& weight, const Floats* bias, int rows, int cols, int depth) {
  const Floats factors = expectedFactors(weight, depth, cols);
  Floats c;
  for (int i = 0; i < rows; ++i) {
    Floats row(depth);
    for (int k = 0; k < depth; ++k) row[k] = a[size_t(i) * depth + k] * factors[k];
    const std::vector<int> large = expectedLarge(row);
    Floats rest = row;
    for (const int k : large) rest[k] = 0;
    for (int j = 0; j < cols; ++j) {
      Floats column(depth);
      for (int k = 0; k < depth; ++k) column[k] = weight[size_t(j) * depth + k] / factors[k];
      float total = 0;
      std::vector<float> rounded;
      for (int begin = 0; begin < depth; begin += kScaleBlock) {
        const int count = std::min(depth - begin, kScaleBlock);
        const Rounded x = roundedOf(rest.data() + begin, count, Form::kMostInput);
        const Rounded w = roundedOf(column.data() + begin, count, Form::kMostWeight);
        int sum = 0;
        for (int k = 0; k < count; ++k) sum += x.q[k] * w.q[k];
        total += static_cast<float>(sum) * w.scale * x.scale;
        for (const int q : w.q) rounded.push_back(static_cast<float>(q) * w.scale);
      }
      for (const int k : large) total += rounded[k] * row[k];
      c.push_back(bias ? (*bias)[j] + total : total);
    }
  }
  return c;
}

/// Every `apart`-th number of each row, from a different one on, times `times`.
void enlarge(Floats& x, int width, int apart, float times) {
  for (size_t i = 0; i < x.size(); ++i) {
    if ((i % width + i / width) % apart == 0) x[i] *= times;
  }
}

template <typename Form>
class MultiplyInt8 : public testing::Test {};
using Forms = testing::Types<Int8, Int8Fine>;
TYPED_TEST_SUITE(MultiplyInt8, Forms);

// Every two of the three extents meet every spacing of large numbers.
TYPED_TEST(MultiplyInt8, HasTheBitsOfPlainLoops) {
  int form = 0;
  for (const int depth : {0, 1, 3, 4, 5, 64, 127, 128, 129, 172, 400}) {
    for (const int cols : {1, 4, 7, 8, 9, 16, 23}) {
      for (const int rows : {0, 1, 2, 3, 4, 5, 9, 33, 65, 131}) {
        const int apart = std::array{1000, 60, 21}[form++ % 3];
        Floats a = randomFloats(size_t(rows) * depth, 1 + rows, 3);
        Floats weight = randomFloats(size_t(cols) * depth, 3 + cols);
        const Floats bias = randomFloats(cols, 2);
        enlarge(a, depth, apart, 300);
        for (int k = 0; k < depth * cols; ++k) weight[k] *= k % depth % 50 == 7 ? 1e-3f : k % depth % 90 == 9 ? 700 : 1;
        const Floats packed = int8Packed<TypeParam>(weight, depth, cols), *const b = apart == 60 ? nullptr : &bias;
        ASSERT_EQ(product<TypeParam>(a, packed, b, rows, cols, depth),
                  expectedProduct<TypeParam>(a, weight, b, rows, cols, depth))
            << rows << "x" << depth << "x" << cols << ", " << apart;
      }
    }
  }
}

// The fuzzed rows of 400 numbers have up to 20 large ones, of which 16 are multiplied as floats.
TYPED_TEST(MultiplyInt8, KeepsTheFirstOfEqualLargeNumbers) {
  const int depth = 400;
  Floats a(depth, 1), weight = randomFloats(depth, 4);
  enlarge(a, depth, 21, 1000);
  ASSERT_EQ(product<TypeParam>(a, int8Packed<TypeParam>(weight, depth, 1), nullptr, 1, 1, depth),
            expectedProduct<TypeParam>(a, weight, nullptr, 1, 1, depth));
}

// What one number is rounded to does not depend on how large another one is.
TYPED_TEST(MultiplyInt8, KeepsSmallNumbersBesideALargeOne) {
  const int depth = 256;
  Floats a(depth, 1), weight(depth, 1);
  a[0] = 1e6f;
  weight[0] = 0;
  EXPECT_NEAR(product<TypeParam>(a, int8Packed<TypeParam>(weight, depth, 1), nullptr, 1, 1, depth)[0], depth - 1,
              1e-5 * depth);
}

// All numbers have the largest magnitude, so the sums are as large as possible.
TYPED_TEST(MultiplyInt8, DoesNotOverflowOnTheLargestSums) {
  const int depth = 4096;
  const Floats packed = int8Packed<TypeParam>(Floats(depth, -2.0f), depth, 1);
  EXPECT_NEAR(product<TypeParam>(Floats(depth, 3.0f), packed, nullptr, 1, 1, depth)[0], -6.0 * depth, 1e-6 * 6 * depth);
  EXPECT_NEAR(product<TypeParam>(Floats(depth, -3.0f), packed, nullptr, 1, 1, depth)[0], 6.0 * depth, 1e-6 * 6 * depth);
}

TYPED_TEST(MultiplyInt8, UnpacksColumns) {
  for (const int depth : {1, 5, 128, 173}) {
    for (const int cols : {1, 8, 19}) {
      Floats weight = randomFloats(size_t(depth) * cols, 5);
      for (int j = 0; j < cols && depth > 100; ++j) weight[j * depth + 40] *= 1e-3f;
      const Floats packed = int8Packed<TypeParam>(weight, depth, cols), factors = expectedFactors(weight, depth, cols);
      for (int j = 0; j < cols; ++j) {
        Floats column(depth, NAN), scaled(weight.begin() + j * depth, weight.begin() + (j + 1) * depth);
        for (int k = 0; k < depth; ++k) scaled[k] /= factors[k];
        unpackInt8Column<TypeParam>(packed.data(), depth, cols, j, column.data());
        for (int begin = 0; begin < depth; begin += kScaleBlock) {
          const int count = std::min(depth - begin, kScaleBlock);
          const Rounded w = roundedOf(scaled.data() + begin, count, TypeParam::kMostWeight);
          for (int k = 0; k < count; ++k) {
            ASSERT_EQ(column[begin + k], static_cast<float>(w.q[k]) * w.scale * factors[begin + k]);
          }
        }
      }
    }
  }
}

TYPED_TEST(MultiplyInt8, KeepsZerosAndGivesNaNForNaNAndInfinity) {
  const int depth = 140, cols = 9, rows = 6;
  Floats a = randomFloats(size_t(rows) * depth, 1), weight = randomFloats(size_t(cols) * depth, 2);
  std::fill(a.begin(), a.begin() + depth, 0.0f);
  std::fill(weight.begin() + depth, weight.begin() + 2 * depth, 0.0f);
  a[2 * depth + 1] = INFINITY;
  a[3 * depth + 139] = NAN;
  weight[5 * depth + 3] = -INFINITY;
  weight[6 * depth + 138] = NAN;
  const Floats c = product<TypeParam>(a, int8Packed<TypeParam>(weight, depth, cols), nullptr, rows, cols, depth);
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
