#include <algorithm>

#include "attention/group.h"

namespace wasm_attention {
namespace {

/// output (8, valueWidth) += weights^T (8, depth) * panels; weights [k][8]. The first product of a group is stored, not
/// added.
void addProduct(const float* weights, const float* panels, size_t panel_stride, int depth, const Workspace& w,
                const Group& g, bool first) {
  for (int c = 0; c < w.valueWidth; c += kTileCols, panels += panel_stride) {
    for (int lane = 0; lane < g.count; lane += kTileRows) {
      const Tile tile = multiplyTile<kGroup>(weights + lane, panels, depth);
      float* out = g.output + static_cast<size_t>(lane) * w.valueWidth + c;
      if (first) {
        storeTile(tile, out, w.valueWidth);
      } else {
        addTile(tile, out, w.valueWidth, out, w.valueWidth);
      }
    }
  }
}

/// out[0, 4 * N) += weights * rows for one lane. A weight of 0 skips its row: 0 * NaN would leak what is masked. The
/// additions are the micro-kernel's, in its order, so that the result is the same to the bit.
template <int N>
void addColumns(const float* weights, const float* rows, ptrdiff_t stride, int depth, float* out) {
  f32x4 sums[N] = {};
  for (int k = 0; k < depth; ++k, rows += stride) {
    const float p = weights[k * kGroup];
    if (p == 0) continue;
    for (int v = 0; v < N; ++v) sums[v] = multiplyAdd(splat(p), load(rows + v * kLanes), sums[v]);
  }
  for (int v = 0; v < N; ++v) store(out + v * kLanes, load(out + v * kLanes) + sums[v]);
}

/// addProduct with rows as they lie in memory, (depth, width).
void addRows(const float* weights, const float* rows, ptrdiff_t stride, int depth, int width, const Workspace& w,
             const Group& g, bool first) {
  constexpr int kWide = 8;  // vectors of columns whose sums stay in registers
  if (first) std::fill(g.output, g.output + static_cast<size_t>(kGroup) * w.valueWidth, 0.0f);
  for (int lane = 0; lane < g.count; ++lane, ++weights) {
    float* out = g.output + static_cast<size_t>(lane) * w.valueWidth;
    int c = 0;
    for (; c + kWide * kLanes <= width; c += kWide * kLanes)
      addColumns<kWide>(weights, rows + c, stride, depth, out + c);
    for (; c + kLanes <= width; c += kLanes) addColumns<1>(weights, rows + c, stride, depth, out + c);
    for (; c < width; ++c) {
      float sum = 0;
      for (int k = 0; k < depth; ++k) {
        if (weights[k * kGroup] != 0) sum = multiplyAdd(weights[k * kGroup], rows[k * stride + c], sum);
      }
      out[c] += sum;
    }
  }
}

/// Weights summed by table row, then one product with the table.
void addRelativeValues(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const int rows = 2 * a.relativeValuesClip + 1;
  float* sums = w.relativeWeights;
  sumByDistance(w, g, keys, a.relativeValuesClip, sums);
  if (*w.relativeValuesFinite != 0) {
    addProduct(sums, w.relativeValues, static_cast<size_t>(rows) * kTileCols, rows, w, g, false);
  } else {
    const float* table = a.relativeValues + static_cast<ptrdiff_t>(g.h) * a.relativeValuesHead;
    addRows(sums, table, a.valueWidth, rows, a.valueWidth, w, g, false);
  }
}

}  // namespace

void sumByDistance(const Workspace& w, const Group& g, BlockRange keys, int clip, float* sums) {
  std::fill(sums, sums + (2 * clip + 1) * kGroup, 0.0f);
  for (int j = keys.from; j < keys.to; ++j) {
    const float* weights = w.block + (j - keys.base) * kGroup;
    for (int v = 0; v < kVectors; ++v) {
      const int distance = j - g.position - v * kLanes;  // of the first lane; one less for each next
      float* table = sums + v * kLanes;
      const bool before = distance <= -clip;
      if (before || distance - (kLanes - 1) >= clip) {
        float* row = before ? table : table + 2 * clip * kGroup;
        store(row, load(row) + load(weights + v * kLanes));
        continue;
      }
      for (int lane = 0; lane < kLanes; ++lane) {
        table[(std::clamp(distance - lane, -clip, clip) + clip) * kGroup + lane] += weights[v * kLanes + lane];
      }
    }
  }
}

void mixValues(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const int skipped = keys.from - keys.base;
  const int count = std::min(keys.to, a.keys) - keys.from;
  const float* weights = w.block + skipped * kGroup;
  if (w.packed && w.valuesFinite[keys.base / kKeyBlock] != 0) {
    const float* panels = w.valuePanels + static_cast<size_t>(keys.base) * w.valueWidth + skipped * kTileCols;
    const int depth = std::min(a.keys - keys.base, kKeyBlock);
    addProduct(weights, panels, static_cast<size_t>(depth) * kTileCols, count, w, g, g.fresh);
  } else {
    const float* rows = a.value + static_cast<ptrdiff_t>(g.b) * a.valueStrides.batch +
                        static_cast<ptrdiff_t>(g.h / (a.heads / a.kvHeads)) * a.valueStrides.head +
                        static_cast<ptrdiff_t>(keys.from) * a.valueStrides.row;
    addRows(weights, rows, a.valueStrides.row, count, a.valueWidth, w, g, g.fresh);
  }
  if (a.relativeValues) addRelativeValues(a, w, g, keys);
}

}  // namespace wasm_attention
