// What the two passes of an encoder layer share.
#pragma once

#include "attention.h"
#include "kernels/cutter.h"
#include "layers/dropout.h"

namespace wasm_attention {

constexpr float kEncoderEps = 1e-5f;

/// The places of dropout but for attention's weights, whose bits are the seed's own.
enum class EncoderDropout : uint32_t { kAttended = 0x85ebca6b, kHidden = 0x27d4eb2f, kFed = 0xc2b2ae35 };

inline Dropout dropoutAt(const TransformerEncoderLayerArgs& args, EncoderDropout place) {
  return {args.attention.seed ^ static_cast<uint32_t>(place), args.training ? args.attention.dropout : 0.0f};
}

struct EncoderSizes {
  int rows, width, hiddenWidth;
  size_t elements;  // rows * width

  explicit EncoderSizes(const TransformerEncoderLayerArgs& args)
      : rows(args.attention.batch * args.attention.queries),
        width(args.attention.heads * args.attention.width),
        hiddenWidth(args.hiddenWidth),
        elements(static_cast<size_t>(rows) * width) {}
};

/// What `kept` is cut into: every step's result.
struct EncoderSteps {
  float* x;
  float* normed;  // norm1(x); preNorm only
  float* joined;  // (B, L, 3 * D): queries, keys and values side by side, rotated
  float* heads;
  float* sum1;    // x + dropout(attended)
  float* fed;     // the feed-forward network's input: the first norm of sum1, with preNorm the second
  float* hidden;  // (B, L, hiddenWidth) before the activation; null unless training
  float* sum2;    // before the last norm; not with preNorm, where it is the output
  size_t size;

  EncoderSteps(const TransformerEncoderLayerArgs& args, float* kept) {
    const EncoderSizes n(args);
    Cutter cut(kept);
    x = cut.take(n.elements);
    normed = args.preNorm ? cut.take(n.elements) : nullptr;
    joined = cut.take(3 * n.elements);
    heads = cut.take(n.elements);
    sum1 = cut.take(n.elements);
    fed = cut.take(n.elements);
    hidden = args.training ? cut.take(static_cast<size_t>(n.rows) * n.hiddenWidth) : nullptr;
    sum2 = args.preNorm ? nullptr : cut.take(n.elements);
    size = cut.used();
  }
};

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
