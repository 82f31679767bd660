// The softmax of a block, online: maxima, exponentials, sums, and what was gathered before brought to the new maximum.
//
// Versions tried (ns for four scores; wasm, Xeon of the Sapphire Rapids kind, Node 20, whose three float ports
// allow 1.9):
//   four queries at a time, two chains of maxima, polynomial in pairs (Estrin)   2.57   <- this
//   the same with two keys at a time                                             2.55, more code
//   the same with Horner's rule                                                  2.64
//   eight queries at a time (constants and sums spill), one chain of maxima      2.95
#include "attention/group.h"
#include "kernels/dropout.h"
#include "simd/exp.h"

namespace wasm_attention {
namespace {

/// The largest score of each query. Four chains, because each maximum waits for the one before.
Lanes maximum(const float* first, const float* last, Lanes max) {
  constexpr int kChains = 2;  // and two vectors
  Lanes chains[kChains] = {max, max};
  for (const float* row = first; row != last; row += kChains * kGroup) {
    for (int c = 0; c < kChains; ++c) {
      for (int v = 0; v < kVectors; ++v) {
        chains[c].v[v] = wasm_attention::max(chains[c].v[v], load(row + c * kGroup + v * kLanes));
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) max.v[v] = wasm_attention::max(chains[0].v[v], chains[1].v[v]);
  return max;
}

/// Scores to exponentials, four queries at a time: the constants of the polynomial and all else then fit the registers.
f32x4 exponentials(float* first, float* last, f32x4 base) {
  f32x4 sum{};
  for (float* row = first; row != last; row += kGroup) {
    const f32x4 p = expOfNegative(load(row) - base);
    sum += p;
    store(row, p);
  }
  return sum;
}

}  // namespace

void dropWeights(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  u32x4 row_keys[kVectors];
  for (int lane = 0; lane < kGroup; ++lane) {
    row_keys[lane / kLanes][lane % kLanes] = dropoutRow(a.seed, static_cast<uint32_t>(resultRow(a, g, lane)));
  }
  const u32x4 threshold = splat(dropoutThreshold(a.dropout));
  const float scale = 1 / (1 - a.dropout);
  for (int j = keys.from; j < keys.to; ++j) {
    float* row = w.block + (j - keys.base) * kGroup;
    for (int v = 0; v < kVectors; ++v) {
      const u32x4 bits = mix32(row_keys[v] + static_cast<uint32_t>(j) * kDropoutStep);
      const i32x4 dropped = reinterpret_cast<i32x4>(bits < threshold);
      store(row + v * kLanes, select(dropped, f32x4{}, load(row + v * kLanes) * scale));
    }
  }
}

void softmaxBlock(const AttentionArgs& a, const Workspace& w, Group& g, BlockRange keys) {
  float* const first = w.block + (keys.from - keys.base) * kGroup;
  float* const last = w.block + (keys.to - keys.base) * kGroup;
  const Lanes max = maximum(first, last, g.max);
  Lanes base;
  Lanes sum;
  for (int v = 0; v < kVectors; ++v) {
    // Where nothing is visible yet the maximum is -infinity, and -infinity - -infinity would be NaN.
    base.v[v] = select(max.v[v] == splat(-kInfinity), f32x4{}, max.v[v]);
    sum.v[v] = exponentials(first + v * kLanes, last + v * kLanes, base.v[v]);
  }

  float correction[kGroup];
  bool corrects = false;  // before the first block there is nothing to correct
  for (int v = 0; v < kVectors; ++v) {
    const f32x4 c = expOfNegative(g.max.v[v] - base.v[v]);
    corrects |= !g.fresh && anyTrue(max.v[v] != g.max.v[v]);
    store(correction + v * kLanes, c);
    g.sum.v[v] = g.sum.v[v] * c + sum.v[v];
  }
  if (corrects) {
    for (int lane = 0; lane < g.count; ++lane) {
      float* row = g.output + static_cast<size_t>(lane) * w.valueWidth;
      for (int c = 0; c < w.valueWidth; c += kLanes) store(row + c, load(row + c) * correction[lane]);
    }
  }
  g.max = max;

  if (a.dropout > 0) dropWeights(a, w, g, keys);
  if (a.weights) writeRows(a, w, g, keys, a.weights);
}

}  // namespace wasm_attention
