// Versions tried of the way back (a step of training of an encoder layer, 64 wide, 256 hidden units, gelu; wasm, Xeon of the
// Sapphire Rapids kind, Node 20):
//   activation and slope apart, each with its exponential                11.5 ms, with dropout 12.7
//   both at once                                                         11.2 ms, with dropout 12.1   <- this
//   and one hash for the dropped units of both matrices                  12.1 with dropout: no gain
// On two threads over one (forward, back; interleaved, medians):
//   768 to 3072, 512 rows, gelu / 64 to 128, 1024 rows, gelu
//   products shared, activations on one thread                          1.96, 1.29 / 0.92, 1.00
//   and activations, weights' gradients; whole blocks to a thread       2.06, 1.80 / 1.17, 1.36   <- this
#include "layers/feed_forward.h"

#include <algorithm>

#include "kernels/cutter.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "layers/activation.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {
namespace {

// Rows at a time, so that their hidden units stay in a core's cache from one step to the next; the backward pass's are the
// depth of the weights' gradients too, which wants them many.
constexpr int kRowBlock = 128;
constexpr int kBackwardRowBlock = 256;
// What a unit's activation takes, in multiplications, at the least.
constexpr double kActivationWork = 16;

/// Whether each thread takes whole blocks, which wait for nobody between the steps; of few blocks the steps are shared.
bool sharesBlocks(int rows) { return threadCount() > 1 && rows > (2 * threadCount() - 1) * kRowBlock; }

/// What the backward pass works with, for a block of rows.
struct BackwardScratch {
  float *activated, *gradHidden, *rest;
  size_t size;

  BackwardScratch(float* scratch, int rows, int width, int hidden_width) {
    Cutter cut(scratch);
    const int block = std::min(rows, kBackwardRowBlock);
    const size_t hidden = static_cast<size_t>(block) * hidden_width;
    activated = cut.take(hidden);
    gradHidden = cut.take(hidden);
    rest = cut.take(
        std::max(weightGradientScratch(block, width, hidden_width), weightGradientScratch(block, hidden_width, width)));
    size = cut.used();
  }
};

/// The packed weights, and what else the backward pass works with.
struct PackedScratch {
  float *packed1, *packed2, *rest;
  size_t size;

  PackedScratch(float* scratch, int rows, int width, int hidden_width) {
    Cutter cut(scratch);
    packed1 = cut.take(packedSize(hidden_width, width));
    packed2 = cut.take(packedSize(width, hidden_width));
    rest = cut.take(feedForwardRowsBackwardScratch(rows, width, hidden_width));
    size = cut.used();
  }
};

}  // namespace

size_t feedForwardScratch(int rows, int hidden_width) {
  return static_cast<size_t>(std::min(rows, kRowBlock)) * hidden_width * (sharesBlocks(rows) ? threadCount() : 1);
}

void feedForward(const float* x, const float* packed1, const float* bias1, const float* packed2, const float* bias2,
                 float* hidden, float* scratch, float* out, int rows, int width, int hidden_width,
                 Activation activation, uint32_t seed, float dropout) {
  feedForwardRows(x, packed1, bias1, packed2, bias2, hidden, scratch, out, 0, rows, width, hidden_width, activation,
                  {seed, dropout});
}

void feedForwardRows(const float* x, const float* packed1, const float* bias1, const float* packed2, const float* bias2,
                     float* hidden, float* scratch, float* out, int first, int rows, int width, int hidden_width,
                     Activation activation, Dropout dropout) {
  wakeThreads(2.0 * rows * width * hidden_width);
  const auto feed = [&](int block, int thread) {
    const int row = block * kRowBlock;
    const int count = std::min(rows - row, kRowBlock);
    const size_t at = static_cast<size_t>(row) * width;
    float* const activated = scratch + static_cast<size_t>(thread) * kRowBlock * hidden_width;
    float* const before = hidden ? hidden + static_cast<size_t>(row) * hidden_width : activated;
    linear(x + at, packed1, bias1, before, count, width, hidden_width);
    const double work = kActivationWork * count * hidden_width;
    parallelParts(count, 1, work, [&](int i, int some) {
      const size_t from = static_cast<size_t>(i) * hidden_width;
      activate(before + from, activated + from, nullptr, static_cast<size_t>(some) * hidden_width, activation);
      dropRows(activated + from, activated + from, some, hidden_width, first + row + i, dropout);
    });
    linear(activated, packed2, bias2, out + at, count, hidden_width, width);
  };
  const double work = sharesBlocks(rows) ? 2.0 * rows * width * hidden_width : -1;
  parallelFor((rows + kRowBlock - 1) / kRowBlock, work, feed);
}

size_t feedForwardBackwardScratch(int rows, int width, int hidden_width) {
  return PackedScratch(nullptr, rows, width, hidden_width).size;
}

void feedForwardBackward(const float* grad_out, const float* x, const float* hidden, const float* weight1,
                         const float* weight2, float* scratch, float* grad_x, float* grad_weight1, float* grad_bias1,
                         float* grad_weight2, float* grad_bias2, int rows, int width, int hidden_width,
                         Activation activation, uint32_t seed, float dropout) {
  const PackedScratch w(scratch, rows, width, hidden_width);
  packMatrix(weight1, hidden_width, width, w.packed1);
  packMatrix(weight2, width, hidden_width, w.packed2);
  feedForwardRowsBackward(grad_out, x, hidden, w.packed1, w.packed2, w.rest, grad_x, grad_weight1, grad_bias1,
                          grad_weight2, grad_bias2, 0, rows, width, hidden_width, activation, {seed, dropout});
}

size_t feedForwardRowsBackwardScratch(int rows, int width, int hidden_width) {
  return BackwardScratch(nullptr, rows, width, hidden_width).size;
}

void feedForwardRowsBackward(const float* grad_out, const float* x, const float* hidden, const float* packed1,
                             const float* packed2, float* scratch, float* grad_x, float* grad_weight1,
                             float* grad_bias1, float* grad_weight2, float* grad_bias2, int first, int rows, int width,
                             int hidden_width, Activation activation, Dropout dropout) {
  wakeThreads(4.0 * rows * width * hidden_width);
  const BackwardScratch w(scratch, rows, width, hidden_width);
  for (int row = 0; row < rows; row += kBackwardRowBlock) {
    const int count = std::min(rows - row, kBackwardRowBlock);
    const float* const grad = grad_out + static_cast<size_t>(row) * width;
    const float* const before = hidden + static_cast<size_t>(row) * hidden_width;
    gemm(grad, width, packed2, nullptr, w.gradHidden, hidden_width, count, hidden_width, width);
    parallelParts(count, 1, 2 * kActivationWork * count * hidden_width, [&](int i, int some) {
      const size_t from = static_cast<size_t>(i) * hidden_width;
      float* const gradients = w.gradHidden + from;
      float* const activated = w.activated + from;
      dropRows(gradients, gradients, some, hidden_width, first + row + i, dropout);
      activate(before + from, activated, gradients, static_cast<size_t>(some) * hidden_width, activation);
      dropRows(activated, activated, some, hidden_width, first + row + i, dropout);
    });
    addWeightGradient(grad, w.activated, w.rest, grad_weight2, grad_bias2, count, hidden_width, width);
    addWeightGradient(w.gradHidden, x + static_cast<size_t>(row) * width, w.rest, grad_weight1, grad_bias1, count,
                      width, hidden_width);
    gemm(w.gradHidden, hidden_width, packed1, nullptr, grad_x + static_cast<size_t>(row) * width, width, count, width,
         hidden_width);
  }
}

}  // namespace wasm_attention
