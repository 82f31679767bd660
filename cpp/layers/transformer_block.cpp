#include <algorithm>

#include "attention.h"
#include "kernels/parallel.h"
#include "layers/block_attention.h"
#include "layers/block_steps.h"
#include "layers/feed_forward.h"

namespace wasm_attention {
namespace {

/// The current sequences' rows.
float* from(float* rows, const BlockSizes& n) { return rows + n.first * n.width; }

/// x + dropout(f(x)), with the norm before f or after the sum; x becomes the result.
template <typename F>
void sublayer(const TransformerBlockArgs& args, const BlockSizes& n, const SublayerSteps& steps,
              const NormParameters& p, BlockDropout place, float*& x, const F& f) {
  float *const inner = from(steps.inner, n), *const out = from(steps.out, n);
  Moments* const moments = steps.moments + n.first;
  const auto norm = [&](const float* of, float* to) {
    normRows(args.norm, of, p.weight, p.bias, to, moments, n.rows, n.width, args.eps);
  };
  if (args.preNorm) norm(x, inner);
  float* const sum = args.preNorm ? out : inner;
  f(args.preNorm ? inner : x, sum);
  addDropped(x, sum, n.rows, n.width, n.first, dropoutAt(args, place));
  if (!args.preNorm) norm(sum, out);
  x = out;
}

/// Not inlined, so that an engine can swap in its optimised code during the first pass.
[[gnu::noinline]] void passBlock(const TransformerBlockArgs& args, const BlockSteps& steps, Sequences sequences,
                                 float* scratch) {
  const BlockSizes n(args, sequences);
  const BlockParameters& p = args.parameters;
  float* x = from(steps.x, n);
  const BlockAttention self = selfAttention(args, steps), cross = crossAttention(args, steps);
  sublayer(args, n, steps.sublayers[0], p.norm1, BlockDropout::kAttended, x,
           [&](const float* of, float* to) { attendBlock(self, sequences, of, to, scratch); });
  if (crosses(args)) {
    sublayer(args, n, steps.sublayers[1], p.norm2, BlockDropout::kCrossed, x,
             [&](const float* of, float* to) { attendBlock(cross, sequences, of, to, scratch); });
  }
  sublayer(args, n, steps.sublayers[2], p.norm3, BlockDropout::kFed, x, [&](const float* of, float* to) {
    FeedForwardArgs feed = feedForwardOf(args, n);
    feed.x = of;
    feed.hidden = steps.hidden + n.first * n.innerWidth;
    feed.out = to;
    feedForwardRows(feed, n.first, scratch);
  });
}

constexpr int kPasses = 4;  // for each thread

/// Whether each thread takes its own sequences through all steps. If there are few sequences, threads share each step
/// instead.
bool sharesPasses(const AttentionArgs& a) { return threadCount() > 1 && a.batch >= 2 * threadCount(); }

int64_t passScratch(const TransformerBlockArgs& args) {
  const BlockSizes n(args, {0, sequencesAtOnce(args)});
  return std::max({scaledDotProductAttentionScratch(args.self.attention),
                   crosses(args) ? scaledDotProductAttentionScratch(args.cross.attention) : 0,
                   feedForwardScratch(feedForwardOf(args, n))});
}

}  // namespace

int64_t transformerBlockKept(const TransformerBlockArgs& args) { return BlockSteps(args, nullptr).size; }

int64_t transformerBlockScratch(const TransformerBlockArgs& args) {
  return passScratch(args) * (sharesPasses(args.self.attention) ? threadCount() : 1);
}

void transformerBlock(const TransformerBlockArgs& args, float* scratch) {
  const BlockSteps steps(args, args.kept);
  const AttentionArgs& a = args.self.attention;
  const BlockSizes n(args, {0, a.batch});
  const HeadWidths widths(a);
  const double work = static_cast<double>(n.rows) * n.width * (widths.joined + widths.queries + 2.0 * n.hiddenWidth);
  wakeThreads(work);
  int step = sequencesAtOnce(args);
  const bool shared = sharesPasses(a) && worthSharing(work);
  if (shared) step = std::clamp(a.batch / (kPasses * threadCount()), 1, step);
  const int64_t pass = passScratch(args);
  parallelFor((a.batch + step - 1) / step, shared ? work : -1, [&](int i, int thread) {
    passBlock(args, steps, {i * step, std::min(step, a.batch - i * step)}, scratch + thread * pass);
  });
}

}  // namespace wasm_attention
