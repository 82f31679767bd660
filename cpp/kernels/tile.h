// The micro-kernel: a 4 x 8 tile of a product, sums in registers.
//
// Versions tried (GFLOP/s in wasm, panels in L1, depth 512; Xeon of the Sapphire Rapids kind, Node 20; its ceiling is
// 48):
//   4x8, both operands packed, end-pointer compare, not unrolled     47.3   <- this
//   the same, k unrolled by 2 / by 4                                 46.5 / 42
//   the same, with a counter instead of the end pointer              44.7
//   4x8, rows of a by row pointers (row-major a), k unrolled by 2    45.6
//   4x12 / 3x12                                                      46.1 / 46.0, and more edges
//   6x8 / 5x8                                                        44.3 / 43.8 (spills)
//   2x16 / 3x16                                                      44.4 / 43
//   8x4 / 10x4                                                       41 / 36
//   4x8, a by vector loads and shuffles                              35
#pragma once

#include <cstddef>

#include "simd/f32x4.h"

namespace wasm_attention {

constexpr int kTileRows = 4;
constexpr int kTileCols = 8;

/// Four rows of eight sums.
struct Tile {
  f32x4 sum[kTileRows][2];
};

/// sum[r][c] = sum over k of a[k * AStep + r] * b[k * 8 + c], for k < depth.
template <int AStep>
inline Tile multiplyTile(const float* a, const float* b, int depth) {
  Tile t{};
  const float* end = b + static_cast<size_t>(depth) * kTileCols;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; b != end; a += AStep, b += kTileCols) {
    const f32x4 b0 = load(b);
    const f32x4 b1 = load(b + kLanes);
    for (int r = 0; r < kTileRows; ++r) {
      const f32x4 ar = loadSplat(a + r);
      t.sum[r][0] += ar * b0;
      t.sum[r][1] += ar * b1;
    }
  }
  return t;
}

}  // namespace wasm_attention
