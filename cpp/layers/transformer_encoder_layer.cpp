#include <algorithm>

#include "attention.h"
#include "kernels/parallel.h"
#include "layers/encoder_passes.h"
#include "layers/feed_forward.h"
#include "layers/rotate_heads.h"

namespace wasm_attention {
namespace {

/// Not inlined, so that an engine can swap in its optimised code during the first pass.
[[gnu::noinline]] void encode(const TransformerEncoderLayerArgs& args, const EncoderSteps& all, Sequences some,
                              float* scratch) {
  const EncoderSizes n(args, some);
  const EncoderSteps steps = all.from(n);
  const EncoderParameters& p = args.parameters;
  float* const output = args.output + static_cast<size_t>(n.first) * n.width;
  const auto norm1 = [&](const float* x, float* out) {
    normRows(Norm::kLayer, x, p.norm1Weight, p.norm1Bias, out, steps.moments1, n.rows, n.width, kEncoderEps);
  };
  const auto norm2 = [&](const float* x, float* out) {
    normRows(Norm::kLayer, x, p.norm2Weight, p.norm2Bias, out, steps.moments2, n.rows, n.width, kEncoderEps);
  };

  if (args.preNorm) norm1(steps.x, steps.normed);
  linear(args.preNorm ? steps.normed : steps.x, args.packedIn, p.inBias, steps.joined, n.rows, n.width, 3 * n.width);
  const AttentionArgs attention = attentionOf(args, all);
  if (const Rotation& r = args.rotation; r.queries) {
    const HeadRows rows{some.count, attention.queries, attention.heads, attention.width, 3 * n.width};
    rotateHeads<false>(steps.joined, rows, r.queries + some.first * r.queryBatch, r.queryBatch, r);
    rotateHeads<false>(steps.joined + n.width, rows, r.keys + some.first * r.keyBatch, r.keyBatch, r);
  }
  attendSequences(attention, some, steps.weights, scratch);
  linear(steps.heads, args.packedOut, p.outBias, steps.sum1, n.rows, n.width, n.width);
  addDropped(steps.x, steps.sum1, n.rows, n.width, n.first, dropoutAt(args, EncoderDropout::kAttended));

  (args.preNorm ? norm2(steps.sum1, steps.fed) : norm1(steps.sum1, steps.fed));
  float* const sum2 = args.preNorm ? output : steps.sum2;
  FeedForwardArgs feed = feedForwardOf(args, n);
  feed.x = steps.fed;
  feed.hidden = steps.hidden;
  feed.out = sum2;
  feedForwardRows(feed, n.first, scratch);
  addDropped(args.preNorm ? steps.sum1 : steps.fed, sum2, n.rows, n.width, n.first,
             dropoutAt(args, EncoderDropout::kFed));
  if (!args.preNorm) norm2(sum2, output);
}

constexpr int kPasses = 4;  // for each thread

/// Whether each thread takes some sequences through all steps. If there are few sequences, threads share each step instead.
bool sharesPasses(const AttentionArgs& a) { return threadCount() > 1 && a.batch >= 2 * threadCount(); }

int64_t passScratch(const TransformerEncoderLayerArgs& args) {
  const EncoderSizes n(args, {0, sequencesAtOnce(args.attention)});
  return std::max(scaledDotProductAttentionScratch(args.attention), feedForwardScratch(feedForwardOf(args, n)));
}

}  // namespace

int64_t transformerEncoderLayerKept(const TransformerEncoderLayerArgs& args) {
  return EncoderSteps(args, nullptr).size;
}

int64_t transformerEncoderLayerScratch(const TransformerEncoderLayerArgs& args) {
  return passScratch(args) * (sharesPasses(args.attention) ? threadCount() : 1);
}

void transformerEncoderLayer(const TransformerEncoderLayerArgs& args, float* scratch) {
  const EncoderSteps steps(args, args.kept);
  const AttentionArgs& a = args.attention;
  const EncoderSizes n(args, {0, a.batch});
  const double work = static_cast<double>(n.elements) * (4 * n.width + 2 * n.hiddenWidth);
  wakeThreads(work);
  int step = sequencesAtOnce(a);
  const bool shared = sharesPasses(a) && worthSharing(work);
  if (shared) step = std::clamp(a.batch / (kPasses * threadCount()), 1, step);
  const int64_t pass = passScratch(args);
  parallelFor((a.batch + step - 1) / step, shared ? work : -1, [&](int i, int thread) {
    encode(args, steps, {i * step, std::min(step, a.batch - i * step)}, scratch + thread * pass);
  });
}

}  // namespace wasm_attention
