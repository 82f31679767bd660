#include <algorithm>

#include "attention.h"
#include "layers/encoder_passes.h"
#include "layers/rotate_heads.h"

namespace wasm_attention {
namespace {

struct BackwardScratch {
  float *dropped, *back;  // (B, L, D) each: the gradient behind dropout, the one before the sublayer
  float* joined;          // (B, L, 3 * D)
  float* rest;            // of the step that is under way
  size_t size;

  BackwardScratch(const TransformerEncoderLayerArgs& args, float* scratch) {
    const EncoderSizes n(args);
    Cutter cut(scratch);
    dropped = cut.take(n.elements);
    back = cut.take(n.elements);
    joined = cut.take(3 * n.elements);
    rest = cut.take(std::max({scaledDotProductAttentionBackwardScratch(args.attention),
                              feedForwardBackwardScratch(n.rows, n.width, n.hiddenWidth),
                              linearBackwardScratch(n.rows, n.width, 3 * n.width)}));
    size = cut.used();
  }
};

/// From the gradient at the heads' outputs to that at the joined projections.
void attendBackward(const TransformerEncoderLayerGradArgs& args, const EncoderSteps& steps, const BackwardScratch& w,
                    const float* grad_heads) {
  AttentionArgs attention = attentionOf(args.layer, steps);
  attention.scratch = w.rest;
  const int width = attention.heads * attention.width;
  float* const grad_keys = w.joined + width;
  scaledDotProductAttentionBackward({attention, grad_heads, w.joined, grad_keys, w.joined + 2 * width, args.gradBias,
                                     args.gradRelativeKeys, args.gradRelativeValues});
  if (const Rotation& r = args.layer.rotation; r.queries) {
    const HeadRows rows{attention.batch, attention.queries, attention.heads, attention.width, 3 * width};
    rotateHeads<true>(w.joined, rows, r.queries, r.queryBatch, r);
    rotateHeads<true>(grad_keys, rows, r.keys, 0, r);
  }
}

}  // namespace

size_t transformerEncoderLayerBackwardScratch(const TransformerEncoderLayerArgs& args) {
  return BackwardScratch(args, nullptr).size;
}

void transformerEncoderLayerBackward(const TransformerEncoderLayerGradArgs& args) {
  const TransformerEncoderLayerArgs& layer = args.layer;
  const EncoderSteps steps(layer, layer.kept);
  const EncoderSizes n(layer);
  const EncoderParameters& p = layer.parameters;
  const EncoderParameters& g = args.gradients;
  const BackwardScratch w(layer, layer.attention.scratch);
  // In place: the gradient at a norm's output becomes that at its input.
  const auto norm1 = [&](const float* x, float* gradient) {
    layerNormBackward(gradient, x, p.norm1Weight, gradient, g.norm1Weight, g.norm1Bias, n.rows, n.width, kEncoderEps);
  };
  const auto norm2 = [&](const float* x, float* gradient) {
    layerNormBackward(gradient, x, p.norm2Weight, gradient, g.norm2Weight, g.norm2Bias, n.rows, n.width, kEncoderEps);
  };
  const auto drop = [&](EncoderDropout place) {
    dropRows(args.gradient, w.dropped, n.rows, n.width, 0, dropoutAt(layer, place));
  };

  if (!layer.preNorm) norm2(steps.sum2, args.gradient);
  drop(EncoderDropout::kFed);
  const Dropout hidden = dropoutAt(layer, EncoderDropout::kHidden);
  feedForwardBackward(w.dropped, steps.fed, steps.hidden, p.weight1, p.weight2, w.rest, w.back, g.weight1, g.bias1,
                      g.weight2, g.bias2, n.rows, n.width, n.hiddenWidth, layer.activation, hidden.seed,
                      hidden.probability);
  if (layer.preNorm) norm2(steps.sum1, w.back);
  addInPlace(w.back, args.gradient, n.elements);
  if (!layer.preNorm) norm1(steps.sum1, args.gradient);

  drop(EncoderDropout::kAttended);
  linearBackward(w.dropped, steps.heads, p.outWeight, w.rest, w.back, g.outWeight, g.outBias, n.rows, n.width, n.width);
  attendBackward(args, steps, w, w.back);
  linearBackward(w.joined, layer.preNorm ? steps.normed : steps.x, p.inWeight, w.rest, w.back, g.inWeight, g.inBias,
                 n.rows, n.width, 3 * n.width);
  if (layer.preNorm) norm1(steps.x, w.back);
  addInPlace(w.back, args.gradient, n.elements);
}

}  // namespace wasm_attention
