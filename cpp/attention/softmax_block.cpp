#include "attention/group.h"
#include "kernels/dropout.h"
#include "simd/exp.h"

namespace wasm_attention {
namespace {

void drop(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
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

}  // namespace

void softmaxBlock(const AttentionArgs& a, const Workspace& w, Group& g, BlockRange keys) {
  float* const first = w.block + (keys.from - keys.base) * kGroup;
  float* const last = w.block + (keys.to - keys.base) * kGroup;
  Lanes max = g.max;
  for (const float* row = first; row != last; row += kGroup) {
    for (int v = 0; v < kVectors; ++v) max.v[v] = wasm_attention::max(max.v[v], load(row + v * kLanes));
  }
  // Where nothing is visible yet the maximum is -infinity, and -infinity - -infinity would be NaN.
  Lanes base;
  for (int v = 0; v < kVectors; ++v) base.v[v] = select(max.v[v] == splat(-kInfinity), f32x4{}, max.v[v]);

  Lanes sum{};
  for (float* row = first; row != last; row += kGroup) {
    for (int v = 0; v < kVectors; ++v) {
      const f32x4 p = expOfNegative(load(row + v * kLanes) - base.v[v]);
      sum.v[v] += p;
      store(row + v * kLanes, p);
    }
  }

  float correction[kGroup];
  bool corrects = false;
  for (int v = 0; v < kVectors; ++v) {
    const f32x4 c = expOfNegative(g.max.v[v] - base.v[v]);
    corrects |= anyTrue(max.v[v] != g.max.v[v]);
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

  if (a.dropout > 0) drop(a, w, g, keys);
  if (a.weights) writeRows(a, w, g, keys, a.weights);
}

}  // namespace wasm_attention
