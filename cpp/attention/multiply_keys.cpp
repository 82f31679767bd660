#include <algorithm>

#include "attention/group.h"
#include "kernels/pack.h"

namespace wasm_attention {
namespace {

/// q times four keys, as they lie in memory.
f32x4 fourDots(const float* q, const float* const (&keys)[kTileRows], int width) {
  f32x4 s[kTileRows] = {};
  int e = 0;
  for (; e + kLanes <= width; e += kLanes) {
    const f32x4 qe = load(q + e);
    for (int r = 0; r < kTileRows; ++r) s[r] += qe * load(keys[r] + e);
  }
  transpose(s[0], s[1], s[2], s[3]);
  f32x4 dots = (s[0] + s[1]) + (s[2] + s[3]);
  for (; e < width; ++e) dots += q[e] * f32x4{keys[0][e], keys[1][e], keys[2][e], keys[3][e]};
  return dots;
}

void multiplyUnpackedKeys(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const float* base =
      a.key + static_cast<ptrdiff_t>(g.b) * a.keyStrides.batch + (g.h / (a.heads / a.kvHeads)) * a.keyStrides.head;
  for (int j = keys.from; j < keys.to; j += kTileRows) {
    const float* rows[kTileRows];
    // Past the last visible key its row stands in: the score is masked anyway, and nothing outside is read.
    for (int r = 0; r < kTileRows; ++r) {
      const int visible = std::min(std::max(j + r, g.begin), g.end - 1);
      rows[r] = base + static_cast<ptrdiff_t>(visible) * a.keyStrides.row;
    }
    float* out = w.block + (j - keys.base) * kGroup;
    for (int lane = 0; lane < g.count; ++lane) {
      const f32x4 dots = fourDots(g.query + lane * a.width, rows, a.width);
      for (int r = 0; r < kTileRows; ++r) out[r * kGroup + lane] = dots[r];
    }
    for (int r = 0; r < kTileRows; ++r) std::fill(out + r * kGroup + g.count, out + (r + 1) * kGroup, 0.0f);
  }
}

}  // namespace

void multiplyPanels(const float* panels, const float* right, int depth, int rows, float* out) {
  for (int r = 0; r < rows; r += kTileRows) {
    storeTile(multiplyTile<kTileRows>(panels + static_cast<size_t>(r) * depth, right, depth), out + r * kGroup, kGroup);
  }
}

void multiplyKeys(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  if (!w.packed) return multiplyUnpackedKeys(a, w, g, keys);
  multiplyPanels(w.keyPanels + static_cast<size_t>(keys.from) * a.width, g.query, a.width, keys.to - keys.from,
                 w.block + (keys.from - keys.base) * kGroup);
}

void multiplyRelativeKeys(const AttentionArgs& a, const Workspace& w, const Group& g) {
  const int rows = 2 * a.relativeKeysClip + 1;
  const float* table = a.relativeKeys + static_cast<ptrdiff_t>(g.h) * a.relativeKeysHead;
  if (w.packed) return multiplyPanels(w.relativeKeys, g.query, a.width, rows, g.relative);
  for (int r = 0; r < rows; r += kTileRows) {
    const float* four[kTileRows];
    for (int i = 0; i < kTileRows; ++i) four[i] = table + static_cast<ptrdiff_t>(std::min(r + i, rows - 1)) * a.width;
    for (int lane = 0; lane < g.count; ++lane) {
      const f32x4 dots = fourDots(g.query + lane * a.width, four, a.width);
      for (int i = 0; i < kTileRows; ++i) g.relative[(r + i) * kGroup + lane] = dots[i];
    }
    for (int i = 0; i < kTileRows; ++i) {
      std::fill(g.relative + (r + i) * kGroup + g.count, g.relative + (r + i + 1) * kGroup, 0.0f);
    }
  }
}

}  // namespace wasm_attention
