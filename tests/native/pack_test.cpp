#include "kernels/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "random.h"

namespace wasm_attention {
namespace {

const int kCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17};
const int kDepths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 33};
const int kGaps[] = {0, 3};  // floats between one row's end and the next row

/// Rows `cols + gap` apart, without a gap after the last. At least one float, because arithmetic on a null pointer is
/// undefined.
std::vector<float> stack(int rows, int cols, int gap) {
  return randomFloats(std::max(1, (rows - 1) * (cols + gap) + cols), rows * 100 + cols);
}

/// Panels to be written; their address is never null, for the same reason.
std::vector<float> nans(size_t size) {
  std::vector<float> panels;
  panels.reserve(std::max<size_t>(size, 8));
  panels.assign(size, NAN);
  return panels;
}

template <int Width>
void expectPackedRows() {
  for (int rows : kCounts) {
    for (int depth : kDepths) {
      for (int gap : kGaps) {
        for (float scale : {1.0f, 0.3f}) {
          const std::vector<float> source = stack(rows, depth, gap);
          std::vector<float> panels = nans(panelsSize(rows, depth, Width));
          packRows<Width>(source.data(), depth + gap, rows, depth, scale, panels.data());
          size_t at = 0;
          for (int first = 0; first < rows; first += Width) {
            for (int k = 0; k < depth; ++k) {
              for (int row = first; row < first + Width; ++row) {
                const float expected = row < rows ? source[row * (depth + gap) + k] * scale : 0.0f;
                ASSERT_EQ(panels[at++], expected) << rows << "x" << depth << " row " << row << " step " << k;
              }
            }
          }
          ASSERT_EQ(at, panels.size());
        }
      }
    }
  }
}

TEST(Pack, PutsFourRowsSideBySide) { expectPackedRows<4>(); }

TEST(Pack, PutsEightRowsSideBySide) { expectPackedRows<8>(); }

TEST(Pack, CutsColumnsIntoPanelsOfEight) {
  for (int cols : kCounts) {
    for (int depth : kDepths) {
      for (int gap : kGaps) {
        const std::vector<float> source = stack(depth, cols, gap);
        std::vector<float> panels = nans(panelsSize(cols, depth, 8));
        packColumns(source.data(), cols + gap, depth, cols, panels.data());
        size_t at = 0;
        for (int first = 0; first < cols; first += 8) {
          for (int k = 0; k < depth; ++k) {
            for (int col = first; col < first + 8; ++col) {
              const float expected = col < cols ? source[k * (cols + gap) + col] : 0.0f;
              ASSERT_EQ(panels[at++], expected) << depth << "x" << cols << " step " << k << " column " << col;
            }
          }
        }
        ASSERT_EQ(at, panels.size());
      }
    }
  }
}

TEST(Pack, RoundsUpToWholePanels) {
  EXPECT_EQ(roundUp(0, 8), 0);
  EXPECT_EQ(roundUp(1, 8), 8);
  EXPECT_EQ(roundUp(8, 8), 8);
  EXPECT_EQ(roundUp(9, 4), 12);
  // More floats than 32 bits can count.
  EXPECT_EQ(panelsSize(1 << 20, 1 << 13, 8), int64_t{1} << 33);
}

}  // namespace
}  // namespace wasm_attention
