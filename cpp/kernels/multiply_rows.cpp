// Versions tried (GFLOP/s of 256 rows by 64 by 192 / 64 by 64 / 128 by 64; Sapphire Rapids, Node 20, busy, where a tile
// in L1 reached 41.3):
//   a loop over a tile's rows, edges in the same function    36.2 / 36.1 / 38.6
//   a tile's rows written out, edges in their own function   38.5 / 38.9 / 39.5   <- this
// Today: npm run bench -- --work training
//
// Versions tried for one row (ms of a token of GPT-2, of whose 534 MB a sum takes 17.3; EPYC, Node 20):
//   four panels at a time, by index / by pointers            32.1 / 30.0
//   two at a time                                            45.6
//   one panel after another                                  19.7   <- this, but up to 9 % slower for cached matrices
// Today: npm run bench -- --work gpt2-token
//
// Versions tried for many rows by float16 (time relative to float32, 128 tokens of SmolLM2, plain / relaxed SIMD; 4 and
// 16 rows by 576 x 1536, plain; Ice Lake, Node 20, processor time):
//   a panel widened for 16 rows, infinite or not     1.20 / 1.26; 1.9, 1.19
//   for 64 rows                                      1.03 / 1.05; 1.9, 1.19
//   for 64 rows, in fewer instructions if finite     0.97 / 0.95; 1.6, 1.09   <- this
#include "kernels/multiply_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Panels of 8 columns, as floats, from those of a weight.
template <typename Weight>
struct Panels;

template <>
struct Panels<float> {
  static constexpr int kBlock = kBlockFloats;
  const float* panel;
  int depth;

  Panels(const float* panels, int depth) : panel(panels), depth(depth) {}

  const float* next() {
    const float* const now = panel;
    panel += static_cast<size_t>(kTileCols) * depth;
    return now;
  }
};

template <>
struct Panels<Half> {
  static constexpr int kBlock = kHalfRows * kDepthBlock;
  const Half* pair;
  int depth, count = 0;
  bool finite;
  alignas(16) float widened[kDepthBlock * kTileCols];

  Panels(const Half* panels, int depth, bool finite) : pair(panels), depth(depth), finite(finite) {}

  const float* next() {
    const Half* from = pair + count % 2 * kTileCols;
    for (int k = 0; k < depth; ++k, from += kHalfCols) {
      const i32x4 halves = loadHalves(from);
      const f32x4 low = shrunkLow(halves), high = shrunkHigh(halves);
      store(widened + k * kTileCols, finite ? low * kShrunk : grown(low));
      store(widened + k * kTileCols + kLanes, finite ? high * kShrunk : grown(high));
    }
    if (++count % 2 == 0) pair += static_cast<size_t>(kHalfCols) * depth;
    return widened;
  }
};

template <typename Weight>
inline void multiply(const float* a, ptrdiff_t a_stride, Panels<Weight>&& panels, const Addend& plus, float* c,
                     ptrdiff_t c_stride, int rows, int cols, int depth) {
  alignas(16) float block[Panels<Weight>::kBlock];
  packRows<kTileRows>(a, a_stride, rows, depth, 1.0f, block);
  for (int j = 0; j < cols; j += kTileCols) {
    const float* left = block;
    const float* const right = panels.next();
    const float* from = plus.from + j * plus.step;
    float* to = c + j;
    for (int r = 0; r < rows; r += kTileRows) {
      if (rows - r >= kTileRows && cols - j >= kTileCols) {
        addTile(multiplyTile<kTileRows>(left, right, depth), from, plus.stride, to, c_stride);
      } else {
        multiplyPart(left, right, depth, from, plus.stride, to, c_stride, std::min(rows - r, kTileRows),
                     std::min(cols - j, kTileCols));
      }
      left += kTileRows * depth;
      from += kTileRows * plus.stride;
      to += kTileRows * c_stride;
    }
  }
}

/// A matrix with more floats is assumed to be in memory, not in a cache.
constexpr double kCachedFloats = 1 << 18;

}  // namespace

// Not inlined, so that an engine can swap in its optimised code during the first long product.

// Four panels at a time, because a 4 x 8 tile would do four times the work; but one at a time from memory, which is
// fastest when read in order. Adds in the tile's order, so that a row has the same result alone as among others.
[[gnu::noinline]] void multiplyRow(const float* a, const float* panels, const Addend& plus, float* c, int cols,
                                   int depth) {
  constexpr int kPanels = 4;
  const size_t size = static_cast<size_t>(depth) * kTileCols;
  const bool cached = static_cast<double>(cols) * depth <= kCachedFloats;
  int j = 0;
  const auto finish = [&](f32x4 left, f32x4 right) {
    Tile tile{};
    tile.sum[0][0] = left;
    tile.sum[0][1] = right;
    storePart(tile, plus.from + j * plus.step, 0, c + j, 0, 1, std::min(cols - j, kTileCols));
    j += kTileCols;
  };
  for (; cached && cols - j > (kPanels - 1) * kTileCols; panels += kPanels * size) {
    f32x4 s00{}, s01{}, s10{}, s11{}, s20{}, s21{}, s30{}, s31{};
    const float *b0 = panels, *b1 = b0 + size, *b2 = b1 + size, *b3 = b2 + size;
    for (int k = 0; k < depth; ++k, b0 += kTileCols, b1 += kTileCols, b2 += kTileCols, b3 += kTileCols) {
      const f32x4 ak = loadSplat(a + k);
      s00 = multiplyAdd(ak, load(b0), s00);
      s01 = multiplyAdd(ak, load(b0 + kLanes), s01);
      s10 = multiplyAdd(ak, load(b1), s10);
      s11 = multiplyAdd(ak, load(b1 + kLanes), s11);
      s20 = multiplyAdd(ak, load(b2), s20);
      s21 = multiplyAdd(ak, load(b2 + kLanes), s21);
      s30 = multiplyAdd(ak, load(b3), s30);
      s31 = multiplyAdd(ak, load(b3 + kLanes), s31);
    }
    finish(s00, s01);
    finish(s10, s11);
    finish(s20, s21);
    finish(s30, s31);
  }
  for (; j < cols; panels += size) {
    f32x4 left{}, right{};
    const float* b = panels;
    for (int k = 0; k < depth; ++k, b += kTileCols) {
      const f32x4 ak = loadSplat(a + k);
      left = multiplyAdd(ak, load(b), left);
      right = multiplyAdd(ak, load(b + kLanes), right);
    }
    finish(left, right);
  }
}

// Multiplies a by 2^112 instead of each weight, which gives the same products.
[[gnu::noinline]] void multiplyRow(const float* a, const Half* panels, const Addend& plus, float* c, int cols,
                                   int depth) {
  alignas(16) float grown_a[kDepthBlock];
  bool fits = true;
  for (int k = 0; k < depth; ++k) {
    grown_a[k] = a[k] * kShrunk;
    fits &= std::fabs(grown_a[k]) <= std::numeric_limits<float>::max();
  }
  if (!fits) return multiplyRows(a, 0, panels, plus, c, 0, 1, cols, depth, true);
  for (int j = 0; j < cols;) {
    f32x4 s00{}, s01{}, s10{}, s11{};
    for (int k = 0; k < depth; ++k, panels += kHalfCols) {
      const f32x4 ak = loadSplat(grown_a + k);
      const i32x4 b0 = loadHalves(panels), b1 = loadHalves(panels + kTileCols);
      s00 = multiplyAdd(ak, shrunkLow(b0), s00);
      s01 = multiplyAdd(ak, shrunkHigh(b0), s01);
      s10 = multiplyAdd(ak, shrunkLow(b1), s10);
      s11 = multiplyAdd(ak, shrunkHigh(b1), s11);
    }
    const auto finish = [&](f32x4 left, f32x4 right) {
      Tile tile{};
      tile.sum[0][0] = left;
      tile.sum[0][1] = right;
      storePart(tile, plus.from + j * plus.step, 0, c + j, 0, 1, std::min(cols - j, kTileCols));
      j += kTileCols;
    };
    finish(s00, s01);
    if (j < cols) finish(s10, s11);
  }
}

[[gnu::noinline]] void multiplyRows(const float* a, ptrdiff_t a_stride, const float* panels, const Addend& plus,
                                    float* c, ptrdiff_t c_stride, int rows, int cols, int depth, bool) {
  multiply(a, a_stride, Panels<float>(panels, depth), plus, c, c_stride, rows, cols, depth);
}

[[gnu::noinline]] void multiplyRows(const float* a, ptrdiff_t a_stride, const Half* panels, const Addend& plus,
                                    float* c, ptrdiff_t c_stride, int rows, int cols, int depth, bool finite) {
  multiply(a, a_stride, Panels<Half>(panels, depth, finite), plus, c, c_stride, rows, cols, depth);
}

}  // namespace wasm_attention
