// Attention over part of a batch, for layers that process a few sequences at a time.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// Sequences [first, first + count) of a batch.
struct Sequences {
  int first, count;
};

/// scaledDotProductAttention of these sequences; the others' results stay unchanged.
/// kept     receives the weights for attendSequencesBackward, keptWeights() floats for the whole batch; or null
/// scratch  scaledDotProductAttentionScratch() floats.
void attendSequences(const AttentionArgs& args, Sequences sequences, float* kept, float* scratch);

/// scaledDotProductAttentionBackward of these sequences. gradOutput, gradQuery, gradKey and gradValue begin with the
/// first of these sequences; all other arrays hold the whole batch.
/// kept     from attendSequences, overwritten; if null, the weights are recomputed
/// scratch  attendSequencesBackwardScratch() floats.
void attendSequencesBackward(const AttentionGradArgs& args, Sequences sequences, float* kept, float* scratch);
int64_t attendSequencesBackwardScratch(const AttentionArgs& args);

/// The number of floats for keeping the weights; 0 if they are not kept, because they are more than about four times as
/// large as the output, or because scores become weights by more than a softmax over the keys.
int64_t keptWeights(const AttentionArgs& args);

}  // namespace wasm_attention
