#include "kernels/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "property.h"
#include "random.h"

namespace wasm_attention {
namespace {

TEST(Pack, RoundsUpToWholePanels) {
  EXPECT_EQ(roundUp(0, 8), 0);
  EXPECT_EQ(roundUp(1, 8), 8);
  EXPECT_EQ(roundUp(8, 8), 8);
  EXPECT_EQ(roundUp(9, 4), 12);
  // More floats than a 32-bit integer can count.
  EXPECT_EQ(panelsSize(1 << 20, 1 << 13, 8), int64_t{1} << 33);
}

PROPERTY(Pack, CopiesRowsOrColumnsIntoPanels) {
  const int rows = draw.integer(1, 60), cols = draw.integer(1, 60), gap = draw.integer(0, 5);
  const int stride = cols + gap, kind = draw.integer(0, 2);
  const float scale = kind == 2 ? 1 : draw.flag() ? 1 : 0.3f;
  const std::vector<float> source = draw.floats(size_t(rows - 1) * stride + cols);
  const int width = kind == 0 ? 4 : 8, count = kind == 2 ? cols : rows, depth = kind == 2 ? rows : cols;
  std::vector<float> panels(panelsSize(count, depth, width), NAN);
  if (kind == 0) packRows<4>(source.data(), stride, rows, cols, scale, panels.data());
  if (kind == 1) packRows<8>(source.data(), stride, rows, cols, scale, panels.data());
  if (kind == 2) packColumns(source.data(), stride, rows, cols, panels.data());
  size_t at = 0;
  for (int first = 0; first < count; first += width) {
    for (int k = 0; k < depth; ++k) {
      for (int lane = first; lane < first + width; ++lane, ++at) {
        const size_t from = kind == 2 ? size_t(k) * stride + lane : size_t(lane) * stride + k;
        expectNear(panels[at], lane < count ? source[from] * scale : 0, 0, "panels", at);
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
