// The online softmax of a block of keys: maxima, exponentials and sums. Earlier sums and outputs are rescaled to the
// new maximum.
//
// Versions tried (ns of four scores; Sapphire Rapids, Node 20, whose three float ports allow 1.9):
//   four queries at a time, two chains of maxima, polynomial in pairs (Estrin)   2.57   <- this
//   the same with two keys at a time                                             2.55, and more code
//   the same with Horner's rule                                                  2.64
//   eight queries at a time (constants and sums spill), one chain of maxima      2.95
// Today: npm run bench -- --work attention-128,attention-512
#include "attention/query_block.h"
#include "kernels/dropout.h"
#include "simd/exp.h"

namespace wasm_attention {
namespace {

/// The largest score of each query. Each maximum depends on the previous one, so each of the two vectors has two
/// chains, one for even keys and one for odd keys.
Lanes maximum(const float* first, const float* last, Lanes max) {
  constexpr int kChains = 2;
  Lanes chains[kChains] = {max, max};
  for (const float* row = first; row != last; row += kChains * kQueryBlock) {
    for (int c = 0; c < kChains; ++c) {
      for (int v = 0; v < kVectors; ++v) {
        chains[c].v[v] = wasm_attention::max(chains[c].v[v], load(row + c * kQueryBlock + v * kLanes));
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) max.v[v] = wasm_attention::max(chains[0].v[v], chains[1].v[v]);
  return max;
}

/// Turns the scores of four queries into exponentials, and returns their sums. Four, because with eight the registers
/// spill.
f32x4 exponentials(float* first, float* last, f32x4 base) {
  f32x4 sum{};
  for (float* row = first; row != last; row += kQueryBlock) {
    const f32x4 p = expOfNegative(load(row) - base);
    sum += p;
    store(row, p);
  }
  return sum;
}

/// The same for more keys than a block has.
[[gnu::noinline]] f32x4 sumOfBlocks(float* first, float* last, f32x4 base) {
  constexpr int kRunFloats = kKeyBlock * kQueryBlock;
  LongSum total;
  for (; last - first > kRunFloats; first += kRunFloats) total.add(exponentials(first, first + kRunFloats, base));
  total.add(exponentials(first, last, base));
  return total.sum;
}

void scaleRows(float* rows, int count, int width, const float* factors) {
  for (int lane = 0; lane < count; ++lane, rows += width) {
    for (int c = 0; c < width; c += kLanes) store(rows + c, load(rows + c) * factors[lane]);
  }
}

[[gnu::noinline]] void scaleTotal(const Workspace& w, const QueryBlock& q, const float* factors) {
  float* total = q.total;
  for (int part = 0; part < 2; ++part, total += totalSize(w.valueWidth)) {
    scaleRows(total, kQueryBlock, w.valueWidth, factors);
    float* const sums = total + kQueryBlock * w.valueWidth;
    for (int v = 0; v < kQueryBlock; v += kLanes) store(sums + v, load(sums + v) * load(factors + v));
  }
}

}  // namespace

void dropWeights(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  u32x4 row_keys[kVectors];
  for (int lane = 0; lane < kQueryBlock; ++lane) {
    row_keys[lane / kLanes][lane % kLanes] = dropoutRow(a.seed, static_cast<uint32_t>(resultRow(a, q, lane)));
  }
  const u32x4 threshold = splat(dropoutThreshold(a.dropout));
  const float scale = 1 / (1 - a.dropout);
  for (int j = keys.from; j < keys.to; ++j) {
    float* row = w.entries + (j - keys.base) * kQueryBlock;
    for (int v = 0; v < kVectors; ++v) {
      const u32x4 bits = mix32(row_keys[v] + static_cast<uint32_t>(j) * kDropoutStep);
      const i32x4 dropped = reinterpret_cast<i32x4>(bits < threshold);
      store(row + v * kLanes, select(dropped, f32x4{}, load(row + v * kLanes) * scale));
    }
  }
}

void foldOutput(const Workspace& w, QueryBlock& q) {
  const int size = totalSize(w.valueWidth), outputs = kQueryBlock * w.valueWidth;
  if (!q.folded) std::memset(q.total, 0, 2 * size * sizeof(float));
  float sums[kQueryBlock];
  for (int v = 0; v < kVectors; ++v) store(sums + v * kLanes, q.sum.v[v]);
  addRun(q.output, q.total, q.total + size, outputs);
  addRun(sums, q.total + outputs, q.total + size + outputs, kQueryBlock);
  q.sum = Lanes{};
  q.fresh = q.folded = true;
  q.blocks = 0;
}

void unfoldOutput(const Workspace& w, QueryBlock& q) {
  if (!q.fresh) foldOutput(w, q);
  q.output = q.total;
  for (int v = 0; v < kVectors; ++v) q.sum.v[v] = load(q.total + kQueryBlock * w.valueWidth + v * kLanes);
}

void softmaxBlock(const AttentionArgs& a, const Workspace& w, QueryBlock& q, KeyRange keys) {
  float* const first = w.entries + (keys.from - keys.base) * kQueryBlock;
  float* const last = w.entries + (keys.to - keys.base) * kQueryBlock;
  const Lanes max = maximum(first, last, q.max);
  Lanes base;
  for (int v = 0; v < kVectors; ++v) {
    // Before a query has seen a key its maximum is -infinity, and -infinity - -infinity would be NaN.
    base.v[v] = select(max.v[v] == splat(-kInfinity), f32x4{}, max.v[v]);
  }
  Lanes sum;
  const bool long_sum = last - first > kKeyBlock * kQueryBlock;
  for (int v = 0; v < kVectors; ++v) {
    float* const from = first + v * kLanes;
    float* const to = last + v * kLanes;
    sum.v[v] = long_sum ? sumOfBlocks(from, to, base.v[v]) : exponentials(from, to, base.v[v]);
  }

  float correction[kQueryBlock];
  bool changes = false;
  for (int v = 0; v < kVectors; ++v) {
    const f32x4 c = expOfNegative(q.max.v[v] - base.v[v]);
    changes |= anyTrue(max.v[v] != q.max.v[v]);
    store(correction + v * kLanes, c);
    q.sum.v[v] = q.sum.v[v] * c + sum.v[v];
  }
  // Before the first block there is nothing to correct.
  if (changes && !q.fresh) scaleRows(q.output, q.count, w.valueWidth, correction);
  if (changes && q.folded) scaleTotal(w, q, correction);
  q.max = max;

  if (a.dropout > 0) dropWeights(a, w, q, keys);
  if (a.weights) writeRows(a, w, q, keys, a.weights);
}

}  // namespace wasm_attention
