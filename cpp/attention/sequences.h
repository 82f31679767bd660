// Attention over some of a batch's sequences, for a layer that takes them a few at a time.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// Sequences [first, first + count) of a batch.
struct Sequences {
  int first, count;
};

/// scaledDotProductAttention of these sequences; those before and behind are left alone.
void attendSequences(const AttentionArgs& args, Sequences some);

/// scaledDotProductAttentionBackward of these sequences. gradOutput, gradQuery, gradKey and gradValue begin with the first of
/// them; all else is the batch's.
void attendSequencesBackward(const AttentionGradArgs& args, Sequences some);

}  // namespace wasm_attention
