#include <algorithm>

#include "attention/query_block.h"
#include "attention/rows.h"

namespace wasm_attention {
namespace {

/// output (8, valueWidth) += weights^T * panels, with weights (depth, 8). If `first`, the output is set, not added to.
void addProduct(const float* weights, const float* panels, size_t panel_stride, int depth, const Workspace& w,
                const QueryBlock& q, bool first) {
  for (int c = 0; c < w.valueWidth; c += kTileCols, panels += panel_stride) {
    for (int lane = 0; lane < q.count; lane += kTileRows) {
      const Tile tile = multiplyTile<kQueryBlock>(weights + lane, panels, depth);
      float* out = q.output + static_cast<size_t>(lane) * w.valueWidth + c;
      if (first) {
        storeTile(tile, out, w.valueWidth);
      } else {
        addTile(tile, out, w.valueWidth, out, w.valueWidth);
      }
    }
  }
}

/// out[0, 4 * N) += weights * rows for one query. Skips rows whose weight is 0, because a masked row may be NaN. Adds
/// in the order of the micro-kernel, so that both give the same bits.
template <int N>
void addColumns(const float* weights, const float* rows, ptrdiff_t stride, int depth, float* out) {
  f32x4 sums[N] = {};
  for (int k = 0; k < depth; ++k, rows += stride) {
    const float p = weights[k * kQueryBlock];
    if (p == 0) continue;
    for (int v = 0; v < N; ++v) sums[v] = multiplyAdd(splat(p), load(rows + v * kLanes), sums[v]);
  }
  for (int v = 0; v < N; ++v) store(out + v * kLanes, load(out + v * kLanes) + sums[v]);
}

/// addProduct for rows (depth, width) that are not packed.
void addRows(const float* weights, const float* rows, ptrdiff_t stride, int depth, int width, const Workspace& w,
             const QueryBlock& q, bool first) {
  constexpr int kWide = 8;  // vectors whose sums stay in registers
  if (first) std::fill(q.output, q.output + static_cast<size_t>(kQueryBlock) * w.valueWidth, 0.0f);
  for (int lane = 0; lane < q.count; ++lane, ++weights) {
    float* out = q.output + static_cast<size_t>(lane) * w.valueWidth;
    int c = 0;
    for (; c + kWide * kLanes <= width; c += kWide * kLanes)
      addColumns<kWide>(weights, rows + c, stride, depth, out + c);
    for (; c + kLanes <= width; c += kLanes) addColumns<1>(weights, rows + c, stride, depth, out + c);
    for (; c < width; ++c) {
      float sum = 0;
      for (int k = 0; k < depth; ++k) {
        if (weights[k * kQueryBlock] != 0) sum = multiplyAdd(weights[k * kQueryBlock], rows[k * stride + c], sum);
      }
      out[c] += sum;
    }
  }
}

/// Sums the weights by table row, then multiplies the table once.
void addRelativeValues(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  const int rows = 2 * a.relativeValuesClip + 1;
  float* sums = w.relativeWeights;
  sumByDistance(w, q, keys, a.relativeValuesClip, sums);
  if (*w.relativeValuesFinite != 0) {
    addProduct(sums, w.relativeValues, static_cast<size_t>(rows) * kTileCols, rows, w, q, false);
  } else {
    const float* table = a.relativeValues + static_cast<ptrdiff_t>(q.h) * a.relativeValuesHead;
    addRows(sums, table, a.valueWidth, rows, a.valueWidth, w, q, false);
  }
}

}  // namespace

void sumByDistance(const Workspace& w, const QueryBlock& q, KeyRange keys, int clip, float* sums) {
  std::fill(sums, sums + (2 * clip + 1) * kQueryBlock, 0.0f);
  for (int j = keys.from; j < keys.to; ++j) {
    const float* weights = w.entries + (j - keys.base) * kQueryBlock;
    for (int v = 0; v < kVectors; ++v) {
      const i32x4 distance = j - q.positions[v];
      float* table = sums + v * kLanes;
      const bool before = !anyTrue(distance > -clip);
      if (before || !anyTrue(distance < clip)) {
        float* row = before ? table : table + 2 * clip * kQueryBlock;
        store(row, load(row) + load(weights + v * kLanes));
        continue;
      }
      for (int lane = 0; lane < kLanes; ++lane) {
        const int clipped = std::clamp<int>(distance[lane], -clip, clip);
        table[(clipped + clip) * kQueryBlock + lane] += weights[v * kLanes + lane];
      }
    }
  }
}

void mixValues(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  const int skipped = keys.from - keys.base;
  const int count = std::min(keys.to, a.keys) - keys.from;
  const float* weights = w.entries + skipped * kQueryBlock;
  if (w.packed && w.valuesFinite[keys.base / kKeyBlock] != 0) {
    const float* panels = w.valuePanels + static_cast<size_t>(keys.base) * w.valueWidth + skipped * kTileCols;
    const int depth = std::min(a.keys - keys.base, kKeyBlock);
    addProduct(weights, panels, static_cast<size_t>(depth) * kTileCols, count, w, q, q.fresh);
  } else {
    const float* rows = rowOf(a.value, a.valueStrides, q.b, q.h / (a.heads / a.kvHeads), keys.from);
    addRows(weights, rows, a.valueStrides.row, count, a.valueWidth, w, q, q.fresh);
  }
  if (a.relativeValues) addRelativeValues(a, w, q, keys);
}

}  // namespace wasm_attention
