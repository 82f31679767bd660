// Attention over some sequences of a batch, for layers that process a few at a time.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// Sequences [first, first + count) of a batch.
struct Sequences {
  int first, count;
};

/// scaledDotProductAttention of these sequences; it leaves the others' results alone.
/// kept     receives the weights for attendSequencesBackward, keptWeights() floats for the whole batch; or null
/// scratch  scaledDotProductAttentionScratch() floats.
void attendSequences(const AttentionArgs& args, Sequences some, float* kept, float* scratch);

/// scaledDotProductAttentionBackward of these sequences. gradOutput, gradQuery, gradKey and gradValue begin with the
/// first of these sequences; all other arrays hold the whole batch. kept     what attendSequences kept, which is
/// overwritten; if null, the weights are computed again scratch  attendSequencesBackwardScratch() floats.
void attendSequencesBackward(const AttentionGradArgs& args, Sequences some, float* kept, float* scratch);
int64_t attendSequencesBackwardScratch(const AttentionArgs& args);

/// How many floats it takes to keep the weights. 0 means that they are not kept: because they are more than about four
/// times as large as the output, or because more than the softmax of the keys lies between scores and weights.
int64_t keptWeights(const AttentionArgs& args);

}  // namespace wasm_attention
