// The unit of work of the attention kernels: eight queries of one head against a block of keys.
//
// Scores lie as [key][8 queries]: what the micro-kernel makes of four keys (its rows) and a panel of eight queries (its
// columns). So the softmax runs down the keys with a query in each lane, without a horizontal step, and the block is
// itself the packed left operand of the product with the values.
#pragma once

#include "attention.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/tile.h"
#include "simd/f32x4.h"

namespace wasm_attention {

constexpr int kGroup = kTileCols;  // queries in a group
constexpr int kVectors = kGroup / kLanes;
constexpr int kGroups = 4;      // groups that share a pass over the keys
constexpr int kKeyBlock = 256;  // keys in a block: its scores (8 KB) and a panel of its values (8 KB) stay in L1
constexpr int kFewQueries =
    8;  // below this, keys and values are read as they lie: packing would cost more than it saves

/// A float for each query of a group.
struct Lanes {
  f32x4 v[kVectors];
};

/// Eight queries: where they stand, what they may see, what they have gathered.
struct Group {
  bool fresh;                // no block of keys was seen yet: output is not set
  int b, h, first, count;    // queries first <= i < first + count of head h in batch b
  int begin, end;            // keys that any of them may see
  int innerBegin, innerEnd;  // keys that all of them may see
  i32x4 begins[kVectors], ends[kVectors];
  int position;        // of the first query, among the keys
  const float* query;  // scaled: panel (E, 8), or rows (count, E) where keys are not packed
  float* relative;     // (2 * clip + 1, 8): query times row of the table of relative keys
  Lanes max, sum;      // running maximum of the scores, sum of their exponentials
  float* output;       // (8, EvPanels): unnormalised
};

/// What a call's scratch is cut into. Pointers that an option does not need stay null.
struct Workspace {
  bool packed;
  int valueWidth;         // Ev, rounded up to whole panels
  int slots;              // for packed heads of keys and values
  int ahead;              // how many heads are packed before they are needed
  Progress* packing;      // for each slot: blocks that were packed
  Progress* attending;    // and tiles of queries that are done
  float* keyPanels;       // of 4 keys; all blocks; one slot after the other, as the next two
  float* valuePanels;     // of 8 columns; block after block
  float* valuesFinite;    // one for each block: 0 where its values hold NaN or infinity
  float* relativeKeys;    // panels of 4 table rows
  float* relativeValues;  // panels of 8 columns
  float* relativeValuesFinite;

  // Of each thread.
  float* queries;         // kGroups panels
  float* outputs;         // kGroups of (8, valueWidth)
  float* block;           // (kKeyBlock, 8) scores, then weights
  float* blockMax;        // (blocks, kGroups, 8): the maximum that a block's exponentials are relative to
  float* relativeScores;  // kGroups of (2 * clip + 1, 8)
  int64_t relativeScoresSize;
  float* relativeWeights;  // (2 * clip + 1, 8) weight on each table row
  int64_t threadSize;      // floats of one thread
  int64_t size;            // floats in all

  Workspace() = default;
  Workspace(const AttentionArgs& args, float* scratch);

  /// For this thread and this slot.
  Workspace of(const AttentionArgs& args, int thread, int slot) const;
};

inline int keyBlocks(const AttentionArgs& a) { return static_cast<int>((int64_t{a.keys} + kKeyBlock - 1) / kKeyBlock); }

/// Floats of a group's weights and their sums: what keptWeights() counts.
inline int64_t keptGroupSize(const AttentionArgs& a) { return (roundUp(int64_t{a.keys}, kTileRows) + 1) * kGroup; }

/// A group's part of what is kept.
inline float* keptGroup(const AttentionArgs& a, float* kept, int b, int h, int first) {
  const size_t groups = (a.queries + kGroup - 1) / kGroup;
  return kept + ((static_cast<size_t>(b) * a.heads + h) * groups + first / kGroup) * keptGroupSize(a);
}

/// A group's row in the (B, H, L, …) results.
inline size_t resultRow(const AttentionArgs& a, const Group& g, int lane) {
  return (static_cast<size_t>(g.b) * a.heads + g.h) * a.queries + g.first + lane;
}

// The steps, each over keys [from, to) of one block that starts at key `base`; from and to are multiples of 4.
struct BlockRange {
  int base, from, to;
};

/// Eight queries from `first` on: where they stand and what they may see; nothing is packed yet.
Group placeGroup(const AttentionArgs& a, int b, int h, int first);

/// out (rows, 8) = panels of 4 rows of this depth * right (depth, 8); rows round up to 4.
void multiplyPanels(const float* panels, const float* right, int depth, int rows, float* out);

/// block = K * query.
void multiplyKeys(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys);

/// block[j][i] += terms[clip(j - i, -clip, clip) + clip][i], i and j being positions among the keys.
void addByDistance(const Workspace& w, const Group& g, BlockRange keys, int clip, const float* terms);

/// Its transpose: sums (2 * clip + 1, 8) of the block's entries by distance.
void sumByDistance(const Workspace& w, const Group& g, BlockRange keys, int clip, float* sums);

/// Drops entries of the block by the seed's bits and divides the others by 1 - dropout.
void dropWeights(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys);

/// Softcap, bias, ALiBi, relative keys, masks.
void finishScores(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys);

/// g.relative, once for a group.
void multiplyRelativeKeys(const AttentionArgs& a, const Workspace& w, const Group& g);

/// Scores to exponentials relative to the new maximum; g.output and g.sum are brought to it. Then dropout, weights.
void softmaxBlock(const AttentionArgs& a, const Workspace& w, Group& g, BlockRange keys);

/// g.output += block^T * V, and the relative values.
void mixValues(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys);

/// Copies block rows, transposed, to (L, S) results of the group.
void writeRows(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys, float* results);

/// Sets what no block of the group will write in those results.
void fillHidden(const AttentionArgs& a, const Group& g, float* results, float value);

}  // namespace wasm_attention
