// The gradients of attention, one strip of queries at a time. With weights P, dP = dO V^T and dS = P * (dP - sum P *
// dP): dV += P^T dO, dK += scale * dS^T Q, dQ = scale * dS K (Dao et al. 2022, algorithm 4, in one pass over the keys).
//
// Versions tried (ms of (1, 8, 512, 64), whose forward pass takes 15.6; Sapphire Rapids, Node 20, busy):
//   strips of 32 queries     37.6   <- this
//   strips of 64 queries     36.6 to 39, and twice the memory
// Today: npm run bench -- --work attention-512-gradients
#include "attention/backward.h"

#include <algorithm>

#include "attention/rows.h"
#include "attention/sequences.h"
#include "kernels/cutter.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

/// Recomputes the weights of a block of queries from queries and keys.
void computeWeights(const AttentionArgs& a, const BackwardWorkspace& w, QueryBlock& q, KeyRange keys) {
  float* const query = w.weights.queries;
  packRows<kQueryBlock>(rowOf(a.query, a.queryStrides, q.b, q.h, q.first), a.queryStrides.row, q.count, a.width,
                        a.scale, query);
  q.query = query;
  // Lanes after the last query see nothing.
  if (q.count < kQueryBlock) q.innerEnd = q.innerBegin;
  if (a.relativeKeys) {
    q.relative = w.relativeKeys.terms;
    multiplyPanels(w.relativeKeys.panels, query, a.width, w.relativeKeys.rows, q.relative);
  }
  recomputeWeights(w, q, keys);
}

/// Computes the gradients of the scores and queries of block `index` of a strip, and packs its part of the operands of
/// the products that sum over queries.
/// strip_keys  the keys that the strip's queries see
[[gnu::noinline]] void backwardQueryBlock(const AttentionGradArgs& args, BackwardWorkspace& w, QueryBlock& q, int index,
                                          KeyRange strip_keys) {
  const AttentionArgs& a = args.attention;
  const bool blind = q.begin >= q.end;
  const int from = blind ? strip_keys.from : q.begin / kTileRows * kTileRows;
  const KeyRange keys{from, from, blind ? from : roundUp(q.end, kTileRows)};
  const int rows = keys.to - keys.from;
  if (w.kept) {
    recallWeights(a, w, q, keys);
  } else {
    computeWeights(a, w, q, keys);
  }

  packRows<kQueryBlock>(rowOf(args.gradOutput, a.outputStrides, q.b - w.firstSequence, q.h, q.first),
                        a.outputStrides.row, q.count, a.valueWidth, 1.0f, w.gradOutput);
  multiplyPanels(w.valuePanels + static_cast<size_t>(keys.from) * a.valueWidth, w.gradOutput, a.valueWidth, rows,
                 w.slopes.entries);
  if (a.relativeValues) {
    const TableWorkspace& t = w.relativeValues;
    multiplyPanels(t.panels, w.gradOutput, a.valueWidth, t.rows, t.terms);
    addByDistance(w.slopes, q, keys, a.relativeValuesClip, t.terms);
  }
  differentiateSoftmax(a, w, q, keys);

  clearVectors(w.gradQuery, static_cast<size_t>(kQueryBlock) * w.width);
  if (a.bias) addBiasGradient(a, w, q, keys, args.gradBias, args.biasCompensation);
  if (a.relativeKeys) {
    const TableWorkspace& t = w.relativeKeys;
    sumByDistance(w.slopes, q, keys, a.relativeKeysClip, t.terms);
    addEntriesProduct(t.terms, t.columns, rightOperand(t.finite), t.rows, t.rows, w.width, w.gradQuery);
    transposeEntries(t.terms, t.rows, index, t.transposed);
  }
  if (a.relativeValues) {
    const TableWorkspace& t = w.relativeValues;
    sumByDistance(w.weights, q, keys, a.relativeValuesClip, t.terms);
    transposeEntries(t.terms, t.rows, index, t.transposed);
  }
  if (a.softcap > 0) differentiateSoftcap(w, keys);
  placeEntries(w.weights.entries, keys, strip_keys, index, w.weightPanels);
  placeEntries(w.slopes.entries, keys, strip_keys, index, w.slopePanels);

  const int seen = w.seen.end - w.seen.begin;
  const float* columns = w.keyColumns + static_cast<size_t>(keys.from - w.seen.begin) * kTileCols;
  addEntriesProduct(w.slopes.entries, columns, rightOperand(w.keysFinite), std::min(keys.to, w.seen.end) - keys.from,
                    seen, w.width, w.gradQuery);
  for (int lane = 0; lane < q.count; ++lane) {
    float* to = rowOf(args.gradQuery, a.queryStrides, q.b - w.firstSequence, q.h, q.first + lane);
    scaleRow(w.gradQuery + lane * w.width, a.scale, to, a.width);
  }
}

/// The backward pass of the strip of queries that begins with `first`.
[[gnu::noinline]] void backwardStrip(const AttentionGradArgs& args, BackwardWorkspace& w, int b, int h, int first) {
  const AttentionArgs& a = args.attention;
  const int count = std::min(kStripQueries, a.queries - first);
  QueryBlock blocks[kStripBlocks];
  int begin = a.keys;
  int end = 0;
  for (int i = 0; i * kQueryBlock < count; ++i) {
    blocks[i] = placeQueryBlock(a, b, h, first + i * kQueryBlock);
    begin = std::min(begin, blocks[i].begin);
    end = std::max(end, blocks[i].end);
  }
  if (begin >= end) {
    for (int i = 0; i < count; ++i) {
      float* row = rowOf(args.gradQuery, a.queryStrides, b - w.firstSequence, h, first + i);
      std::fill(row, row + a.width, 0.0f);
    }
    return;
  }
  const int from = begin / kTileRows * kTileRows;
  const KeyRange keys{from, from, roundUp(end, kTileRows)};  // seen by any of the queries
  packStrip(a, w, rowOf(a.query, a.queryStrides, b, h, first),
            rowOf(args.gradOutput, a.outputStrides, b - w.firstSequence, h, first), count);
  for (int i = 0; i * kQueryBlock < count; ++i) backwardQueryBlock(args, w, blocks[i], i, keys);

  const int rows = keys.to - keys.from;
  const Right queries = rightOperand(w.queriesFinite);
  const Right grad_outputs = rightOperand(w.gradOutputsFinite);
  addPanelProduct(w.weightPanels, w.gradOutputColumns, grad_outputs, rows, count, w.valueWidth,
                  w.gradValue + static_cast<size_t>(from) * w.valueWidth);
  addPanelProduct(w.slopePanels, w.queryColumns, queries, rows, count, w.width,
                  w.gradKey + static_cast<size_t>(from) * w.width);
  const auto add = [&](const TableWorkspace& t, const float* columns, Right right) {
    if (t.rows > 0) addPanelProduct(t.transposed, columns, right, t.rows, count, t.width, t.gradient);
  };
  add(w.relativeKeys, w.queryColumns, queries);
  add(w.relativeValues, w.gradOutputColumns, grad_outputs);
}

float* shifted(float* address, ptrdiff_t by) { return address ? address + by : nullptr; }

void addSums(const float* sums, float* to, float* compensation, int count) {
  if (compensation) return addRun(sums, to, compensation, count);
  for (int c = 0; c < count; ++c) to[c] += sums[c];
}

void addTable(const TableWorkspace& t, int columns, float* to, float* compensation) {
  for (int r = 0; r < t.rows; ++r) {
    addSums(t.gradient + r * t.width, to + r * columns, shifted(compensation, r * columns), columns);
  }
}

/// The backward pass of one query head and its relative tables.
void backwardHead(const AttentionGradArgs& args, BackwardWorkspace& w, int b, int h) {
  const AttentionArgs& a = args.attention;
  TableWorkspace& keys = w.relativeKeys;
  TableWorkspace& values = w.relativeValues;
  const ptrdiff_t key_table = static_cast<ptrdiff_t>(h) * a.relativeKeysHead;
  const ptrdiff_t value_table = static_cast<ptrdiff_t>(h) * a.relativeValuesHead;
  for (TableWorkspace* t : {&keys, &values}) {
    std::fill(t->gradient, t->gradient + static_cast<size_t>(roundUp(t->rows, kTileRows)) * t->width, 0.0f);
  }
  if (a.relativeKeys) packTable(a.relativeKeys + key_table, a.width, keys);
  if (a.relativeValues) packTable(a.relativeValues + value_table, a.valueWidth, values);
  w.sinkSlope = {};
  for (int first = 0; first < a.queries; first += kStripQueries) backwardStrip(args, w, b, h, first);
  if (a.relativeKeys)
    addTable(keys, a.width, args.gradRelativeKeys + key_table, shifted(args.relativeKeysCompensation, key_table));
  if (a.relativeValues)
    addTable(values, a.valueWidth, args.gradRelativeValues + value_table,
             shifted(args.relativeValuesCompensation, value_table));
}

void copyRows(const float* from, int from_stride, float* to, ptrdiff_t to_stride, int rows, int columns) {
  for (int r = 0; r < rows; ++r, from += from_stride, to += to_stride) scaleRow(from, 1.0f, to, columns);
}

/// Whether each head adds only to its own gradients, so that threads can share the heads. Those of sinks are summed
/// later.
bool headsApart(const AttentionArgs& a) { return !a.bias && !a.relativeKeys && !a.relativeValues; }
int threadsOf(const AttentionArgs& a) { return headsApart(a) ? threadCount() : 1; }

/// The backward pass of one group: a head of keys and values with the query heads that read it.
/// sink_slopes  (sequences, H)
void backwardGroup(const AttentionGradArgs& args, BackwardWorkspace& w, int b, int kv, float* sink_slopes) {
  const AttentionArgs& a = args.attention;
  const int heads_per_kv = a.heads / a.kvHeads;
  packBackwardHead(a, w, b, kv);
  for (int h = kv * heads_per_kv; h < (kv + 1) * heads_per_kv; ++h) {
    backwardHead(args, w, b, h);
    if (a.sinks) sink_slopes[static_cast<size_t>(b - w.firstSequence) * a.heads + h] = -sum(w.sinkSlope.sum);
  }
  copyRows(w.gradKey, w.width, rowOf(args.gradKey, a.keyStrides, b - w.firstSequence, kv, 0), a.keyStrides.row, a.keys,
           a.width);
  copyRows(w.gradValue, w.valueWidth, rowOf(args.gradValue, a.valueStrides, b - w.firstSequence, kv, 0),
           a.valueStrides.row, a.keys, a.valueWidth);
}

}  // namespace

int64_t scaledDotProductAttentionBackwardScratch(const AttentionGradArgs& args) {
  return attendSequencesBackwardScratch(args.attention);
}

void scaledDotProductAttentionBackward(const AttentionGradArgs& args, float* scratch) {
  attendSequencesBackward(args, {0, args.attention.batch}, nullptr, scratch);
}

int64_t attendSequencesBackwardScratch(const AttentionArgs& a) {
  return BackwardWorkspace(a, nullptr).size * threadsOf(a) + (a.sinks ? times(a.batch, a.heads) : 0);
}

void attendSequencesBackward(const AttentionGradArgs& args, Sequences sequences, float* kept, float* scratch) {
  const AttentionArgs& a = args.attention;
  const int64_t size = BackwardWorkspace(a, nullptr).size;
  float* const sink_slopes = scratch + size * threadsOf(a);
  const auto attend = [&](int i, int thread) {
    BackwardWorkspace w(a, scratch + thread * size);
    w.kept = kept;
    w.firstSequence = sequences.first;
    backwardGroup(args, w, sequences.first + i / a.kvHeads, i % a.kvHeads, sink_slopes);
  };
  // Five products; the forward pass has two.
  const double work = 2.5 * sequences.count * a.heads * scoreCount(a) * (a.width + a.valueWidth);
  parallelFor(sequences.count * a.kvHeads, headsApart(a) ? work : -1, attend);
  for (int b = 0; a.sinks && b < sequences.count; ++b) {
    addSums(sink_slopes + static_cast<size_t>(b) * a.heads, args.gradSinks, args.sinksCompensation, a.heads);
  }
}

}  // namespace wasm_attention
