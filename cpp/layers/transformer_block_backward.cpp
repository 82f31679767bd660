#include <algorithm>

#include "attention.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "kernels/running_sum.h"
#include "layers/block_attention.h"
#include "layers/block_steps.h"
#include "layers/feed_forward.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {
namespace {

constexpr int kParameters = sizeof(BlockParameters) / sizeof(float*);

float* const* listOf(const BlockParameters& p) { return &p.self.inWeight; }
float** listOf(BlockParameters& p) { return &p.self.inWeight; }

/// The number of floats of each parameter; 0 if the block does not have it.
struct ParameterSizes {
  int64_t size[kParameters];

  explicit ParameterSizes(const TransformerBlockArgs& args) {
    const BlockSizes n(args, {0, 0});
    int64_t* next = size;
    for (const BlockAttentionArgs* part : {&args.self, &args.cross}) {
      const HeadWidths widths(part->attention);
      const int64_t head = part->attention.width;
      for (const int64_t floats :
           {times(widths.joined, n.width), widths.joined, times(widths.queries, n.width), int64_t{n.width}, head, head})
        *next++ = floats;
    }
    for (const int64_t floats : {times(n.innerWidth, n.width), n.innerWidth, times(n.hiddenWidth, n.width)})
      *next++ = floats;
    while (next < size + kParameters) *next++ = n.width;
    for (int i = 0; i < kParameters; ++i) {
      if (!listOf(args.parameters)[i]) size[i] = 0;
    }
  }
};

/// The sums of the parameters' gradients over all sequences.
class GradientSums {
 public:
  GradientSums(Cutter& cut, const TransformerBlockArgs& args) : GradientSums(cut, args, ParameterSizes(args)) {}

  void start(const BlockParameters& g) {
    for (int i = 0; i < kParameters; ++i) sums_[i].start(sizes_.size[i] ? listOf(g)[i] : nullptr, sizes_.size[i]);
  }
  /// Where the next sequences' gradients are added.
  BlockParameters to() const {
    BlockParameters p;
    for (int i = 0; i < kParameters; ++i) listOf(p)[i] = sums_[i].to();
    return p;
  }
  void added(int rows) {
    for (RunningSum& sum : sums_) sum.added(rows);
  }
  void finish() {
    for (RunningSum& sum : sums_) sum.finish();
  }

 private:
  GradientSums(Cutter& cut, const TransformerBlockArgs& args, const ParameterSizes& sizes)
      : sizes_(sizes), rows_(int64_t{args.self.attention.batch} * tokensOf(args)) {
    const BlockParameters& p = args.parameters;
    for (int i = 0; i < kParameters; ++i) {
      const float* const* const field = &listOf(p)[i];
      bool matrix = false;
      for (float* const* weight :
           {&p.self.inWeight, &p.self.outWeight, &p.cross.inWeight, &p.cross.outWeight, &p.weight1, &p.weight2}) {
        matrix |= field == weight;
      }
      sums_[i] = RunningSum(cut, sizes.size[i], rows_, matrix ? kRowsOfARun : kManyRows);
    }
  }

  ParameterSizes sizes_;
  int64_t rows_;
  RunningSum sums_[kParameters];
};

struct BackwardScratch {
  Cutter cut;
  GradientSums sums;
  AttentionBackward self, cross;
  float *packed1, *packed2;  // the weights, to multiply gradients by
  // (rows, D) for the current sequences: the gradient after dropout, and the gradient at the sublayer's input.
  float *dropped, *back;
  float* rest;  // working memory of the current step

  BackwardScratch(const TransformerBlockArgs& args, float* scratch) : cut(scratch), sums(cut, args) {
    const int sequences = sequencesAtOnce(args);
    const BlockSizes n(args, {0, sequences});
    self = AttentionBackward(cut, args.self.attention, n.width, sequences, false);
    if (crosses(args)) cross = AttentionBackward(cut, args.cross.attention, n.width, sequences, true);
    packed1 = cut.take(packedSize(n.innerWidth, n.width));
    packed2 = cut.take(packedSize(n.width, n.hiddenWidth));
    dropped = cut.take(n.elements);
    back = cut.take(n.elements);
    const bool normed = args.parameters.self.queryNorm != nullptr;
    rest = cut.take(
        std::max({attendBlockBackwardScratch(args.self.attention, n.width, sequences, false, normed),
                  crosses(args) ? attendBlockBackwardScratch(args.cross.attention, n.width, sequences, true, false) : 0,
                  feedForwardRowsBackwardScratch(n.rows, n.width, n.hiddenWidth, args.gated),
                  normRowsBackwardScratch(n.rows, n.width)}));
  }
};

/// The backward pass of one sublayer, in place. f(gradient, x, to, adds) turns the gradient of its function's result
/// into that of the function's input x, and writes it to `to` or, if `adds`, adds it.
template <typename F>
void sublayerBackward(const TransformerBlockArgs& args, const BlockSizes& n, const BackwardScratch& w,
                      const SublayerSteps& steps, const NormParameters& p, const NormParameters& g, BlockDropout place,
                      const float* x, float* gradient, bool can_add, const F& f) {
  x += n.first * n.width;
  const float* const inner = steps.inner + n.first * n.width;
  const auto norm = [&](const float* of, float* at) {
    normRowsBackward(args.norm, at, of, steps.moments + n.first, p.weight, at, g.weight, g.bias, w.rest, n.rows,
                     n.width, args.eps);
  };
  if (!args.preNorm) norm(inner, gradient);
  const Dropout dropout = dropoutAt(args, place);
  // Without dropout the gradient is read in place.
  const bool drops = dropout.probability != 0;
  if (drops) dropRows(gradient, w.dropped, n.rows, n.width, n.first, dropout);
  const float* const dropped = drops ? w.dropped : gradient;
  if (!args.preNorm && can_add) return f(dropped, x, gradient, true);
  f(dropped, args.preNorm ? inner : x, w.back, false);
  if (args.preNorm) norm(x, w.back);
  addInPlace(w.back, gradient, n.elements);
}

/// Not inlined, so that an engine can swap in its optimised code during the first pass.
[[gnu::noinline]] void passBlockBackward(const TransformerBlockGradArgs& args, const BlockSteps& steps,
                                         Sequences sequences, const BackwardScratch& w) {
  const TransformerBlockArgs& block = args.block;
  const BlockSizes n(block, sequences);
  const BlockParameters& p = block.parameters;
  const BlockParameters g = w.sums.to();
  float* const gradient = args.gradient + n.first * n.width;

  sublayerBackward(block, n, w, steps.sublayers[2], p.norm3, g.norm3, BlockDropout::kFed, steps.sublayers[1].out,
                   gradient, false, [&](const float* grad_out, const float* x, float* to, bool) {
                     FeedForwardGradArgs feed{};
                     feed.gradOut = grad_out;
                     feed.x = x;
                     feed.hidden = steps.hidden + n.first * n.innerWidth;
                     feed.gradX = to;
                     feed.gradWeight1 = g.weight1;
                     feed.gradBias1 = g.bias1;
                     feed.gradWeight2 = g.weight2;
                     feed.gradBias2 = g.bias2;
                     feed.rows = n.rows;
                     feed.width = n.width;
                     feed.hiddenWidth = n.hiddenWidth;
                     feed.gated = block.gated;
                     feed.activation = block.activation;
                     const Dropout hidden = dropoutAt(block, BlockDropout::kHidden);
                     feed.seed = hidden.seed;
                     feed.dropout = hidden.probability;
                     feedForwardRowsBackward(feed, w.packed1, w.packed2, n.first, w.rest);
                   });
  if (crosses(block)) {
    const BlockAttention cross = crossAttention(block, steps);
    sublayerBackward(block, n, w, steps.sublayers[1], p.norm2, g.norm2, BlockDropout::kCrossed, steps.sublayers[0].out,
                     gradient, true, [&](const float* grad_out, const float* x, float* to, bool adds) {
                       attendBlockBackward(cross, args.cross, sequences, grad_out, x, g.cross, w.cross, w.rest, to,
                                           adds, args.gradMemory);
                     });
  }
  const BlockAttention self = selfAttention(block, steps);
  sublayerBackward(block, n, w, steps.sublayers[0], p.norm1, g.norm1, BlockDropout::kAttended, steps.x, gradient, true,
                   [&](const float* grad_out, const float* x, float* to, bool adds) {
                     attendBlockBackward(self, args.self, sequences, grad_out, x, g.self, w.self, w.rest, to, adds,
                                         nullptr);
                   });
}

}  // namespace

int64_t transformerBlockBackwardScratch(const TransformerBlockGradArgs& args) {
  return BackwardScratch(args.block, nullptr).cut.used();
}

void transformerBlockBackward(const TransformerBlockGradArgs& args, float* scratch) {
  const TransformerBlockArgs& block = args.block;
  const BlockParameters& p = block.parameters;
  const AttentionArgs& a = block.self.attention;
  const BlockSteps steps(block, block.kept);
  BackwardScratch w(block, scratch);
  w.sums.start(args.gradients);
  const BlockSizes n(block, {0, a.batch});
  const HeadWidths widths(a);
  wakeThreads(2.0 * n.rows * n.width * (widths.joined + widths.queries + 2.0 * n.hiddenWidth));
  w.self.pack(p.self, a, n.width, false);
  if (crosses(block)) w.cross.pack(p.cross, block.cross.attention, n.width, true);
  packMatrix(p.weight1, static_cast<int>(n.innerWidth), n.width, w.packed1);
  packMatrix(p.weight2, n.width, n.hiddenWidth, w.packed2);
  forSequencesBackward(block, [&](Sequences sequences) {
    passBlockBackward(args, steps, sequences, w);
    w.sums.added(sequences.count * tokensOf(block));
  });
  w.sums.finish();
}

}  // namespace wasm_attention
