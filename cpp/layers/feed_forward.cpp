// Versions of the backward pass tried (ms for a step of training of an encoder layer, 64 wide, 256 hidden units, gelu,
// without dropout / with dropout; Sapphire Rapids, Node 20):
//   activation and slope separately, with two exponentials    11.5 / 12.7
//   both at once                                              11.2 / 12.1   <- this
//   one hash for the dropped units of both matrices           no gain
// Versions tried on two threads (speed relative to one, forward, backward; 768 to 3072, 512 rows / 64 to 128, 1024
// rows):
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
#include "layers/packed_weight.h"
#include "layers/weight_gradient.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

// The number of rows at a time, few enough that their hidden units stay in a core's cache between steps. The backward
// pass takes more, because they are also the depth of the products for the weights' gradients.
constexpr int kRowBlock = 128;
constexpr int kBackwardRowBlock = 256;
/// The width of the first product's result: hidden units, or gates and then values.
int64_t innerWidth(int hidden_width, bool gated) { return (gated ? 2 : 1) * int64_t{hidden_width}; }

/// y *= x.
void multiplyInPlace(const float* x, float* y, int count) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) store(y + i, load(y + i) * load(x + i));
  for (; i < count; ++i) y[i] *= x[i];
}

/// One row of gates and values: activated = f(gate) * value, which may replace the gates. `gradient`, unless it is
/// null, holds the gradient of `activated` and receives those of the gates and values.
void activateGated(const float* inner, float* activated, float* gradient, int width, Activation activation) {
  const float* const values = inner + width;
  if (gradient) {
    std::copy_n(gradient, width, gradient + width);
    multiplyInPlace(values, gradient, width);
  }
  activate(inner, activated, gradient, width, activation);
  if (gradient) multiplyInPlace(activated, gradient + width, width);
  multiplyInPlace(values, activated, width);
}

/// The step between the two products, for part of a block.
/// inner      (rows, innerWidth): the first product's result.
/// activated  rows `stride` apart: the second product's operand.
/// gradients  (rows, innerWidth), or null: as in activateGated.
/// first      the number of the first row.
// Not inlined, since that would take bytes in each caller.
template <typename Args>
[[gnu::noinline]] void activateRows(const Args& a, const float* inner, float* activated, ptrdiff_t stride,
                                    float* gradients, int rows, int first) {
  const Dropout dropout{a.seed, a.dropout};
  const int width = a.hiddenWidth;
  const int at_once = a.gated ? 1 : rows;
  for (int row = 0; row < rows; row += at_once) {
    if (gradients) dropRows(gradients, gradients, at_once, width, first + row, dropout);
    if (a.gated) {
      activateGated(inner, activated, gradients, width, a.activation);
    } else {
      activate(inner, activated, gradients, static_cast<size_t>(at_once) * width, a.activation);
    }
    dropRows(activated, activated, at_once, width, first + row, dropout);
    inner += 2 * width;
    activated += stride;
    if (gradients) gradients += 2 * width;
  }
}

/// activateRows without gradients; threads share the rows.
void activateShared(const FeedForwardArgs& a, const float* inner, float* activated, ptrdiff_t stride, int rows,
                    int first) {
  const ptrdiff_t inner_width = innerWidth(a.hiddenWidth, a.gated);
  parallelParts(rows, 1, kActivationWork * rows * a.hiddenWidth, [&](int i, int count) {
    activateRows(a, inner + i * inner_width, activated + i * stride, stride, nullptr, count, first + i);
  });
}

/// Whether each thread takes whole blocks, without waiting between the steps. If there are few blocks, threads share
/// each step instead.
bool sharesBlocks(int rows) { return threadCount() > 1 && rows > (2 * threadCount() - 1) * kRowBlock; }

/// Working memory of a block of rows.
struct BlockScratch {
  float *activated, *rest;
  int64_t size;

  BlockScratch(const FeedForwardArgs& a, float* scratch) {
    const int64_t rows = std::min(a.rows, kRowBlock);
    Cutter cut(scratch);
    activated = cut.take(rows * innerWidth(a.hiddenWidth, a.gated));
    rest = cut.take(multiplyPackedScratch(rows, std::max(a.width, a.hiddenWidth), a.weightType));
    size = cut.used();
  }
};

/// Working memory of the backward pass of a block of rows.
struct BackwardScratch {
  Cutter cut;
  RunningSum weight1, bias1, weight2, bias2;
  float *activated, *gradHidden, *rest;

  BackwardScratch(float* scratch, int rows, int width, int hidden_width, int64_t inner_width)
      : cut(scratch),
        weight1(cut, times(width, inner_width), rows, kRowsOfARun),
        bias1(cut, inner_width, rows, kManyRows),
        weight2(cut, int64_t{width} * hidden_width, rows, kRowsOfARun),
        bias2(cut, width, rows, kManyRows) {
    const int block = std::min(rows, kBackwardRowBlock);
    activated = cut.take(int64_t{block} * hidden_width);
    gradHidden = cut.take(block * inner_width);
    rest = cut.take(
        std::max(weightGradientScratch(block, width, inner_width), weightGradientScratch(block, hidden_width, width)));
  }
};

/// The packed weights, and the rest of the backward pass's working memory.
struct PackedScratch {
  float *packed1, *packed2, *rest;
  int64_t size;

  PackedScratch(const FeedForwardGradArgs& a, float* scratch) {
    Cutter cut(scratch);
    packed1 = cut.take(packedSize(innerWidth(a.hiddenWidth, a.gated), a.width));
    packed2 = cut.take(packedSize(a.width, a.hiddenWidth));
    rest = cut.take(feedForwardRowsBackwardScratch(a.rows, a.width, a.hiddenWidth, a.gated));
    size = cut.used();
  }
};

}  // namespace

int64_t feedForwardScratch(const FeedForwardArgs& a) {
  return BlockScratch(a, nullptr).size * (sharesBlocks(a.rows) ? threadCount() : 1);
}

void feedForward(const FeedForwardArgs& args, float* scratch) { feedForwardRows(args, 0, scratch); }

void feedForwardRows(const FeedForwardArgs& a, int first, float* scratch) {
  const int width = a.width, hidden_width = a.hiddenWidth;
  const int inner_width = static_cast<int>(innerWidth(hidden_width, a.gated));
  const double products = static_cast<double>(a.rows) * width * (inner_width + hidden_width);
  wakeThreads(products);
  const int64_t scratch_size = BlockScratch(a, nullptr).size;
  const auto feed = [&](int block, int thread) {
    const int row = block * kRowBlock;
    const int count = std::min(a.rows - row, kRowBlock);
    const size_t at = static_cast<size_t>(row) * width;
    const BlockScratch w(a, scratch + thread * scratch_size);
    float* const activated = w.activated;
    float* const before = a.hidden ? a.hidden + static_cast<size_t>(row) * inner_width : activated;
    multiplyPacked(a.x + at, width, a.packed1, a.weightType, a.bias1, before, count, inner_width, width, w.rest);
    activateShared(a, before, activated, inner_width, count, first + row);
    multiplyPacked(activated, inner_width, a.packed2, a.weightType, a.bias2, a.out + at, count, width, hidden_width,
                   w.rest);
  };
  parallelFor((a.rows + kRowBlock - 1) / kRowBlock, sharesBlocks(a.rows) ? products : -1, feed);
}

void activateHidden(const FeedForwardArgs& a) { activateShared(a, a.hidden, a.out, a.hiddenWidth, a.rows, 0); }

int64_t feedForwardBackwardScratch(const FeedForwardGradArgs& args) { return PackedScratch(args, nullptr).size; }

void feedForwardBackward(const FeedForwardGradArgs& a, float* scratch) {
  const PackedScratch w(a, scratch);
  packMatrix(a.weight1, innerWidth(a.hiddenWidth, a.gated), a.width, w.packed1);
  packMatrix(a.weight2, a.width, a.hiddenWidth, w.packed2);
  feedForwardRowsBackward(a, w.packed1, w.packed2, 0, w.rest);
}

int64_t feedForwardRowsBackwardScratch(int rows, int width, int hidden_width, bool gated) {
  return BackwardScratch(nullptr, rows, width, hidden_width, innerWidth(hidden_width, gated)).cut.used();
}

void feedForwardRowsBackward(const FeedForwardGradArgs& a, const float* packed1, const float* packed2, int first,
                             float* scratch) {
  const int width = a.width, hidden_width = a.hiddenWidth;
  const int inner_width = static_cast<int>(innerWidth(hidden_width, a.gated));
  wakeThreads(2.0 * a.rows * width * (inner_width + hidden_width));
  BackwardScratch w(scratch, a.rows, width, hidden_width, inner_width);
  w.weight1.start(a.gradWeight1, width * inner_width);
  w.bias1.start(a.gradBias1, inner_width);
  w.weight2.start(a.gradWeight2, width * hidden_width);
  w.bias2.start(a.gradBias2, width);
  RunningSum* const sums[] = {&w.weight1, &w.bias1, &w.weight2, &w.bias2};
  for (int row = 0; row < a.rows; row += kBackwardRowBlock) {
    const int count = std::min(a.rows - row, kBackwardRowBlock);
    const float* const grad = a.gradOut + static_cast<size_t>(row) * width;
    const float* const before = a.hidden + static_cast<size_t>(row) * inner_width;
    gemm(grad, width, packed2, nullptr, w.gradHidden, inner_width, count, hidden_width, width);
    parallelParts(count, 1, 2 * kActivationWork * count * hidden_width, [&](int i, int size) {
      const size_t from = static_cast<size_t>(i) * inner_width;
      activateRows(a, before + from, w.activated + static_cast<size_t>(i) * hidden_width, hidden_width,
                   w.gradHidden + from, size, first + row + i);
    });
    addWeightGradient(grad, w.activated, w.rest, w.weight2.to(), w.bias2.to(), count, hidden_width, width);
    addWeightGradient(w.gradHidden, a.x + static_cast<size_t>(row) * width, w.rest, w.weight1.to(), w.bias1.to(), count,
                      width, inner_width);
    gemm(w.gradHidden, inner_width, packed1, nullptr, a.gradX + static_cast<size_t>(row) * width, width, count, width,
         inner_width);
    for (RunningSum* sum : sums) sum->added(count);
  }
  for (RunningSum* sum : sums) sum->finish();
}

}  // namespace wasm_attention
