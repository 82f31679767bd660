// Attention over some of a batch's sequences, for a layer that takes them a few at a time.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// Sequences [first, first + count) of a batch.
struct Sequences {
  int first, count;
};

/// scaledDotProductAttention of these sequences; those before and behind are left alone.
/// kept  keptWeights() floats of the batch, or null: the weights, for attendSequencesBackward.
/// scratch  scaledDotProductAttentionScratch() floats.
void attendSequences(const AttentionArgs& args, Sequences some, float* kept, float* scratch);

/// scaledDotProductAttentionBackward of these sequences. gradOutput, gradQuery, gradKey and gradValue begin with the first of
/// them; all else is the batch's.
/// kept  what attendSequences left there, which is overwritten; or null, and the weights are computed again.
/// scratch  attendSequencesBackwardScratch() floats.
void attendSequencesBackward(const AttentionGradArgs& args, Sequences some, float* kept, float* scratch);
int64_t attendSequencesBackwardScratch(const AttentionArgs& args);

/// Floats that the weights take, at most about four times as many as the queries; 0 where it would be more, and where the softmax
/// is not the only thing between scores and weights.
int64_t keptWeights(const AttentionArgs& args);

}  // namespace wasm_attention
