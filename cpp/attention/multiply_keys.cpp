#include <algorithm>

#include "attention/query_block.h"
#include "attention/rows.h"
#include "kernels/pack.h"

namespace wasm_attention {
namespace {

/// The dot products of a query with four keys that are not packed.
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

void multiplyUnpackedKeys(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  const float* base = rowOf(a.key, a.keyStrides, q.b, q.h / (a.heads / a.kvHeads), 0);
  for (int j = keys.from; j < keys.to; j += kTileRows) {
    const float* rows[kTileRows];
    // Keys that no query may see are not read: the nearest visible key replaces them, and the score is masked later.
    for (int r = 0; r < kTileRows; ++r) {
      const int visible = std::min(std::max(j + r, q.begin), q.end - 1);
      rows[r] = base + static_cast<ptrdiff_t>(visible) * a.keyStrides.row;
    }
    float* out = w.entries + (j - keys.base) * kQueryBlock;
    for (int lane = 0; lane < q.count; ++lane) {
      const f32x4 dots = fourDots(q.query + lane * a.width, rows, a.width);
      for (int r = 0; r < kTileRows; ++r) out[r * kQueryBlock + lane] = dots[r];
    }
    for (int r = 0; r < kTileRows; ++r) std::fill(out + r * kQueryBlock + q.count, out + (r + 1) * kQueryBlock, 0.0f);
  }
}

}  // namespace

void multiplyPanels(const float* panels, const float* right, int depth, int rows, float* out) {
  for (int r = 0; r < rows; r += kTileRows) {
    storeTile(multiplyTile<kTileRows>(panels + static_cast<size_t>(r) * depth, right, depth), out + r * kQueryBlock,
              kQueryBlock);
  }
}

void multiplyKeys(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  if (!w.packed) return multiplyUnpackedKeys(a, w, q, keys);
  multiplyPanels(w.keyPanels + static_cast<size_t>(keys.from) * a.width, q.query, a.width, keys.to - keys.from,
                 w.entries + (keys.from - keys.base) * kQueryBlock);
}

void multiplyRelativeKeys(const AttentionArgs& a, const Workspace& w, const QueryBlock& q) {
  const int rows = 2 * a.relativeKeysClip + 1;
  const float* table = a.relativeKeys + static_cast<ptrdiff_t>(q.h) * a.relativeKeysHead;
  if (w.packed) return multiplyPanels(w.relativeKeys, q.query, a.width, rows, q.relative);
  for (int r = 0; r < rows; r += kTileRows) {
    const float* four[kTileRows];
    for (int i = 0; i < kTileRows; ++i) four[i] = table + static_cast<ptrdiff_t>(std::min(r + i, rows - 1)) * a.width;
    for (int lane = 0; lane < q.count; ++lane) {
      const f32x4 dots = fourDots(q.query + lane * a.width, four, a.width);
      for (int i = 0; i < kTileRows; ++i) q.relative[(r + i) * kQueryBlock + lane] = dots[i];
    }
    for (int i = 0; i < kTileRows; ++i) {
      std::fill(q.relative + (r + i) * kQueryBlock + q.count, q.relative + (r + i + 1) * kQueryBlock, 0.0f);
    }
  }
}

}  // namespace wasm_attention
