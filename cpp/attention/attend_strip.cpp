#include <algorithm>
#include <cmath>

#include "attention/query_block.h"
#include "attention/rows.h"
#include "kernels/pack.h"

namespace wasm_attention {
namespace {

/// Sets up block `index` of a strip: scales and packs its queries.
QueryBlock startQueryBlock(const AttentionArgs& a, const Workspace& w, int b, int h, int first, int index) {
  QueryBlock q = placeQueryBlock(a, b, h, first);
  if (wantsHiddenScores(a)) {
    q.begin = 0;
    q.end = a.keys;
  }
  q.output = w.outputs + static_cast<size_t>(index) * kQueryBlock * w.valueWidth;

  q.total = w.totals ? w.totals + static_cast<size_t>(index) * 2 * totalSize(w.valueWidth) : nullptr;

  float* query = w.queries + static_cast<size_t>(index) * kQueryBlock * a.width;
  const float* rows = rowOf(a.query, a.queryStrides, b, h, first);
  if (w.packed) {
    packRows<kQueryBlock>(rows, a.queryStrides.row, q.count, a.width, a.scale, query);
  } else {
    for (int lane = 0; lane < q.count; ++lane, rows += a.queryStrides.row) {
      for (int e = 0; e < a.width; ++e) query[lane * a.width + e] = rows[e] * a.scale;
    }
  }
  q.query = query;
  q.relative = w.relativeScores + index * w.relativeScoresSize;
  if (a.relativeKeys) multiplyRelativeKeys(a, w, q);
  return q;
}

/// Divides by the sums and writes the results.
void finishQueryBlock(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, int index) {
  for (int lane = 0; lane < q.count; ++lane) {
    const float max = q.max.v[lane / kLanes][lane % kLanes];
    const float sum = q.sum.v[lane / kLanes][lane % kLanes];
    // A key or a sink makes the sum at least 1, from the largest score; NaN is not empty. Without a block of keys there
    // is no output.
    const bool empty = sum == 0 || (q.fresh && !q.folded);
    const float scale = empty ? 0.0f : 1 / sum;
    const float* from = q.output + static_cast<size_t>(lane) * w.valueWidth;
    float* to = rowOf(a.output, a.outputStrides, q.b, q.h, q.first + lane);
    if (empty) {
      std::fill(to, to + a.valueWidth, 0.0f);
    } else {
      scaleRow(from, scale, to, a.valueWidth);
    }
    const size_t row = resultRow(a, q, lane);
    if (a.logSumExp) a.logSumExp[row] = max + std::log(sum);
    if (!a.weights || empty) continue;
    for (int base = q.begin / kKeyBlock * kKeyBlock; base < q.end; base += kKeyBlock) {
      const float block_max = w.blockMax[(base / kKeyBlock * kStripBlocks + index) * kQueryBlock + lane];
      const float factor = block_max == -kInfinity ? 0.0f : scale * std::exp(block_max - max);
      const int begin = std::max(base, q.begin);
      float* const weights = a.weights + row * a.keys + begin;
      scaleRow(weights, factor, weights, std::min(base + kKeyBlock, q.end) - begin);
    }
  }
}

}  // namespace

// Not inlined, like its steps: an engine swaps in optimised code only when a function is entered, even within a long
// first call.
[[gnu::noinline]] void attendStrip(const AttentionArgs& a, Workspace& w, int b, int h, int first, float* kept) {
  QueryBlock blocks[kStripBlocks];
  const int count = std::min(kStripBlocks, (a.queries - first + kQueryBlock - 1) / kQueryBlock);
  int begin = a.keys;
  int end = 0;
  for (int i = 0; i < count; ++i) {
    blocks[i] = startQueryBlock(a, w, b, h, first + i * kQueryBlock, i);
    begin = std::min(begin, blocks[i].begin);
    end = std::max(end, blocks[i].end);
    if (a.weights) fillHidden(a, blocks[i], a.weights, 0.0f);
    if (a.scores) fillHidden(a, blocks[i], a.scores, -kInfinity);
  }
  for (int base = begin / kKeyBlock * kKeyBlock; base < end; base += kKeyBlock) {
    for (int i = 0; i < count; ++i) {
      QueryBlock& q = blocks[i];
      const int from = std::max(q.begin, base) / kTileRows * kTileRows;
      const int to = roundUp(std::min(q.end, base + kKeyBlock), kTileRows);
      if (from >= to) continue;
      const KeyRange keys{base, from, to};
      if (kept) w.entries = keptBlock(a, kept, b, h, q.first);
      multiplyKeys(a, w, q, keys);
      finishScores(a, w, q, keys);
      softmaxBlock(a, w, q, keys);
      mixValues(a, w, q, keys);
      q.fresh = false;
      if (++q.blocks == kFoldBlocks && w.totals) foldOutput(w, q);
      if (a.weights) {
        float* max = w.blockMax + (base / kKeyBlock * kStripBlocks + i) * kQueryBlock;
        for (int v = 0; v < kVectors; ++v) store(max + v * kLanes, q.max.v[v]);
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    QueryBlock& q = blocks[i];
    if (q.folded) unfoldOutput(w, q);
    finishQueryBlock(a, w, q, i);
    if (!kept) continue;
    float* const sums = keptSums(a, keptBlock(a, kept, b, h, q.first));
    for (int v = 0; v < kVectors; ++v) store(sums + v * kLanes, q.sum.v[v]);
  }
}

}  // namespace wasm_attention
