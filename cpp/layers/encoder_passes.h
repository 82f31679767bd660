// What the two passes of an encoder layer share.
//
// Versions tried (ms for a step of training: batch 32, n = 32, D = 64, 4 heads, 128 hidden units; wasm, Xeon of the Sapphire
// Rapids kind, Node 20, two runs):
//   each step over the whole batch                    8.15, 8.17
//   all steps over 128 rows, then over the next ones  8.04, 8.14
//   the same with 256 rows                            8.02, 8.02   <- this
// What the forward pass knew, and the order of the way back (the same step with fresh arrays for results, on a busier machine,
// medians of interleaved samples, one pair of columns for each pair of runs):
//   attention's weights computed again / kept             9.56, 9.22, 9.39 / 9.45, 9.10, 9.17   <- this
//   moments of the norms' rows computed again / kept      9.95, 9.17 / 9.66, 9.25, least 9.08, 8.65 / 8.96, 8.37   <- this
//   first sequences first / last ones first, and the activation's slope multiplied where it is found
//                                                         10.57, 10.10, 10.50 / 10.56, 10.10, 10.20   <- this
//   in four passes of 8 sequences, for the caches' sake   no gain: 9.2 a step is 0.28 a sequence and 0.2 besides
#pragma once

#include <algorithm>

#include "attention.h"
#include "attention/sequences.h"
#include "kernels/cutter.h"
#include "layers/dropout.h"
#include "layers/layer_norm.h"

namespace wasm_attention {

constexpr float kEncoderEps = 1e-5f;

/// The places of dropout but for attention's weights, whose bits are the seed's own.
enum class EncoderDropout : uint32_t { kAttended = 0x85ebca6b, kHidden = 0x27d4eb2f, kFed = 0xc2b2ae35 };

inline Dropout dropoutAt(const TransformerEncoderLayerArgs& args, EncoderDropout place) {
  return {args.attention.seed ^ static_cast<uint32_t>(place), args.training ? args.attention.dropout : 0.0f};
}

/// Of some sequences.
struct EncoderSizes {
  int first, rows;  // rows [first, first + rows) of (B * L)
  int width, hiddenWidth;
  int64_t elements;  // rows * width

  EncoderSizes(const TransformerEncoderLayerArgs& args, Sequences some)
      : first(some.first * args.attention.queries),
        rows(some.count * args.attention.queries),
        width(args.attention.heads * args.attention.width),
        hiddenWidth(args.hiddenWidth),
        elements(times(int64_t{some.count} * args.attention.queries, width)) {}
};

/// How many sequences go through all steps of a pass before the next ones: their rows are what a weight's gradient is summed
/// over at a time, and what passes between the steps stays in a core's own cache.
inline int sequencesAtOnce(const AttentionArgs& a) {
  constexpr int kRows = 256;
  return std::clamp(kRows / std::max(a.queries, 1), 1, std::max(a.batch, 1));
}

/// Calls f with sequences of the batch, a few at a time, the last ones first: what they left is still in the cache.
template <typename F>
void forSequencesBackward(const AttentionArgs& a, F f) {
  const int step = sequencesAtOnce(a);
  for (int end = a.batch; end > 0; end = (end - 1) / step * step) {
    const int first = (end - 1) / step * step;
    f(Sequences{first, end - first});
  }
}

/// What `kept` is cut into: every step's result.
struct EncoderSteps {
  float* x;
  float* normed;  // norm1(x); preNorm only
  float* joined;  // (B, L, 3 * D): queries, keys and values side by side, rotated
  float* heads;
  float* weights;                // attention's; null unless training, and where they are computed again
  float* sum1;                   // x + dropout(attended)
  float* fed;                    // the feed-forward network's input: the first norm of sum1, with preNorm the second
  float* hidden;                 // (B, L, hiddenWidth) before the activation; null unless training
  float* sum2;                   // before the last norm; not with preNorm, where it is the output
  Moments *moments1, *moments2;  // of the norms' rows; null unless training
  int64_t size;

  EncoderSteps(const TransformerEncoderLayerArgs& args, float* kept) {
    const EncoderSizes n(args, {0, args.attention.batch});
    const int64_t rows = int64_t{args.attention.batch} * args.attention.queries;
    Cutter cut(kept);
    x = cut.take(n.elements);
    normed = args.preNorm ? cut.take(n.elements) : nullptr;
    joined = cut.take(3 * n.elements);
    heads = cut.take(n.elements);
    const int64_t kept_weights = args.training ? keptWeights(args.attention) : 0;
    weights = kept_weights > 0 ? cut.take(kept_weights) : nullptr;
    sum1 = cut.take(n.elements);
    fed = cut.take(n.elements);
    hidden = args.training ? cut.take(times(rows, n.hiddenWidth)) : nullptr;
    sum2 = args.preNorm ? nullptr : cut.take(n.elements);
    const auto moments = [&] {
      return args.training ? reinterpret_cast<Moments*>(cut.take(rows * kMomentsFloats)) : nullptr;
    };
    moments1 = moments();
    moments2 = moments();
    size = cut.used();
  }

  /// The same from the first of these rows on.
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

/// The feed-forward network over these rows, but for its input and output.
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

/// Attention over the joined projections, its heads' outputs side by side.
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
