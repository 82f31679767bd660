// The unit of work of the attention kernels: a block of eight queries of one head against a block of keys.
//
// The entries are scores, later weights, in the order [key][8 queries], which is how the micro-kernel writes the
// product of four keys (its rows) and a panel of eight queries (its columns). In this order the softmax needs no sum
// across lanes, since each lane is a query, and the entries are the packed left operand of the product with the values.
#pragma once

#include "attention.h"
#include "attention/workspace.h"
#include "simd/f32x4.h"
#include "simd/long_sum.h"

namespace wasm_attention {

/// A float for each query of a block.
struct Lanes {
  f32x4 v[kVectors];
};

/// Up to eight queries: their positions, the keys that they may see, and their sums so far.
struct QueryBlock {
  bool fresh;                // the output is not set yet
  int b, h, first, count;    // queries first <= i < first + count of head h in batch b
  int begin, end;            // keys that any of them may see
  int innerBegin, innerEnd;  // keys that all of them may see
  i32x4 begins[kVectors], ends[kVectors];
  i32x4 positions[kVectors];  // of the queries among the keys
  const float* query;         // scaled: a panel (E, 8), or rows (count, E) if keys are not packed
  float* relative;  // (2 * clip + 1, 8): the product of each query with each row of the table of relative keys
  Lanes max, sum;   // running maximum of the scores, sum of their exponentials
  float* output;    // (8, valueWidth), not divided by the sums yet
  // With many blocks of keys, outputs and sums are folded into a total now and then, and start again.
  bool folded;
  int blocks;    // since the last fold
  float* total;  // (8, valueWidth) and then (8) sums; followed by the compensation of all these
};

/// Floats of a block's total.
inline int totalSize(int value_width) { return kQueryBlock * (value_width + 1); }

/// Keys [from, to) of the block that starts at key `base`; from and to are multiples of 4.
struct KeyRange {
  int base, from, to;
};

// Kept for the backward pass (keptWeights in attention/sequences.h): the entries of each block of queries, (keys
// rounded up to 4, 8), followed by their sums, (8).
inline int64_t keptBlockSize(const AttentionArgs& a) { return (roundUp(int64_t{a.keys}, kTileRows) + 1) * kQueryBlock; }
inline float* keptBlock(const AttentionArgs& a, float* kept, int b, int h, int first) {
  const size_t blocks = (a.queries + kQueryBlock - 1) / kQueryBlock;
  return kept + ((static_cast<size_t>(b) * a.heads + h) * blocks + first / kQueryBlock) * keptBlockSize(a);
}
inline float* keptSums(const AttentionArgs& a, float* block) { return block + keptBlockSize(a) - kQueryBlock; }

/// The row of query `lane` in the (B, H, L, …) results.
inline size_t resultRow(const AttentionArgs& a, const QueryBlock& q, int lane) {
  return (static_cast<size_t>(q.b) * a.heads + q.h) * a.queries + q.first + lane;
}

/// The block of queries that begins with `first`, with positions and visible keys; nothing is packed.
QueryBlock placeQueryBlock(const AttentionArgs& a, int b, int h, int first);

/// Attention of the strip of queries that begins with `first`.
/// kept  receives the weights for the backward pass; or null
void attendStrip(const AttentionArgs& a, Workspace& w, int b, int h, int first, float* kept);

// Its steps in order; each reads and changes w.entries.

/// Computes q.relative, once for each block of queries.
void multiplyRelativeKeys(const AttentionArgs& a, const Workspace& w, const QueryBlock& q);

/// entries = K * query.
void multiplyKeys(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys);

/// Applies softcap, ALiBi, relative keys, bias and masks.
void finishScores(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys);

/// Turns scores into exponentials relative to the new maximum, and rescales q.output and q.sum to it. Then applies
/// dropout and writes the weights.
void softmaxBlock(const AttentionArgs& a, const Workspace& w, QueryBlock& q, KeyRange keys);

/// Folds q.output and q.sum into their total.
void foldOutput(const Workspace& w, QueryBlock& q);
/// Moves the total to q.output and q.sum.
void unfoldOutput(const Workspace& w, QueryBlock& q);

/// q.output += entries^T * V and the relative values.
void mixValues(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys);

// Parts of these steps that the backward pass uses, too.

/// out (rows, 8) = panels * right (depth, 8). Each panel has 4 rows; `out` has space for `rows` rounded up to a
/// multiple of 4.
void multiplyPanels(const float* panels, const float* right, int depth, int rows, float* out);

/// entries[j][i] += terms[clip(j - i, -clip, clip) + clip][i], where i and j are positions among the keys.
void addByDistance(const Workspace& w, const QueryBlock& q, KeyRange keys, int clip, const float* terms);

/// The transpose of addByDistance: sums (2 * clip + 1, 8) of the entries by distance.
void sumByDistance(const Workspace& w, const QueryBlock& q, KeyRange keys, int clip, float* sums);

/// Applies dropout: sets entries to 0 by the seed's bits, and divides the others by 1 - dropout.
void dropWeights(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys);

/// Copies the entries to the (L, S) rows of their queries in `results`.
void writeRows(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys, float* results);

/// Fills the part of these rows that writeRows skips: keys before and after those that the block visits.
void fillHidden(const AttentionArgs& a, const QueryBlock& q, float* results, float value);

}  // namespace wasm_attention
