#include <algorithm>

#include "attention/backward.h"
#include "simd/exp.h"
#include "simd/tanh.h"

namespace wasm_attention {
namespace {

/// Caps the scores and writes the derivative, 1 - tanh^2.
void capScores(float softcap, float* scores, float* slopes, int count) {
  const float inverse = 1 / softcap;
  for (int i = 0; i < count; i += kLanes) {
    const f32x4 t = tanh(load(scores + i) * inverse);
    store(scores + i, softcap * t);
    store(slopes + i, 1.0f - t * t);
  }
}

/// The sum of weight * slope over the keys, for four queries.
f32x4 weightedSlope(const float* weights, const float* slopes, int rows) {
  LongSum total;
  for (int r = 0; r < rows;) {
    f32x4 sum{};
    for (const int end = std::min(rows - r, kKeyBlock) + r; r < end;
         ++r, weights += kQueryBlock, slopes += kQueryBlock) {
      const f32x4 weight = load(weights);
      sum += select(weight == f32x4{}, f32x4{}, weight * load(slopes));
    }
    total.add(sum);
  }
  return total.sum;
}

}  // namespace

[[gnu::noinline]] void recomputeWeights(const BackwardWorkspace& w, QueryBlock& q, KeyRange keys) {
  multiplyKeys(w.plain, w.weights, q, keys);
  if (w.softcapSlopes) {
    capScores(w.plain.softcap, w.weights.entries, w.softcapSlopes, (keys.to - keys.from) * kQueryBlock);
  }
  AttentionArgs rest = w.plain;
  rest.softcap = 0;
  finishScores(rest, w.weights, q, keys);
  softmaxBlock(rest, w.weights, q, keys);
}

void recallWeights(const AttentionArgs& a, BackwardWorkspace& w, QueryBlock& q, KeyRange keys) {
  float* const block = keptBlock(a, w.kept, q.b, q.h, q.first);
  const float* const sums = keptSums(a, block);
  for (int v = 0; v < kVectors; ++v) q.sum.v[v] = load(sums + v * kLanes);
  w.weights.entries = block + keys.from * kQueryBlock;
}

[[gnu::noinline]] void differentiateSoftmax(const AttentionArgs& a, BackwardWorkspace& w, const QueryBlock& q,
                                            KeyRange keys) {
  if (a.dropout > 0) dropWeights(a, w.slopes, q, keys);
  const int rows = keys.to - keys.from;
  for (int v = 0; v < kVectors; ++v) {
    float* weights = w.weights.entries + v * kLanes;
    float* slopes = w.slopes.entries + v * kLanes;
    // A query that sees nothing has a sum of 0.
    const f32x4 inverse = select(q.sum.v[v] == f32x4{}, f32x4{}, 1.0f / q.sum.v[v]);
    const f32x4 mean = weightedSlope(weights, slopes, rows) * inverse;
    if (a.sinks && a.sinks[q.h] != -kInfinity) {
      w.sinkSlope.add(expOfNegative(a.sinks[q.h] - q.max.v[v]) * inverse * mean);
    }
    for (int r = 0; r < rows; ++r, weights += kQueryBlock, slopes += kQueryBlock) {
      const i32x4 hidden = load(weights) == f32x4{};
      const f32x4 weight = load(weights) * inverse;
      store(weights, select(hidden, f32x4{}, weight));
      store(slopes, select(hidden, f32x4{}, weight * (load(slopes) - mean)));
    }
  }
  if (a.dropout > 0) dropWeights(a, w.weights, q, keys);
}

void differentiateSoftcap(const BackwardWorkspace& w, KeyRange keys) {
  for (int i = 0; i < (keys.to - keys.from) * kQueryBlock; i += kLanes) {
    const f32x4 slope = load(w.slopes.entries + i);
    // A masked score's derivative may be NaN.
    store(w.slopes.entries + i, select(slope == f32x4{}, f32x4{}, slope * load(w.softcapSlopes + i)));
  }
}

void addBiasGradient(const AttentionArgs& a, const BackwardWorkspace& w, const QueryBlock& q, KeyRange keys,
                     float* bias, float* compensation) {
  const int to = a.biasStep == 0 ? keys.to : std::min(keys.to, a.biasColumns);
  const ptrdiff_t start = static_cast<ptrdiff_t>(q.b) * a.biasStrides.batch +
                          static_cast<ptrdiff_t>(q.h) * a.biasStrides.head +
                          static_cast<ptrdiff_t>(q.first) * a.biasStrides.row;
  bias += start;
  if (compensation) {
    compensation += start;
    for (int lane = 0; lane < q.count; ++lane, bias += a.biasStrides.row, compensation += a.biasStrides.row) {
      for (int j = keys.from; j < to; ++j) {
        const int at = a.biasStep == 0 ? 0 : j;
        addRun(w.slopes.entries + lane + (j - keys.base) * kQueryBlock, bias + at, compensation + at, 1);
      }
    }
    return;
  }
  for (int lane = 0; lane < q.count; ++lane, bias += a.biasStrides.row) {
    const float* slopes = w.slopes.entries + lane;
    if (a.biasStep == 0) {
      float sum = 0;
      for (int j = keys.from; j < to; ++j) sum += slopes[(j - keys.base) * kQueryBlock];
      bias[0] += sum;
    } else {
      for (int j = keys.from; j < to; ++j) bias[j] += slopes[(j - keys.base) * kQueryBlock];
    }
  }
}

void transposeEntries(const float* entries, int rows, int index, float* panels) {
  panels += index * kQueryBlock * kLanes;
  for (int r = 0; r < rows; r += kLanes, entries += kLanes * kQueryBlock, panels += kStripQueries * kLanes) {
    for (int lane = 0; lane < kQueryBlock; lane += kLanes) {
      f32x4 four[kLanes];
      for (int c = 0; c < kLanes; ++c) four[c] = load(entries + c * kQueryBlock + lane);
      transpose(four[0], four[1], four[2], four[3]);
      for (int c = 0; c < kLanes; ++c) store(panels + (lane + c) * kLanes, four[c]);
    }
  }
}

void placeEntries(const float* entries, KeyRange keys, KeyRange strip_keys, int index, float* panels) {
  constexpr int kPanel = kStripQueries * kTileRows;
  const auto clear = [&](int from, int to) {
    for (int j = from; j < to; j += kTileRows) {
      float* panel = panels + (j - strip_keys.from) / kTileRows * kPanel + index * kQueryBlock * kTileRows;
      std::fill(panel, panel + kQueryBlock * kTileRows, 0.0f);
    }
  };
  clear(strip_keys.from, keys.from);
  transposeEntries(entries, keys.to - keys.from, index, panels + (keys.from - strip_keys.from) / kTileRows * kPanel);
  clear(keys.to, strip_keys.to);
}

}  // namespace wasm_attention
