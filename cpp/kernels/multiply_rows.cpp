// Versions tried (GFLOP/s of 256 rows by 64 by 192 / 64 by 64 / 128 by 64; Sapphire Rapids, Node 20, busy, where a tile in L1
// reached 41.3):
//   a loop over a tile's rows, edges in the same function    36.2 / 36.1 / 38.6
//   a tile's rows written out, edges in their own function   38.5 / 38.9 / 39.5   <- this
// Today: npm run bench -- --work training
#include "kernels/multiply_rows.h"

#include <algorithm>

#include "kernels/pack.h"
#include "kernels/tile.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

/// The part of a tile that lies inside c.
void storePart(const Tile& tile, const float* from, ptrdiff_t from_stride, float* c, ptrdiff_t stride, int rows,
               int cols) {
  for (int r = 0; r < rows; ++r, c += stride, from += from_stride) {
    for (int j = 0; j < cols; ++j) c[j] = from[j] + tile.sum[r][j / kLanes][j % kLanes];
  }
}

/// A tile at the edge of c. Not inlined, so that the sums of all other tiles stay in registers.
[[gnu::noinline]] void multiplyPart(const float* a, const float* panel, int depth, const float* from,
                                    ptrdiff_t from_stride, float* c, ptrdiff_t stride, int rows, int cols) {
  storePart(multiplyTile<kTileRows>(a, panel, depth), from, from_stride, c, stride, rows, cols);
}

}  // namespace

// Not inlined, so that an engine can swap in its optimised code during the first long product.

// Four panels at a time, because a 4 x 8 tile would do four times the work. Adds in the tile's order, so that a row has the same
// result alone as among others.
[[gnu::noinline]] void multiplyRow(const float* a, const float* panels, const Addend& plus, float* c, int cols,
                                   int depth) {
  constexpr int kPanels = 4;
  for (int j = 0; j < cols; j += kPanels * kTileCols, panels += static_cast<size_t>(kPanels) * kTileCols * depth) {
    const int count = std::min(kPanels, (cols - j + kTileCols - 1) / kTileCols);
    f32x4 sums[kPanels][2] = {};
    if (count == kPanels) {
      for (int k = 0; k < depth; ++k) {
        const f32x4 ak = loadSplat(a + k);
        for (int p = 0; p < kPanels; ++p) {
          const float* b = panels + static_cast<size_t>(p * depth + k) * kTileCols;
          sums[p][0] = multiplyAdd(ak, load(b), sums[p][0]);
          sums[p][1] = multiplyAdd(ak, load(b + kLanes), sums[p][1]);
        }
      }
    } else {
      for (int p = 0; p < count; ++p) {
        for (int k = 0; k < depth; ++k) {
          const float* b = panels + static_cast<size_t>(p * depth + k) * kTileCols;
          const f32x4 ak = loadSplat(a + k);
          sums[p][0] = multiplyAdd(ak, load(b), sums[p][0]);
          sums[p][1] = multiplyAdd(ak, load(b + kLanes), sums[p][1]);
        }
      }
    }
    for (int p = 0; p < count; ++p) {
      Tile tile{};
      tile.sum[0][0] = sums[p][0];
      tile.sum[0][1] = sums[p][1];
      const int col = j + p * kTileCols;
      storePart(tile, plus.from + col * plus.step, 0, c + col, 0, 1, std::min(cols - col, kTileCols));
    }
  }
}

[[gnu::noinline]] void multiplyRows(const float* a, ptrdiff_t a_stride, const float* panels, const Addend& plus,
                                    float* c, ptrdiff_t c_stride, int rows, int cols, int depth) {
  alignas(16) float block[kBlockFloats];
  packRows<kTileRows>(a, a_stride, rows, depth, 1.0f, block);
  for (int j = 0; j < cols; j += kTileCols, panels += static_cast<size_t>(kTileCols) * depth) {
    const float* left = block;
    const float* from = plus.from + j * plus.step;
    float* to = c + j;
    for (int r = 0; r < rows; r += kTileRows) {
      if (rows - r >= kTileRows && cols - j >= kTileCols) {
        addTile(multiplyTile<kTileRows>(left, panels, depth), from, plus.stride, to, c_stride);
      } else {
        multiplyPart(left, panels, depth, from, plus.stride, to, c_stride, std::min(rows - r, kTileRows),
                     std::min(cols - j, kTileCols));
      }
      left += kTileRows * depth;
      from += kTileRows * plus.stride;
      to += kTileRows * c_stride;
    }
  }
}

}  // namespace wasm_attention
