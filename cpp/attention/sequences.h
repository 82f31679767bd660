// Attention over some of a batch's sequences, for layers that take a few at a time.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// Sequences [first, first + count) of a batch.
struct Sequences {
  int first, count;
};

/// scaledDotProductAttention of these sequences; the others' results are not touched.
/// kept     keptWeights() floats for the whole batch, or null: the weights, for attendSequencesBackward.
/// scratch  scaledDotProductAttentionScratch() floats.
void attendSequences(const AttentionArgs& args, Sequences some, float* kept, float* scratch);

/// scaledDotProductAttentionBackward of these sequences. gradOutput, gradQuery, gradKey and gradValue begin with the first of
/// them; every other array is that of the whole batch.
/// kept     what attendSequences kept, which is overwritten; or null, and the weights are computed again.
/// scratch  attendSequencesBackwardScratch() floats.
void attendSequencesBackward(const AttentionGradArgs& args, Sequences some, float* kept, float* scratch);
int64_t attendSequencesBackwardScratch(const AttentionArgs& args);

/// Floats that keeping the weights takes. It is 0, and they cannot be kept, where they would be more than about four times the
/// output, and where there is more than the softmax between scores and weights.
int64_t keptWeights(const AttentionArgs& args);

}  // namespace wasm_attention
