#include <algorithm>

#include "attention.h"
#include "layers/encoder_passes.h"
#include "layers/rotate_heads.h"

namespace wasm_attention {

size_t transformerEncoderLayerKept(const TransformerEncoderLayerArgs& args) { return EncoderSteps(args, nullptr).size; }

size_t transformerEncoderLayerScratch(const TransformerEncoderLayerArgs& args) {
  return std::max(scaledDotProductAttentionScratch(args.attention),
                  feedForwardScratch(EncoderSizes(args).rows, args.hiddenWidth));
}

void transformerEncoderLayer(const TransformerEncoderLayerArgs& args) {
  const EncoderSteps steps(args, args.kept);
  const EncoderSizes n(args);
  const EncoderParameters& p = args.parameters;
  const auto norm1 = [&](const float* x, float* out) {
    layerNorm(x, p.norm1Weight, p.norm1Bias, out, n.rows, n.width, kEncoderEps);
  };
  const auto norm2 = [&](const float* x, float* out) {
    layerNorm(x, p.norm2Weight, p.norm2Bias, out, n.rows, n.width, kEncoderEps);
  };

  if (args.preNorm) norm1(steps.x, steps.normed);
  linear(args.preNorm ? steps.normed : steps.x, args.packedIn, p.inBias, steps.joined, n.rows, n.width, 3 * n.width);
  const AttentionArgs attention = attentionOf(args, steps);
  if (const Rotation& r = args.rotation; r.queries) {
    const HeadRows rows{attention.batch, attention.queries, attention.heads, attention.width, 3 * n.width};
    rotateHeads<false>(steps.joined, rows, r.queries, r.queryBatch, r);
    rotateHeads<false>(steps.joined + n.width, rows, r.keys, 0, r);
  }
  scaledDotProductAttention(attention);
  linear(steps.heads, args.packedOut, p.outBias, steps.sum1, n.rows, n.width, n.width);
  addDropped(steps.x, steps.sum1, n.rows, n.width, dropoutAt(args, EncoderDropout::kAttended));

  (args.preNorm ? norm2(steps.sum1, steps.fed) : norm1(steps.sum1, steps.fed));
  float* const sum2 = args.preNorm ? args.output : steps.sum2;
  const Dropout hidden = dropoutAt(args, EncoderDropout::kHidden);
  feedForward(steps.fed, args.packed1, p.bias1, args.packed2, p.bias2, steps.hidden, attention.scratch, sum2, n.rows,
              n.width, n.hiddenWidth, args.activation, hidden.seed, hidden.probability);
  addDropped(args.preNorm ? steps.sum1 : steps.fed, sum2, n.rows, n.width, dropoutAt(args, EncoderDropout::kFed));
  if (!args.preNorm) norm2(sum2, args.output);
}

}  // namespace wasm_attention
