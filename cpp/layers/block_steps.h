// Shared by both passes of a transformer block.
//
// Versions tried (ms for a step of training: batch 32, n = 32, D = 64, 4 heads, 128 hidden units; Sapphire Rapids, Node
// 20):
//   each step over the whole batch                    8.16
//   all steps over 128 rows, then over the next ones  8.09
//   the same with 256 rows                            8.02   <- this
// Versions of the backward pass tried (the same step, on a busier machine, each against the line before it):
//   weights and moments recomputed                    9.39
//   attention's weights kept                          9.24
//   moments of the norms' rows kept too               2 % less
//   last sequences first, slope applied at once       1 % less   <- this
// Today: npm run bench -- --work training
#pragma once

#include <algorithm>

#include "attention.h"
#include "attention/sequences.h"
#include "kernels/cutter.h"
#include "layers/dropout.h"
#include "layers/norm.h"

namespace wasm_attention {

/// The places of dropout, except for attention's weights. Each is XORed with the seed, so that their bits differ.
enum class BlockDropout : uint32_t {
  kAttended = 0x85ebca6b,
  kHidden = 0x27d4eb2f,
  kFed = 0xc2b2ae35,
  kCrossed = 0x165667b1
};

inline Dropout dropoutAt(const TransformerBlockArgs& args, BlockDropout place) {
  return {args.self.attention.seed ^ static_cast<uint32_t>(place), args.self.attention.dropout};
}

/// Whether the block has a sublayer that attends to a memory.
inline bool crosses(const TransformerBlockArgs& args) { return args.cross.attention.heads > 0; }

/// The sizes of a pass over part of the batch.
struct BlockSizes {
  int64_t first, rows;  // rows [first, first + rows) of (B * L)
  int width, hiddenWidth;
  int64_t innerWidth;  // of the feed-forward network's first result
  int64_t elements;    // rows * width

  BlockSizes(const TransformerBlockArgs& args, Sequences sequences)
      : first(int64_t{sequences.first} * args.self.attention.queries),
        rows(int64_t{sequences.count} * args.self.attention.queries),
        width(args.width),
        hiddenWidth(args.hiddenWidth),
        innerWidth((args.gated ? 2 : 1) * int64_t{args.hiddenWidth}),
        elements(times(rows, width)) {}
};

/// The largest number of tokens that a sublayer takes of a sequence.
inline int tokensOf(const TransformerBlockArgs& args) {
  return std::max(args.self.attention.queries, crosses(args) ? args.cross.attention.keys : 0);
}

/// The number of sequences that go through all steps of a pass together. Each step's results must stay in the core's
/// cache, but the products for weights' gradients sum over these rows, and are faster with many.
inline int sequencesAtOnce(const TransformerBlockArgs& args) {
  constexpr int kRows = 256;
  return std::clamp(kRows / std::max(tokensOf(args), 1), 1, std::max(args.self.attention.batch, 1));
}

/// Calls f with a few sequences at a time. Begins with the last ones, whose data is still in the cache.
template <typename F>
void forSequencesBackward(const TransformerBlockArgs& args, F f) {
  const int step = sequencesAtOnce(args);
  for (int end = args.self.attention.batch; end > 0; end = (end - 1) / step * step) {
    const int first = (end - 1) / step * step;
    f(Sequences{first, end - first});
  }
}

/// The widths of an attention's projections.
struct HeadWidths {
  int64_t queries, keys, joined;  // all heads' queries; keys, like values; queries, keys and values

  explicit HeadWidths(const AttentionArgs& a)
      : queries(int64_t{a.heads} * a.width), keys(int64_t{a.kvHeads} * a.width), joined(queries + 2 * keys) {}
};

/// The results of an attention's steps.
struct AttentionSteps {
  float* joined;   // (B, L, joined): projected queries, keys and values side by side; only queries in a cross-attention
  float* memory;   // (B, S, 2 * keys): the keys and values of a cross-attention
  float* normed;   // (B, L, joined): queries and keys after their norms, if those before are needed later; or null
  float* heads;    // (B, L, queries)
  float* weights;  // attention's; null if they are recomputed
};

/// The results of a sublayer's norm and sum: norm(x) and x + f(norm(x)) with preNorm, otherwise x + f(x) and norm(x +
/// f(x)). The second is the next sublayer's input; for the last sublayer it is the block's output, and is not kept.
struct SublayerSteps {
  float *inner, *out;
  Moments* moments;  // of the norm's rows
};

/// The pieces of `kept`: the results of all steps for the whole batch.
struct BlockSteps {
  float* x;
  AttentionSteps self, cross;
  float* hidden;               // of the feed-forward network
  SublayerSteps sublayers[3];  // self-attention, cross-attention, feed-forward network
  int64_t size;

  BlockSteps(const TransformerBlockArgs& args, float* kept) {
    const BlockSizes n(args, {0, args.self.attention.batch});
    Cutter cut(kept);
    x = cut.take(n.elements);
    self = attention(cut, args, args.self.attention, false);
    cross = crosses(args) ? attention(cut, args, args.cross.attention, true) : AttentionSteps{};
    hidden = cut.take(times(n.rows, n.innerWidth));
    for (int i = 0; i < 3; ++i) {
      const bool present = i != 1 || crosses(args);
      sublayers[i].inner = present ? cut.take(n.elements) : nullptr;
      sublayers[i].out = i == 2 ? args.output : present ? cut.take(n.elements) : sublayers[0].out;
      sublayers[i].moments = present ? reinterpret_cast<Moments*>(cut.take(times(n.rows, kMomentsFloats))) : nullptr;
    }
    size = cut.used();
  }

 private:
  static AttentionSteps attention(Cutter& cut, const TransformerBlockArgs& args, const AttentionArgs& a, bool cross) {
    const HeadWidths widths(a);
    const int64_t rows = int64_t{a.batch} * a.queries;
    AttentionSteps steps{};
    steps.joined = cut.take(times(rows, cross ? widths.queries : widths.joined));
    if (cross) steps.memory = cut.take(times(int64_t{a.batch} * a.keys, 2 * widths.keys));
    if (!cross && args.parameters.self.queryNorm) steps.normed = cut.take(times(rows, widths.joined));
    steps.heads = cut.take(times(rows, widths.queries));
    if (const int64_t weights = keptWeights(a); weights > 0) steps.weights = cut.take(weights);
    return steps;
  }
};

/// The feed-forward network's arguments for these rows, without its input and output.
inline FeedForwardArgs feedForwardOf(const TransformerBlockArgs& args, const BlockSizes& n) {
  FeedForwardArgs f{};
  f.packed1 = args.packed1;
  f.bias1 = args.parameters.bias1;
  f.packed2 = args.packed2;
  f.bias2 = args.parameters.bias2;
  f.rows = n.rows;
  f.width = n.width;
  f.hiddenWidth = n.hiddenWidth;
  f.gated = args.gated;
  f.activation = args.activation;
  const Dropout dropout = dropoutAt(args, BlockDropout::kHidden);
  f.seed = dropout.seed;
  f.dropout = dropout.probability;
  return f;
}

}  // namespace wasm_attention
