// wasm-attention — every operation of the C++ library: formula, shapes, aliasing, source.
//
// Conventions
//   Matrices are row-major float32. Outputs come after inputs, then sizes, then scalars.
//   Nothing here allocates, throws or validates: callers hand in memory of the stated sizes; asserts guard it in debug
//   builds. An operation that needs working memory says how much through its `…Scratch` function, in floats.
//
// Dimension letters (Vaswani et al. 2017)
//   B  batch            H  query heads       Hkv  key/value heads (H is a multiple of Hkv)
//   L  queries          S  keys, past included
//   E  head width       Ev value width       D  model width (H * E in a layer)
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

/// Softmax of each row over its first `valid[i]` entries; the rest, and a row with none, become zero.
/// Entries of -infinity are masked too. Entries at or beyond `valid[i]` are never read, so NaN there is harmless.
/// x, out  (rows, cols), row-major; may be the same buffer.
/// valid   (rows), 0 <= valid[i] <= cols; null means all of every row.
/// Source: d2l.ai, section "Attention Scoring Functions".
void maskedSoftmax(const float* x, const int32_t* valid, float* out, int rows, int cols);

/// Where the scores are copied out of their making.
enum class ScoresStage : int32_t { kNone = 0, kScaled = 1, kSoftcapped = 2, kMasked = 3 };

/// A stack of matrices: the distance in floats from one batch, head and row to the next. Rows are contiguous.
struct Strides {
  int32_t batch, head, row;
};

/// What `scaledDotProductAttention` reads. Every field is 4 bytes wide in wasm, where JavaScript fills it in this order
/// (web/lib/attentionArgs.ts); null (0) stands for an option that is not used.
struct AttentionArgs {
  int32_t batch, heads, kvHeads, queries, keys, width, valueWidth;

  const float* query;  // (B, H, L, E)
  Strides queryStrides;
  const float* key;  // (B, Hkv, S, E)
  Strides keyStrides;
  const float* value;  // (B, Hkv, S, Ev)
  Strides valueStrides;
  float* output;  // (B, H, L, Ev)
  Strides outputStrides;

  const int32_t* validLens;  // query i of batch b sees keys j < validLens[b * validBatch + i * validRow]
  int32_t validBatch, validRow;
  const int32_t* offsets;  // (B): position of query 0 among the keys; null means 0
  int32_t windowLeft,
      windowRight;  // i + offset - left <= j <= i + offset + right; -1 leaves a side open; causal: right 0

  // Broadcast against (B, H, L, S) by strides of 0; `columns` of the last axis are given, the rest are false
  // (-infinity). One column repeats where `step` is 0.
  const uint8_t* mask;
  Strides maskStrides;
  int32_t maskColumns, maskStep;
  const float* bias;
  Strides biasStrides;
  int32_t biasColumns, biasStep;

  const float* relativeKeys;  // (2 * clip + 1, E), one table for each head where the head stride is not 0
  int32_t relativeKeysHead, relativeKeysClip;
  const float* relativeValues;  // (2 * clip + 1, Ev)
  int32_t relativeValuesHead, relativeValuesClip;
  const float* alibiSlopes;  // (H)

  float* weights;  // (B, H, L, S), contiguous, as are the next two
  float* scores;
  ScoresStage scoresStage;
  float* logSumExp;  // (B, H, L)

  uint32_t seed;
  float* scratch;  // scaledDotProductAttentionScratch() floats

  float scale;
  float softcap;  // 0: none
  float dropout;  // probability of dropping a weight
};

/// output = dropout(softmax(masked(softcap(scale * Q K^T) + bias + relative terms))) * V
///
/// Query head h reads key/value head h / (H / Hkv). A query that may attend to nothing gives zeros and a logSumExp of
/// -infinity. Masked keys and values never reach the result, whatever they hold. Outputs alias nothing.
/// Sources: Vaswani et al. 2017; Shaw et al. 2018 (relative tables); Press et al. 2022 (ALiBi).
void scaledDotProductAttention(const AttentionArgs& args);

/// Floats of working memory that `scaledDotProductAttention` needs for these sizes.
size_t scaledDotProductAttentionScratch(const AttentionArgs& args);

}  // namespace wasm_attention
