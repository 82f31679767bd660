// Versions of the backward pass tried (ms for a step of training of an encoder layer, 64 wide, 256 hidden units, gelu, without
// dropout / with dropout; Sapphire Rapids, Node 20):
//   activation and slope apart, each with its exponential     11.5 / 12.7
//   both at once                                              11.2 / 12.1   <- this
//   one hash for the dropped units of both matrices           no gain
// Versions tried on two threads (speed relative to one, forward, backward; 768 to 3072, 512 rows / 64 to 128, 1024 rows):
//   products shared, activations on one thread                1.96, 1.29 / 0.92, 1.00
//   all shared, each thread takes whole blocks                2.06, 1.80 / 1.17, 1.36   <- this
// Today: npm run bench -- --work training
#include "layers/feed_forward.h"

#include <algorithm>

#include "kernels/cutter.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "kernels/running_sum.h"
#include "layers/activation.h"
#include "layers/dropout.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {
namespace {

// Rows at a time: few enough that their hidden units stay in a core's cache from one step to the next. The backward pass takes more,
// because they are also the depth of the products that give the weights' gradients.
constexpr int kRowBlock = 128;
constexpr int kBackwardRowBlock = 256;
// The least cost of a unit's activation, in multiplications.
constexpr double kActivationWork = 16;

/// Whether each thread takes whole blocks, and so waits for no other between the steps. If there are few blocks, threads share each
/// step instead.
bool sharesBlocks(int rows) { return threadCount() > 1 && rows > (2 * threadCount() - 1) * kRowBlock; }

/// Working memory of the backward pass of a block of rows.
struct BackwardScratch {
  Cutter cut;
  RunningSum weight1, bias1, weight2, bias2;
  float *activated, *gradHidden, *rest;

  BackwardScratch(float* scratch, int rows, int width, int hidden_width)
      : cut(scratch),
        weight1(cut, int64_t{width} * hidden_width, rows, kRowsOfARun),
        bias1(cut, hidden_width, rows, kManyRows),
        weight2(cut, int64_t{width} * hidden_width, rows, kRowsOfARun),
        bias2(cut, width, rows, kManyRows) {
    const int block = std::min(rows, kBackwardRowBlock);
    const int64_t hidden = int64_t{block} * hidden_width;
    activated = cut.take(hidden);
    gradHidden = cut.take(hidden);
    rest = cut.take(
        std::max(weightGradientScratch(block, width, hidden_width), weightGradientScratch(block, hidden_width, width)));
  }
};

/// The packed weights, and the rest of the backward pass's working memory.
struct PackedScratch {
  float *packed1, *packed2, *rest;
  int64_t size;

  PackedScratch(const FeedForwardGradArgs& a, float* scratch) {
    Cutter cut(scratch);
    packed1 = cut.take(packedSize(a.hiddenWidth, a.width));
    packed2 = cut.take(packedSize(a.width, a.hiddenWidth));
    rest = cut.take(feedForwardRowsBackwardScratch(a.rows, a.width, a.hiddenWidth));
    size = cut.used();
  }
};

}  // namespace

int64_t feedForwardScratch(const FeedForwardArgs& a) {
  return int64_t{std::min(a.rows, kRowBlock)} * a.hiddenWidth * (sharesBlocks(a.rows) ? threadCount() : 1);
}

void feedForward(const FeedForwardArgs& args, float* scratch) { feedForwardRows(args, 0, scratch); }

void feedForwardRows(const FeedForwardArgs& a, int first, float* scratch) {
  const int width = a.width, hidden_width = a.hiddenWidth;
  wakeThreads(2.0 * a.rows * width * hidden_width);
  const auto feed = [&](int block, int thread) {
    const int row = block * kRowBlock;
    const int count = std::min(a.rows - row, kRowBlock);
    const size_t at = static_cast<size_t>(row) * width;
    float* const activated = scratch + static_cast<size_t>(thread) * kRowBlock * hidden_width;
    float* const before = a.hidden ? a.hidden + static_cast<size_t>(row) * hidden_width : activated;
    linear(a.x + at, a.packed1, a.bias1, before, count, width, hidden_width);
    const double work = kActivationWork * count * hidden_width;
    parallelParts(count, 1, work, [&](int i, int some) {
      const size_t from = static_cast<size_t>(i) * hidden_width;
      activate(before + from, activated + from, nullptr, static_cast<size_t>(some) * hidden_width, a.activation);
      dropRows(activated + from, activated + from, some, hidden_width, first + row + i, {a.seed, a.dropout});
    });
    linear(activated, a.packed2, a.bias2, a.out + at, count, hidden_width, width);
  };
  const double work = sharesBlocks(a.rows) ? 2.0 * a.rows * width * hidden_width : -1;
  parallelFor((a.rows + kRowBlock - 1) / kRowBlock, work, feed);
}

int64_t feedForwardBackwardScratch(const FeedForwardGradArgs& args) { return PackedScratch(args, nullptr).size; }

void feedForwardBackward(const FeedForwardGradArgs& a, float* scratch) {
  const PackedScratch w(a, scratch);
  packMatrix(a.weight1, a.hiddenWidth, a.width, w.packed1);
  packMatrix(a.weight2, a.width, a.hiddenWidth, w.packed2);
  feedForwardRowsBackward(a, w.packed1, w.packed2, 0, w.rest);
}

int64_t feedForwardRowsBackwardScratch(int rows, int width, int hidden_width) {
  return BackwardScratch(nullptr, rows, width, hidden_width).cut.used();
}

void feedForwardRowsBackward(const FeedForwardGradArgs& a, const float* packed1, const float* packed2, int first,
                             float* scratch) {
  const int width = a.width, hidden_width = a.hiddenWidth;
  const Dropout dropout{a.seed, a.dropout};
  wakeThreads(4.0 * a.rows * width * hidden_width);
  BackwardScratch w(scratch, a.rows, width, hidden_width);
  w.weight1.start(a.gradWeight1, width * hidden_width);
  w.bias1.start(a.gradBias1, hidden_width);
  w.weight2.start(a.gradWeight2, width * hidden_width);
  w.bias2.start(a.gradBias2, width);
  RunningSum* const sums[] = {&w.weight1, &w.bias1, &w.weight2, &w.bias2};
  for (int row = 0; row < a.rows; row += kBackwardRowBlock) {
    const int count = std::min(a.rows - row, kBackwardRowBlock);
    const float* const grad = a.gradOut + static_cast<size_t>(row) * width;
    const float* const before = a.hidden + static_cast<size_t>(row) * hidden_width;
    gemm(grad, width, packed2, nullptr, w.gradHidden, hidden_width, count, hidden_width, width);
    parallelParts(count, 1, 2 * kActivationWork * count * hidden_width, [&](int i, int some) {
      const size_t from = static_cast<size_t>(i) * hidden_width;
      float* const gradients = w.gradHidden + from;
      float* const activated = w.activated + from;
      dropRows(gradients, gradients, some, hidden_width, first + row + i, dropout);
      activate(before + from, activated, gradients, static_cast<size_t>(some) * hidden_width, a.activation);
      dropRows(activated, activated, some, hidden_width, first + row + i, dropout);
    });
    addWeightGradient(grad, w.activated, w.rest, w.weight2.to(), w.bias2.to(), count, hidden_width, width);
    addWeightGradient(w.gradHidden, a.x + static_cast<size_t>(row) * width, w.rest, w.weight1.to(), w.bias1.to(), count,
                      width, hidden_width);
    gemm(w.gradHidden, hidden_width, packed1, nullptr, a.gradX + static_cast<size_t>(row) * width, width, count, width,
         hidden_width);
    for (RunningSum* sum : sums) sum->added(count);
  }
  for (RunningSum* sum : sums) sum->finish();
}

}  // namespace wasm_attention
