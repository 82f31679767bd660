#include <algorithm>

#include "attention/group.h"

namespace wasm_attention {
namespace {

/// output (8, valueWidth) += weights^T (8, depth) * panels; weights [k][8].
void addProduct(const float* weights, const float* panels, size_t panel_stride, int depth, const Workspace& w,
                const Group& g) {
  for (int c = 0; c < w.valueWidth; c += kTileCols, panels += panel_stride) {
    for (int lane = 0; lane < g.count; lane += kTileRows) {
      const Tile tile = multiplyTile<kGroup>(weights + lane, panels, depth);
      for (int r = 0; r < kTileRows; ++r) {
        float* out = g.output + static_cast<size_t>(lane + r) * w.valueWidth + c;
        store(out, load(out) + tile.sum[r][0]);
        store(out + kLanes, load(out + kLanes) + tile.sum[r][1]);
      }
    }
  }
}

/// The same from values as they lie in memory. A weight of 0 skips its value: 0 * NaN would leak what is masked.
void addUnpackedValues(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const float* base = a.value + static_cast<ptrdiff_t>(g.b) * a.valueStrides.batch +
                      (g.h / (a.heads / a.kvHeads)) * a.valueStrides.head;
  const int to = std::min(keys.to, a.keys);
  constexpr int kChunk = 8 * kLanes;  // columns whose sums stay in registers
  for (int lane = 0; lane < g.count; ++lane) {
    const float* weights = w.block + lane;
    float* out = g.output + static_cast<size_t>(lane) * w.valueWidth;
    int c = 0;
    for (; c + kChunk <= a.valueWidth; c += kChunk) {
      f32x4 sums[8];
      for (int v = 0; v < 8; ++v) sums[v] = load(out + c + v * kLanes);
      for (int j = keys.from; j < to; ++j) {
        const float p = weights[(j - keys.base) * kGroup];
        if (p == 0) continue;
        const float* value = base + static_cast<ptrdiff_t>(j) * a.valueStrides.row + c;
        for (int v = 0; v < 8; ++v) sums[v] += p * load(value + v * kLanes);
      }
      for (int v = 0; v < 8; ++v) store(out + c + v * kLanes, sums[v]);
    }
    if (c == a.valueWidth) continue;
    for (int j = keys.from; j < to; ++j) {
      const float p = weights[(j - keys.base) * kGroup];
      if (p == 0) continue;
      const float* value = base + static_cast<ptrdiff_t>(j) * a.valueStrides.row;
      int e = c;
      for (; e + kLanes <= a.valueWidth; e += kLanes) store(out + e, load(out + e) + p * load(value + e));
      for (; e < a.valueWidth; ++e) out[e] += p * value[e];
    }
  }
}

/// Weights summed by table row, then one product with the table.
void addRelativeValues(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const int clip = a.relativeValuesClip;
  const int rows = 2 * clip + 1;
  float* sums = w.relativeWeights;
  std::fill(sums, sums + rows * kGroup, 0.0f);
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
  addProduct(sums, w.relativeValues, static_cast<size_t>(rows) * kTileCols, rows, w, g);
}

}  // namespace

void mixValues(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const int block = keys.base / kKeyBlock;
  if (w.packed && w.valuesFinite[block] != 0) {
    const int depth = std::min(a.keys - keys.base, kKeyBlock);
    const float* panels = w.valuePanels + static_cast<size_t>(keys.base) * w.valueWidth;
    const int to = std::min(keys.to, a.keys);
    addProduct(w.block + (keys.from - keys.base) * kGroup, panels + (keys.from - keys.base) * kTileCols,
               static_cast<size_t>(depth) * kTileCols, to - keys.from, w, g);
  } else {
    addUnpackedValues(a, w, g, keys);
  }
  if (a.relativeValues) addRelativeValues(a, w, g, keys);
}

}  // namespace wasm_attention
