#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/multiply_rows.h"
#include "kernels/tile.h"
#include "property.h"
#include "random.h"

namespace wasm_attention {
namespace {

static_assert(kTileRows == 4 && kTileCols == 8 && kRowBlock == 16,
              "the sizes below are around these and their multiples");

const int kRows[] = {1, 2, 3, 4, 5, 15, 16, 17, 33};
const int kCols[] = {1, 7, 8, 9, 31, 32, 33, 65};
const int kDepths[] = {0, 1, 2, 31, 255, 256, 257, kDepthBlock - 1, kDepthBlock, kDepthBlock + 1, 2 * kDepthBlock + 1};

TEST(Gemm, AgreesWithFloat64AtEverySize) {
  for (int rows : kRows) {
    for (int cols : kCols) {
      for (int depth : kDepths) {
        const std::vector<float> a = randomFloats(rows * depth, 1);
        const std::vector<float> b = randomFloats(depth * cols, 2);
        const std::vector<float> bias = randomFloats(cols, 3);
        std::vector<float> packed(packedSize(depth, cols));
        packMatrix(b.data(), depth, cols, packed.data());
        std::vector<float> c(rows * cols, NAN);
        gemm(a.data(), depth, packed.data(), bias.data(), c.data(), cols, rows, cols, depth);
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < cols; ++j) {
            double sum = bias[j];
            double scale = std::abs(bias[j]);
            for (int k = 0; k < depth; ++k) {
              sum += double{a[i * depth + k]} * b[k * cols + j];
              scale += std::abs(double{a[i * depth + k]} * b[k * cols + j]);
            }
            // depth + 1 roundings, each of at most half an ulp of a partial sum.
            const double tolerance = (depth + 2) * std::numeric_limits<float>::epsilon() / 2 * scale;
            ASSERT_NEAR(c[i * cols + j], sum, tolerance) << rows << "x" << cols << "x" << depth;
          }
        }
      }
    }
  }
}

// Products of one row use other loops, and others again if the matrix is too large for the cache.
TEST(Gemm, GivesARowTheSameBitsAloneAndAmongOthers) {
  for (const int cols : {1, 8, 31, 32, 33, 65, 681, 705, 1024}) {
    for (const int depth : {1, 64, kDepthBlock, kDepthBlock + 1}) {
      const int rows = 2;
      const std::vector<float> a = randomFloats(rows * depth, 5), b = randomFloats(size_t(depth) * cols, 6);
      const std::vector<float> bias = randomFloats(cols, 7);
      std::vector<float> packed(packedSize(depth, cols)), both(size_t(rows) * cols, NAN), alone(cols, NAN);
      packMatrix(b.data(), depth, cols, packed.data());
      gemm(a.data(), depth, packed.data(), bias.data(), both.data(), cols, rows, cols, depth);
      for (int r = 0; r < rows; ++r) {
        gemm(a.data() + r * depth, depth, packed.data(), bias.data(), alone.data(), cols, 1, cols, depth);
        ASSERT_EQ(alone, std::vector<float>(both.begin() + size_t(r) * cols, both.begin() + size_t(r + 1) * cols))
            << cols << "x" << depth;
      }
    }
  }
}

TEST(Gemm, PacksAWeightAsTheTransposeOfAMatrix) {
  for (int cols : kCols) {
    for (int depth : kDepths) {
      const std::vector<float> b = randomFloats(depth * cols, 4);
      std::vector<float> transposed(b.size());
      for (int k = 0; k < depth; ++k) {
        for (int j = 0; j < cols; ++j) transposed[j * depth + k] = b[k * cols + j];
      }
      std::vector<float> expected(packedSize(depth, cols), -1.0f);
      std::vector<float> packed(expected.size(), 1.0f);
      packMatrix(b.data(), depth, cols, expected.data());
      packTransposed(transposed.data(), depth, cols, packed.data());
      ASSERT_EQ(packed, expected) << cols << "x" << depth;
    }
  }
}

// Products that overwrite or add, with gaps between rows.
PROPERTY(Gemm, AgreesWithFloat64) {
  const int rows = draw.integer(1, 40), cols = draw.integer(1, 70), depth = draw.integer(0, draw.flag() ? 600 : 40);
  const int a_stride = depth + draw.integer(0, 3), c_stride = cols + draw.integer(0, 3);
  const bool transposed = draw.flag(), adds = draw.flag(), has_bias = draw.flag();
  const std::vector<float> a = draw.floats(size_t(rows - 1) * a_stride + depth + 1);
  const std::vector<float> b = draw.floats(size_t(depth) * cols + 1), bias = draw.floats(cols);
  const auto element = [&](int k, int j) { return b[transposed ? size_t(j) * depth + k : size_t(k) * cols + j]; };
  std::vector<float> packed(packedSize(depth, cols) + (depth == 0), NAN);
  (transposed ? packTransposed : packMatrix)(b.data(), depth, cols, packed.data());
  std::vector<float> c = draw.floats(size_t(rows - 1) * c_stride + cols);
  const std::vector<float> before = c;
  if (adds) {
    gemmAdd(a.data(), a_stride, packed.data(), c.data(), c_stride, rows, cols, depth);
  } else {
    gemm(a.data(), a_stride, packed.data(), has_bias ? bias.data() : nullptr, c.data(), c_stride, rows, cols, depth);
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < c_stride && size_t(i) * c_stride + j < c.size(); ++j) {
      const size_t at = size_t(i) * c_stride + j;
      if (j >= cols) {
        expectNear(c[at], before[at], 0, "the gap between rows", at);
        continue;
      }
      Sum sum;
      if (adds || has_bias) sum.add(adds ? before[at] : bias[j]);
      for (int k = 0; k < depth; ++k) sum.add(double{a[size_t(i) * a_stride + k]} * element(k, j));
      expectNear(c[at], sum.value, sum.tolerance(), "gemm", at);
    }
  }
}

}  // namespace
}  // namespace wasm_attention
