// What the two passes of an encoder layer share.
//
// Versions tried (ms for a step of training: batch 32, n = 32, D = 64, 4 heads, 128 hidden units; Sapphire Rapids, Node 20):
//   each step over the whole batch                    8.16
//   all steps over 128 rows, then over the next ones  8.09
//   the same with 256 rows                            8.02   <- this
// Versions of the backward pass tried (the same step, on a busier machine, each against the line before it):
//   weights and moments computed again                9.39
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
#include "layers/layer_norm.h"

namespace wasm_attention {

constexpr float kEncoderEps = 1e-5f;

/// The places of dropout, except for attention's weights. Each changes the seed, so that their bits differ.
enum class EncoderDropout : uint32_t { kAttended = 0x85ebca6b, kHidden = 0x27d4eb2f, kFed = 0xc2b2ae35 };

inline Dropout dropoutAt(const TransformerEncoderLayerArgs& args, EncoderDropout place) {
  return {args.attention.seed ^ static_cast<uint32_t>(place), args.training ? args.attention.dropout : 0.0f};
}

/// The sizes of a pass over some sequences.
struct EncoderSizes {
  int64_t first, rows;  // rows [first, first + rows) of (B * L)
  int width, hiddenWidth;
  int64_t elements;  // rows * width

  EncoderSizes(const TransformerEncoderLayerArgs& args, Sequences some)
      : first(int64_t{some.first} * args.attention.queries),
        rows(int64_t{some.count} * args.attention.queries),
        width(args.attention.heads * args.attention.width),
        hiddenWidth(args.hiddenWidth),
        elements(times(rows, width)) {}
};

/// How many sequences go through all steps of a pass together. What one step hands to the next has to stay in the core's cache, but
/// products of weights' gradients sum over these rows, and are quicker with many.
inline int sequencesAtOnce(const AttentionArgs& a) {
  constexpr int kRows = 256;
  return std::clamp(kRows / std::max(a.queries, 1), 1, std::max(a.batch, 1));
}

/// Calls f with a few sequences of the batch at a time. Begins with the last, because their data is still in the cache.
template <typename F>
void forSequencesBackward(const AttentionArgs& a, F f) {
  const int step = sequencesAtOnce(a);
  for (int end = a.batch; end > 0; end = (end - 1) / step * step) {
    const int first = (end - 1) / step * step;
    f(Sequences{first, end - first});
  }
}

/// The pieces of `kept`: the result of every step.
struct EncoderSteps {
  float* x;
  float* normed;  // norm1(x); preNorm only
  float* joined;  // (B, L, 3 * D): queries, keys and values side by side, rotated
  float* heads;
  float* weights;                // attention's; null unless training, and if they are computed again
  float* sum1;                   // x + dropout(attended)
  float* fed;                    // the input of the feed-forward network: norm1(sum1), or norm2(sum1) with preNorm
  float* hidden;                 // (B, L, hiddenWidth) before the activation; null unless training
  float* sum2;                   // the input of norm2; with preNorm there is none, since it would be the output
  Moments *moments1, *moments2;  // of the norms' rows; null unless training
  int64_t size;

  EncoderSteps(const TransformerEncoderLayerArgs& args, float* kept) {
    const EncoderSizes n(args, {0, args.attention.batch});
    Cutter cut(kept);
    x = cut.take(n.elements);
    normed = args.preNorm ? cut.take(n.elements) : nullptr;
    joined = cut.take(3 * n.elements);
    heads = cut.take(n.elements);
    const int64_t kept_weights = args.training ? keptWeights(args.attention) : 0;
    weights = kept_weights > 0 ? cut.take(kept_weights) : nullptr;
    sum1 = cut.take(n.elements);
    fed = cut.take(n.elements);
    hidden = args.training ? cut.take(times(n.rows, n.hiddenWidth)) : nullptr;
    sum2 = args.preNorm ? nullptr : cut.take(n.elements);
    const auto moments = [&] {
      return args.training ? reinterpret_cast<Moments*>(cut.take(times(n.rows, kMomentsFloats))) : nullptr;
    };
    moments1 = moments();
    moments2 = moments();
    size = cut.used();
  }

  /// The same pieces, beginning with the first of these rows.
  EncoderSteps from(const EncoderSizes& n) const {
    EncoderSteps some = *this;
    const auto skip = [&](float*& step, int width) {
      if (step) step += static_cast<size_t>(n.first) * width;
    };
    for (float** step : {&some.x, &some.normed, &some.heads, &some.sum1, &some.fed, &some.sum2}) skip(*step, n.width);
    skip(some.joined, 3 * n.width);
    skip(some.hidden, n.hiddenWidth);
    if (moments1) {
      some.moments1 += n.first;
      some.moments2 += n.first;
    }
    return some;
  }
};

/// The feed-forward network's arguments for these rows, without its input and output.
inline FeedForwardArgs feedForwardOf(const TransformerEncoderLayerArgs& args, const EncoderSizes& n) {
  FeedForwardArgs f{};
  f.packed1 = args.packed1;
  f.bias1 = args.parameters.bias1;
  f.packed2 = args.packed2;
  f.bias2 = args.parameters.bias2;
  f.rows = n.rows;
  f.width = n.width;
  f.hiddenWidth = n.hiddenWidth;
  f.activation = args.activation;
  const Dropout dropout = dropoutAt(args, EncoderDropout::kHidden);
  f.seed = dropout.seed;
  f.dropout = dropout.probability;
  return f;
}

/// Attention over the joined projections; the heads' outputs lie side by side.
inline AttentionArgs attentionOf(const TransformerEncoderLayerArgs& args, const EncoderSteps& steps) {
  AttentionArgs a = args.attention;
  const int width = a.heads * a.width;
  const Strides strides{3 * width * a.queries, a.width, 3 * width};
  a.query = steps.joined;
  a.key = steps.joined + width;
  a.value = steps.joined + 2 * width;
  a.queryStrides = a.keyStrides = a.valueStrides = strides;
  a.output = steps.heads;
  a.outputStrides = {width * a.queries, a.width, width};
  return a;
}

}  // namespace wasm_attention
