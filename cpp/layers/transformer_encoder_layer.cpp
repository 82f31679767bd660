#include <algorithm>

#include "attention.h"
#include "layers/encoder_passes.h"
#include "layers/feed_forward.h"
#include "layers/rotate_heads.h"

namespace wasm_attention {
namespace {

/// A function of its own, so that an engine's optimised code comes into play while the first pass is still under way.
[[gnu::noinline]] void encode(const TransformerEncoderLayerArgs& args, const EncoderSteps& all, Sequences some) {
  const EncoderSizes n(args, some);
  const EncoderSteps steps = all.from(n);
  const EncoderParameters& p = args.parameters;
  float* const output = args.output + static_cast<size_t>(n.first) * n.width;
  const auto norm1 = [&](const float* x, float* out) {
    normRows(x, p.norm1Weight, p.norm1Bias, out, steps.moments1, n.rows, n.width, kEncoderEps);
  };
  const auto norm2 = [&](const float* x, float* out) {
    normRows(x, p.norm2Weight, p.norm2Bias, out, steps.moments2, n.rows, n.width, kEncoderEps);
  };

  if (args.preNorm) norm1(steps.x, steps.normed);
  linear(args.preNorm ? steps.normed : steps.x, args.packedIn, p.inBias, steps.joined, n.rows, n.width, 3 * n.width);
  const AttentionArgs attention = attentionOf(args, all);
  if (const Rotation& r = args.rotation; r.queries) {
    const HeadRows rows{some.count, attention.queries, attention.heads, attention.width, 3 * n.width};
    rotateHeads<false>(steps.joined, rows, r.queries + some.first * r.queryBatch, r.queryBatch, r);
    rotateHeads<false>(steps.joined + n.width, rows, r.keys, 0, r);
  }
  attendSequences(attention, some, steps.weights);
  linear(steps.heads, args.packedOut, p.outBias, steps.sum1, n.rows, n.width, n.width);
  addDropped(steps.x, steps.sum1, n.rows, n.width, n.first, dropoutAt(args, EncoderDropout::kAttended));

  (args.preNorm ? norm2(steps.sum1, steps.fed) : norm1(steps.sum1, steps.fed));
  float* const sum2 = args.preNorm ? output : steps.sum2;
  feedForwardRows(steps.fed, args.packed1, p.bias1, args.packed2, p.bias2, steps.hidden, attention.scratch, sum2,
                  n.first, n.rows, n.width, n.hiddenWidth, args.activation, dropoutAt(args, EncoderDropout::kHidden));
  addDropped(args.preNorm ? steps.sum1 : steps.fed, sum2, n.rows, n.width, n.first,
             dropoutAt(args, EncoderDropout::kFed));
  if (!args.preNorm) norm2(sum2, output);
}

}  // namespace

size_t transformerEncoderLayerKept(const TransformerEncoderLayerArgs& args) { return EncoderSteps(args, nullptr).size; }

size_t transformerEncoderLayerScratch(const TransformerEncoderLayerArgs& args) {
  return std::max(scaledDotProductAttentionScratch(args.attention),
                  feedForwardScratch(args.attention.batch * args.attention.queries, args.hiddenWidth));
}

void transformerEncoderLayer(const TransformerEncoderLayerArgs& args) {
  const EncoderSteps steps(args, args.kept);
  forSequences(args.attention, [&](Sequences some) { encode(args, steps, some); });
}

}  // namespace wasm_attention
