// The working memory of an attention call, and the sizes of its blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention.h"
#include "kernels/pack.h"
#include "kernels/tile.h"
#include "simd/f32x4.h"

namespace wasm_attention {

constexpr int kQueryBlock = kTileCols;  // queries in a block: one panel of the micro-kernel
constexpr int kVectors = kQueryBlock / kLanes;
constexpr int kStripBlocks = 4;  // blocks of queries in a strip, which share a pass over the keys
constexpr int kStripQueries = kStripBlocks * kQueryBlock;
constexpr int kKeyBlock = 256;  // keys in a block: its scores (8 KB) and a panel of its values (8 KB) stay in L1
// The number of blocks of keys whose outputs are summed plainly; more are summed with compensation.
constexpr int kFoldBlocks = 16;
// With fewer queries, keys and values are not packed, which would cost more than it saves.
constexpr int kFewQueries = 8;
constexpr int kMostSlots = 64;  // for packed heads, with any number of threads

inline int queryStrips(const AttentionArgs& a) {
  return static_cast<int>((int64_t{a.queries} + kStripQueries - 1) / kStripQueries);
}
inline int keyBlocks(const AttentionArgs& a) { return static_cast<int>((int64_t{a.keys} + kKeyBlock - 1) / kKeyBlock); }

/// Whether the caller requests scores before masking, for which masked keys are multiplied, too.
inline bool wantsHiddenScores(const AttentionArgs& a) {
  return a.scoresStage == ScoresStage::kScaled || a.scoresStage == ScoresStage::kSoftcapped;
}

/// Whether each query head has its own relative tables; heads are then processed one at a time.
inline bool hasOwnTables(const AttentionArgs& a) { return a.relativeKeysHead != 0 || a.relativeValuesHead != 0; }

/// A call's scratch, cut into pieces. Pointers for options that are not used stay null.
struct Workspace {
  bool packed;     // whether keys and values are copied into panels
  int valueWidth;  // Ev, rounded up to whole panels

  // Shared by all threads. A slot holds the packed keys and values of one head.
  int slots;
  int ahead;              // the number of heads packed ahead
  float* keyPanels;       // of 4 keys, all blocks
  float* valuePanels;     // of 8 columns, block after block
  float* valuesFinite;    // one for each block: 0 if its values hold NaN or infinity, else 1
  float* relativeKeys;    // panels of 4 table rows
  float* relativeValues;  // panels of 8 columns
  float* relativeValuesFinite;

  // Each thread has its own.
  float* queries;         // kStripBlocks panels
  float* outputs;         // kStripBlocks of (8, valueWidth)
  float* totals;          // kStripBlocks of 2 * (8, valueWidth + 1): QueryBlock::total; null for few keys
  float* entries;         // (kKeyBlock, 8): a key's scores with each query, then its weights
  float* blockMax;        // (key blocks, kStripBlocks, 8): the maximum that a block's exponentials are relative to
  float* relativeScores;  // kStripBlocks of (2 * clip + 1, 8)
  int64_t relativeScoresSize;
  float* relativeWeights;  // (2 * clip + 1, 8): the weight on each table row
  int64_t threadSize;      // floats of one thread
  int64_t size;            // floats in all

  Workspace() = default;

  /// With a null scratch only the sizes are meaningful.
  Workspace(const AttentionArgs& args, float* scratch);

  /// The part of the workspace for a thread and the head in a slot.
  Workspace of(const AttentionArgs& args, int thread, int slot) const;
};

/// Packs one block of a head's keys and values, unless no query of the batch may see any of it.
void packKeyBlock(const AttentionArgs& a, const Workspace& w, int b, int kv_head, int block);

/// Packs the tables of relative keys and values of a query head.
void packRelativeTables(const AttentionArgs& a, const Workspace& w, int h);

}  // namespace wasm_attention
