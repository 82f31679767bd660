// The attention in a transformer block's sublayer, over part of the batch.
#pragma once

#include "layers/block_steps.h"

namespace wasm_attention {

/// An attention of a block, with the results of its steps. The keys and values of a cross-attention come from `memory`.
struct BlockAttention {
  const BlockAttentionArgs& args;
  const AttentionParameters& parameters;
  const AttentionSteps& steps;
  int width;  // D
  float normEps;
  bool cross;
  const float* memory;  // (B, S, D)

  /// Attention over the projections, for the whole batch.
  AttentionArgs attention() const;
};

inline BlockAttention selfAttention(const TransformerBlockArgs& args, const BlockSteps& steps) {
  return {args.self, args.parameters.self, steps.self, args.width, args.headEps, false, nullptr};
}
inline BlockAttention crossAttention(const TransformerBlockArgs& args, const BlockSteps& steps) {
  return {args.cross, args.parameters.cross, steps.cross, args.width, args.headEps, true, args.memory};
}

/// out (rows, D) = the sublayer's function of x (rows, D), both for these sequences only.
void attendBlock(const BlockAttention& how, Sequences sequences, const float* x, float* out, float* scratch);

/// The working memory of the backward pass.
struct AttentionBackward {
  float *packedIn, *packedMemory, *packedOut;  // the weights, to multiply gradients by
  float *joined, *memory;                      // gradients of the projections
  float* heads;

  AttentionBackward() = default;
  AttentionBackward(Cutter& cut, const AttentionArgs& a, int width, int sequences, bool cross);
  void pack(const AttentionParameters& p, const AttentionArgs& a, int width, bool cross) const;
};

/// Computes the gradient of x from that of `out`, and writes it to `to` or, if `adds`, adds it.
void attendBlockBackward(const BlockAttention& how, const OptionGradients& options, Sequences sequences,
                         const float* grad_out, const float* x, const AttentionParameters& gradients,
                         const AttentionBackward& w, float* rest, float* to, bool adds, float* grad_memory);
int64_t attendBlockBackwardScratch(const AttentionArgs& a, int width, int sequences, bool cross, bool normed);

}  // namespace wasm_attention
