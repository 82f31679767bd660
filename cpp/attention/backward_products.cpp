#include <algorithm>

#include "attention/backward.h"

namespace wasm_attention {
namespace {

/// out += a * b for one tile, where 0 * NaN is 0: a weight of 0 hides its row.
template <int AStep>
[[gnu::noinline]] void addVisible(const float* a, const float* b, int depth, float* out, int width) {
  Tile t{};
  for (int k = 0; k < depth; ++k, a += AStep, b += kTileCols) {
    const f32x4 b0 = load(b);
    const f32x4 b1 = load(b + kLanes);
    for (int r = 0; r < kTileRows; ++r) {
      const f32x4 ar = loadSplat(a + r);
      const i32x4 hidden = ar == f32x4{};
      t.sum[r][0] = select(hidden, t.sum[r][0], multiplyAdd(ar, b0, t.sum[r][0]));
      t.sum[r][1] = select(hidden, t.sum[r][1], multiplyAdd(ar, b1, t.sum[r][1]));
    }
  }
  addTile(t, out, width, out, width);
}

/// out += left * panel for one tile.
template <int AStep>
inline void addTileProduct(const float* left, const float* panel, int depth, Right right, float* out, int width) {
  if (right == Right::kFinite) {
    addTile(multiplyTile<AStep>(left, panel, depth), out, width, out, width);
  } else {
    addVisible<AStep>(left, panel, depth, out, width);
  }
}

}  // namespace

[[gnu::noinline]] void addPanelProduct(const float* left, const float* columns, Right right, int rows, int depth,
                                       int width, float* out) {
  for (int r = 0; r < rows; r += kTileRows, left += kTileRows * kStripQueries) {
    const float* panel = columns;
    for (int c = 0; c < width; c += kTileCols, panel += depth * kTileCols) {
      addTileProduct<kTileRows>(left, panel, depth, right, out + static_cast<size_t>(r) * width + c, width);
    }
  }
}

[[gnu::noinline]] void addEntriesProduct(const float* entries, const float* columns, Right right, int depth,
                                         int panel_depth, int width, float* out) {
  for (int k = 0; k < depth; k += kKeyBlock) {  // a block's entries stay in L1
    const int block = std::min(depth - k, kKeyBlock);
    const float* panel = columns + static_cast<size_t>(k) * kTileCols;
    for (int c = 0; c < width; c += kTileCols, panel += static_cast<size_t>(panel_depth) * kTileCols) {
      for (int lane = 0; lane < kQueryBlock; lane += kTileRows) {
        float* to = out + static_cast<size_t>(lane) * width + c;
        addTileProduct<kQueryBlock>(entries + k * kQueryBlock + lane, panel, block, right, to, width);
      }
    }
  }
}

}  // namespace wasm_attention
