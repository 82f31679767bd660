// The micro-kernel: a 4 x 8 tile of a product, with its sums in registers.
//
// Versions tried (GFLOP/s of panels in L1, depth 512; Sapphire Rapids, Node 20, whose ceiling is 48):
//   4x8, both operands packed, end-pointer compare, not unrolled     47.3   <- this
//   the same, k unrolled by 2 / by 4                                 46.5 / 42
//   the same with a counter instead of the end pointer               44.7
//   4x8, rows of a by row pointers (row-major a), k unrolled by 2    45.6
//   4x12 / 3x12                                                      46.1 / 46.0, and more edges
//   6x8 / 5x8                                                        44.3 / 43.8 (spills)
//   2x16 / 3x16                                                      44.4 / 43
//   8x4 / 10x4                                                       41 / 36
//   4x8, a by vector loads and shuffles                              35
//   4x8, sums in the returned struct                                 1 % slower in training with products 64 deep
//   4x8 with the fused multiply-add of relaxed SIMD                  56.6 of 59
// Today: npm run bench -- --relaxed --work limits
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
  // Local variables, because the compiler would keep the fields of a result in memory.
  f32x4 s00{}, s01{}, s10{}, s11{}, s20{}, s21{}, s30{}, s31{};
  const float* end = b + static_cast<size_t>(depth) * kTileCols;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; b != end; a += AStep, b += kTileCols) {
    const f32x4 b0 = load(b);
    const f32x4 b1 = load(b + kLanes);
    const f32x4 a0 = loadSplat(a);
    s00 = multiplyAdd(a0, b0, s00);
    s01 = multiplyAdd(a0, b1, s01);
    const f32x4 a1 = loadSplat(a + 1);
    s10 = multiplyAdd(a1, b0, s10);
    s11 = multiplyAdd(a1, b1, s11);
    const f32x4 a2 = loadSplat(a + 2);
    s20 = multiplyAdd(a2, b0, s20);
    s21 = multiplyAdd(a2, b1, s21);
    const f32x4 a3 = loadSplat(a + 3);
    s30 = multiplyAdd(a3, b0, s30);
    s31 = multiplyAdd(a3, b1, s31);
  }
  return {{{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}}};
}

/// Writes f(sums, row, half of the row) to rows of `out`. Not a loop, which would move the sums through memory.
template <typename F>
inline void mapTile(const Tile& tile, float* out, ptrdiff_t stride, F f) {
  const auto row = [&](int r) {
    store(out + r * stride, f(tile.sum[r][0], r, 0));
    store(out + r * stride + kLanes, f(tile.sum[r][1], r, 1));
  };
  row(0);
  row(1);
  row(2);
  row(3);
}

/// out = tile
inline void storeTile(const Tile& tile, float* out, ptrdiff_t stride) {
  mapTile(tile, out, stride, [](f32x4 sum, int, int) { return sum; });
}

/// out = from + tile; `from` may be `out`.
inline void addTile(const Tile& tile, const float* from, ptrdiff_t from_stride, float* out, ptrdiff_t stride) {
  mapTile(tile, out, stride,
          [&](f32x4 sum, int r, int half) { return load(from + r * from_stride + half * kLanes) + sum; });
}

}  // namespace wasm_attention
