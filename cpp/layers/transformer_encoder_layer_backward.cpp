#include <algorithm>

#include "attention.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "kernels/running_sum.h"
#include "layers/encoder_passes.h"
#include "layers/feed_forward.h"
#include "layers/rotate_heads.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {
namespace {

/// The sums over all sequences of the parameters' gradients.
class GradientSums {
 public:
  GradientSums(Cutter& cut, const TransformerEncoderLayerArgs& args)
      : rows_(int64_t{args.attention.batch} * args.attention.queries),
        width_(args.attention.heads * args.attention.width),
        hiddenWidth_(args.hiddenWidth),
        weights_{weight(cut, 3 * int64_t{width_}), weight(cut, width_), weight(cut, hiddenWidth_),
                 weight(cut, hiddenWidth_)},
        vectors_{vector(cut, 3 * int64_t{width_}),
                 vector(cut, width_),
                 vector(cut, hiddenWidth_),
                 vector(cut, width_),
                 vector(cut, width_),
                 vector(cut, width_),
                 vector(cut, width_),
                 vector(cut, width_)} {}

  void start(const EncoderParameters& g) {
    const int widths[] = {3 * width_, width_, hiddenWidth_, hiddenWidth_};
    float* const weights[] = {g.inWeight, g.outWeight, g.weight1, g.weight2};
    for (int i = 0; i < 4; ++i) weights_[i].start(weights[i], widths[i] * width_);
    float* const vectors[] = {g.inBias,      g.outBias,   g.bias1,       g.bias2,
                              g.norm1Weight, g.norm1Bias, g.norm2Weight, g.norm2Bias};
    for (int i = 0; i < 8; ++i) vectors_[i].start(vectors[i], i == 0 || i == 2 ? widths[i] : width_);
  }
  /// Where the next sequences' gradients are added.
  EncoderParameters to() const {
    const auto& [in, out, first, second] = weights_;
    const auto& [b0, b1, b2, b3, n0, n1, n2, n3] = vectors_;
    return {in.to(),     b0.to(), out.to(), b1.to(), first.to(), b2.to(),
            second.to(), b3.to(), n0.to(),  n1.to(), n2.to(),    n3.to()};
  }
  void added(int rows) {
    for (RunningSum& sum : weights_) sum.added(rows);
    for (RunningSum& sum : vectors_) sum.added(rows);
  }
  void finish() {
    for (RunningSum& sum : weights_) sum.finish();
    for (RunningSum& sum : vectors_) sum.finish();
  }

 private:
  RunningSum weight(Cutter& cut, int64_t outputs) const { return {cut, times(outputs, width_), rows_, kRowsOfARun}; }
  RunningSum vector(Cutter& cut, int64_t size) const { return {cut, size, rows_, kManyRows}; }

  int64_t rows_;
  int width_, hiddenWidth_;
  RunningSum weights_[4], vectors_[8];
};

struct BackwardScratch {
  Cutter cut;
  GradientSums sums;
  float *packedIn, *packedOut, *packed1, *packed2;  // the weights, to multiply gradients by
  // (rows, D) for the current sequences: the gradient after dropout, and the gradient at the sublayer's input.
  float *dropped, *back;
  float* joined;  // (rows, 3 * D)
  float* rest;    // working memory of the current step

  BackwardScratch(const TransformerEncoderLayerArgs& args, float* scratch) : cut(scratch), sums(cut, args) {
    const EncoderSizes n(args, {0, sequencesAtOnce(args.attention)});
    packedIn = cut.take(packedSize(3 * int64_t{n.width}, n.width));
    packedOut = cut.take(packedSize(n.width, n.width));
    packed1 = cut.take(packedSize(n.hiddenWidth, n.width));
    packed2 = cut.take(packedSize(n.width, n.hiddenWidth));
    dropped = cut.take(n.elements);
    back = cut.take(n.elements);
    joined = cut.take(3 * n.elements);
    rest = cut.take(std::max({attendSequencesBackwardScratch(args.attention),
                              feedForwardRowsBackwardScratch(n.rows, n.width, n.hiddenWidth, false),
                              weightGradientScratch(n.rows, n.width, 3 * int64_t{n.width}),
                              normRowsBackwardScratch(n.rows, n.width)}));
  }
};

/// Turns the gradient of the heads' outputs into that of the joined projections.
void attendBackward(const TransformerEncoderLayerGradArgs& args, const EncoderSteps& all, Sequences some,
                    const BackwardScratch& w, const float* grad_heads) {
  AttentionGradArgs grads{};
  grads.attention = attentionOf(args.layer, all);
  const AttentionArgs& attention = grads.attention;
  const int width = attention.heads * attention.width;
  float* const grad_keys = w.joined + width;
  grads.gradOutput = grad_heads;
  grads.gradQuery = w.joined;
  grads.gradKey = grad_keys;
  grads.gradValue = w.joined + 2 * width;
  grads.gradBias = args.gradBias;
  grads.gradRelativeKeys = args.gradRelativeKeys;
  grads.gradRelativeValues = args.gradRelativeValues;
  grads.gradSinks = args.gradSinks;
  grads.lostBias = args.lostBias;
  grads.lostRelativeKeys = args.lostRelativeKeys;
  grads.lostRelativeValues = args.lostRelativeValues;
  grads.lostSinks = args.lostSinks;
  attendSequencesBackward(grads, some, all.weights, w.rest);
  if (const Rotation& r = args.layer.rotation; r.queries) {
    const HeadRows rows{some.count, attention.queries, attention.heads, attention.width, 3 * width};
    rotateHeads<true>(w.joined, rows, r.queries + some.first * r.queryBatch, r.queryBatch, r);
    rotateHeads<true>(grad_keys, rows, r.keys + some.first * r.keyBatch, r.keyBatch, r);
  }
}

/// Not inlined, so that an engine can swap in its optimised code during the first pass.
[[gnu::noinline]] void encodeBackward(const TransformerEncoderLayerGradArgs& args, const EncoderSteps& all,
                                      Sequences some, const BackwardScratch& w) {
  const TransformerEncoderLayerArgs& layer = args.layer;
  const EncoderSizes n(layer, some);
  const EncoderSteps steps = all.from(n);
  const EncoderParameters& p = layer.parameters;
  const EncoderParameters g = w.sums.to();
  float* const gradient = args.gradient + static_cast<size_t>(n.first) * n.width;
  // In place: the gradient at a norm's output becomes that at its input.
  const auto norm1 = [&](const float* x, float* at) {
    normRowsBackward(Norm::kLayer, at, x, steps.moments1, p.norm1Weight, at, g.norm1Weight, g.norm1Bias, w.rest, n.rows,
                     n.width, kEncoderEps);
  };
  const auto norm2 = [&](const float* x, float* at) {
    normRowsBackward(Norm::kLayer, at, x, steps.moments2, p.norm2Weight, at, g.norm2Weight, g.norm2Bias, w.rest, n.rows,
                     n.width, kEncoderEps);
  };
  // The gradient behind dropout; without any it is read where it stands.
  const auto drop = [&](EncoderDropout place) -> const float* {
    const Dropout dropout = dropoutAt(layer, place);
    if (dropout.probability == 0) return gradient;
    dropRows(gradient, w.dropped, n.rows, n.width, n.first, dropout);
    return w.dropped;
  };

  if (!layer.preNorm) norm2(steps.sum2, gradient);
  FeedForwardGradArgs feed{};
  feed.gradOut = drop(EncoderDropout::kFed);
  feed.x = steps.fed;
  feed.hidden = steps.hidden;
  feed.gradX = w.back;
  feed.gradWeight1 = g.weight1;
  feed.gradBias1 = g.bias1;
  feed.gradWeight2 = g.weight2;
  feed.gradBias2 = g.bias2;
  feed.rows = n.rows;
  feed.width = n.width;
  feed.hiddenWidth = n.hiddenWidth;
  feed.activation = layer.activation;
  const Dropout hidden = dropoutAt(layer, EncoderDropout::kHidden);
  feed.seed = hidden.seed;
  feed.dropout = hidden.probability;
  feedForwardRowsBackward(feed, w.packed1, w.packed2, n.first, w.rest);
  if (layer.preNorm) norm2(steps.sum1, w.back);
  addInPlace(w.back, gradient, n.elements);
  if (!layer.preNorm) norm1(steps.sum1, gradient);

  const float* const attended = drop(EncoderDropout::kAttended);
  gemm(attended, n.width, w.packedOut, nullptr, w.back, n.width, n.rows, n.width, n.width);
  addWeightGradient(attended, steps.heads, w.rest, g.outWeight, g.outBias, n.rows, n.width, n.width);
  attendBackward(args, all, some, w, w.back);
  addWeightGradient(w.joined, layer.preNorm ? steps.normed : steps.x, w.rest, g.inWeight, g.inBias, n.rows, n.width,
                    3 * n.width);
  if (!layer.preNorm)
    return gemmAdd(w.joined, 3 * n.width, w.packedIn, gradient, n.width, n.rows, n.width, 3 * n.width);
  gemm(w.joined, 3 * n.width, w.packedIn, nullptr, w.back, n.width, n.rows, n.width, 3 * n.width);
  norm1(steps.x, w.back);
  addInPlace(w.back, gradient, n.elements);
}

}  // namespace

int64_t transformerEncoderLayerBackwardScratch(const TransformerEncoderLayerGradArgs& args) {
  return BackwardScratch(args.layer, nullptr).cut.used();
}

void transformerEncoderLayerBackward(const TransformerEncoderLayerGradArgs& args, float* scratch) {
  const TransformerEncoderLayerArgs& layer = args.layer;
  const EncoderParameters& p = layer.parameters;
  const EncoderSteps steps(layer, layer.kept);
  BackwardScratch w(layer, scratch);
  w.sums.start(args.gradients);
  const int width = layer.attention.heads * layer.attention.width;
  const double tokens = static_cast<double>(layer.attention.batch) * layer.attention.queries;
  wakeThreads(2 * tokens * width * (4 * width + 2 * layer.hiddenWidth));
  packMatrix(p.inWeight, 3 * width, width, w.packedIn);
  packMatrix(p.outWeight, width, width, w.packedOut);
  packMatrix(p.weight1, layer.hiddenWidth, width, w.packed1);
  packMatrix(p.weight2, width, layer.hiddenWidth, w.packed2);
  forSequencesBackward(layer.attention, [&](Sequences some) {
    encodeBackward(args, steps, some, w);
    w.sums.added(some.count * layer.attention.queries);
  });
  w.sums.finish();
}

}  // namespace wasm_attention
