#include <algorithm>

#include "attention/backward.h"
#include "simd/tanh.h"

namespace wasm_attention {
namespace {

/// Softcap, and its derivative 1 - tanh^2 beside it.
void capScores(float softcap, float* scores, float* slopes, int count) {
  const float inverse = 1 / softcap;
  for (int i = 0; i < count; i += kLanes) {
    const f32x4 t = tanh(load(scores + i) * inverse);
    store(scores + i, softcap * t);
    store(slopes + i, 1.0f - t * t);
  }
}

/// sum over the keys of weight * slope, for four queries.
f32x4 weightedSlope(const float* weights, const float* slopes, int rows) {
  f32x4 sum{};
  for (int r = 0; r < rows; ++r, weights += kGroup, slopes += kGroup) {
    const f32x4 weight = load(weights);
    sum += select(weight == f32x4{}, f32x4{}, weight * load(slopes));
  }
  return sum;
}

}  // namespace

[[gnu::noinline]] void recomputeWeights(const BackwardWorkspace& w, Group& g, BlockRange keys) {
  multiplyKeys(w.plain, w.weights, g, keys);
  if (w.softcapSlopes) {
    capScores(w.plain.softcap, w.weights.block, w.softcapSlopes, (keys.to - keys.from) * kGroup);
  }
  AttentionArgs rest = w.plain;
  rest.softcap = 0;
  finishScores(rest, w.weights, g, keys);
  softmaxBlock(rest, w.weights, g, keys);
}

void recallWeights(const AttentionArgs& a, BackwardWorkspace& w, Group& g, BlockRange keys) {
  float* const group = keptGroup(a, w.kept, g.b, g.h, g.first);
  const float* const sums = group + keptGroupSize(a) - kGroup;
  for (int v = 0; v < kVectors; ++v) g.sum.v[v] = load(sums + v * kLanes);
  w.weights.block = group + keys.from * kGroup;
}

[[gnu::noinline]] void differentiateSoftmax(const AttentionArgs& a, const BackwardWorkspace& w, const Group& g,
                                            BlockRange keys) {
  if (a.dropout > 0) dropWeights(a, w.slopes, g, keys);
  const int rows = keys.to - keys.from;
  for (int v = 0; v < kVectors; ++v) {
    float* weights = w.weights.block + v * kLanes;
    float* slopes = w.slopes.block + v * kLanes;
    // A query that sees nothing has a sum of 0.
    const f32x4 inverse = select(g.sum.v[v] == f32x4{}, f32x4{}, 1.0f / g.sum.v[v]);
    const f32x4 mean = weightedSlope(weights, slopes, rows) * inverse;
    for (int r = 0; r < rows; ++r, weights += kGroup, slopes += kGroup) {
      const i32x4 hidden = load(weights) == f32x4{};
      const f32x4 weight = load(weights) * inverse;
      store(weights, select(hidden, f32x4{}, weight));
      store(slopes, select(hidden, f32x4{}, weight * (load(slopes) - mean)));
    }
  }
  if (a.dropout > 0) dropWeights(a, w.weights, g, keys);
}

void differentiateSoftcap(const BackwardWorkspace& w, BlockRange keys) {
  for (int i = 0; i < (keys.to - keys.from) * kGroup; i += kLanes) {
    const f32x4 slope = load(w.slopes.block + i);
    // What is masked may have a derivative of NaN.
    store(w.slopes.block + i, select(slope == f32x4{}, f32x4{}, slope * load(w.softcapSlopes + i)));
  }
}

void addBiasGradient(const AttentionArgs& a, const BackwardWorkspace& w, const Group& g, BlockRange keys, float* bias) {
  const int to = a.biasStep == 0 ? keys.to : std::min(keys.to, a.biasColumns);
  bias += static_cast<ptrdiff_t>(g.b) * a.biasStrides.batch + static_cast<ptrdiff_t>(g.h) * a.biasStrides.head +
          static_cast<ptrdiff_t>(g.first) * a.biasStrides.row;
  for (int lane = 0; lane < g.count; ++lane, bias += a.biasStrides.row) {
    const float* slopes = w.slopes.block + lane;
    if (a.biasStep == 0) {
      float sum = 0;
      for (int j = keys.from; j < to; ++j) sum += slopes[(j - keys.base) * kGroup];
      bias[0] += sum;
    } else {
      for (int j = keys.from; j < to; ++j) bias[j] += slopes[(j - keys.base) * kGroup];
    }
  }
}

void transposeBlock(const float* block, int rows, int index, float* panels) {
  panels += index * kGroup * kLanes;
  for (int r = 0; r < rows; r += kLanes, block += kLanes * kGroup, panels += kBackwardQueries * kLanes) {
    for (int lane = 0; lane < kGroup; lane += kLanes) {
      f32x4 four[kLanes];
      for (int c = 0; c < kLanes; ++c) four[c] = load(block + c * kGroup + lane);
      transpose(four[0], four[1], four[2], four[3]);
      for (int c = 0; c < kLanes; ++c) store(panels + (lane + c) * kLanes, four[c]);
    }
  }
}

void placeBlock(const float* block, BlockRange keys, BlockRange tile, int index, float* panels) {
  constexpr int kPanel = kBackwardQueries * kTileRows;
  const auto clear = [&](int from, int to) {
    for (int j = from; j < to; j += kTileRows) {
      float* group = panels + (j - tile.from) / kTileRows * kPanel + index * kGroup * kTileRows;
      std::fill(group, group + kGroup * kTileRows, 0.0f);
    }
  };
  clear(tile.from, keys.from);
  transposeBlock(block, keys.to - keys.from, index, panels + (keys.from - tile.from) / kTileRows * kPanel);
  clear(keys.to, tile.to);
}

}  // namespace wasm_attention
