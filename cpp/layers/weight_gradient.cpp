// The product grad_out^T * x: the depth of both operands is along their rows, so packing them into panels is copying.
//
// Versions tried (ms of an encoder layer's training step of 13 ms, without the products; Sapphire Rapids, Node 20):
//   grad_out transposed, then packed by rows like any left operand   1
//   packed by columns, which also sums for the bias                  0.4   <- this
// Versions tried on two threads (speed of a linear layer's backward pass relative to one thread; 768 to 3072, 512 rows
// / 256 to 256, 4096 rows / 64 to 64, 1024 rows; Node 20, two cores):
//   on one thread, only the input's gradient shared                  1.31 / 1.27 / 1.20
//   shared by columns of the result                                  1.77 / 1.72 / 1.26   <- this
// Today: npm run bench -- --scaling --work training
#include "layers/weight_gradient.h"

#include <algorithm>

#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/running_sum.h"
#include "kernels/tile.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

// The number of rows at a time, so that a panel of x, 8 KB, and one of grad_out, 4 KB, stay in L1.
constexpr int kDepthBlock = 256;

/// Packs `depth` rows of the first four columns of x into a panel, with zeros after the last `left` columns; returns
/// their sums.
f32x4 packFourColumns(const float* x, ptrdiff_t stride, int depth, int left, float* panel) {
  f32x4 sums{};
  for (int k = 0; k < depth; ++k, x += stride, panel += kLanes) {
    f32x4 v{};
    if (left >= kLanes) {
      v = load(x);
    } else {
      for (int c = 0; c < left; ++c) v[c] = x[c];
    }
    sums += v;
    store(panel, v);
  }
  return sums;
}

/// Packs the columns of x, whose rows are `stride` apart, into panels of 4; adds their sums to `sums`, unless that is
/// null.
void packLeft(const float* x, ptrdiff_t stride, int depth, int cols, float* panels, float* sums) {
  for (int k = 0; k < depth; k += kPackedRows, x += kPackedRows * stride) {
    const int rows = std::min(depth - k, kPackedRows);
    float* panel = panels + k * kTileRows;
    for (int col = 0; col < cols; col += kTileRows, panel += static_cast<size_t>(kTileRows) * depth) {
      const int left = std::min(cols - col, kTileRows);
      const f32x4 four = packFourColumns(x + col, stride, rows, left, panel);
      for (int c = 0; sums && c < left; ++c) sums[col + c] += four[c];
    }
  }
}

/// A tile at the edge of out. Not inlined, so that the sums of all other tiles stay in registers.
[[gnu::noinline]] void addPart(const float* left, const float* right, int depth, float* out, ptrdiff_t stride, int rows,
                               int cols) {
  const Tile tile = multiplyTile<kTileRows>(left, right, depth);
  for (int r = 0; r < rows; ++r, out += stride) {
    for (int c = 0; c < cols; ++c) out[c] += tile.sum[r][c / kLanes][c % kLanes];
  }
}

/// out (rows, cols) += left^T * right, rows `stride` apart. Not inlined, so that an engine can swap in its optimised
/// code during the first product.
[[gnu::noinline]] void addProduct(const float* left, const float* right, float* out, ptrdiff_t stride, int rows,
                                  int cols, int depth) {
  for (int c = 0; c < cols; c += kTileCols, right += static_cast<size_t>(kTileCols) * depth) {
    const float* panel = left;
    float* to = out + c;
    for (int r = 0; r < rows; r += kTileRows, panel += kTileRows * depth, to += kTileRows * stride) {
      if (rows - r >= kTileRows && cols - c >= kTileCols) {
        addTile(multiplyTile<kTileRows>(panel, right, depth), to, stride, to, stride);
      } else {
        addPart(panel, right, depth, to, stride, std::min(rows - r, kTileRows), std::min(cols - c, kTileCols));
      }
    }
  }
}

/// sums += the sum of x's rows.
void addRows(const float* x, float* sums, int rows, int cols) {
  float run[kRunElements], compensation[kRunElements];
  for (int col = 0; col < cols; col += kRunElements) {
    const int count = std::min(cols - col, kRunElements);
    std::fill_n(compensation, count, 0.0f);
    for (int row = 0; row < rows; row += kRun) {
      std::fill_n(run, count, 0.0f);
      for (int i = row; i < std::min(row + kRun, rows); ++i) {
        const float* const from = x + static_cast<size_t>(i) * cols + col;
        for (int c = 0; c < count; ++c) run[c] += from[c];
      }
      addRun(run, sums + col, compensation, count);
    }
  }
}

struct Scratch {
  float *right, *left;
  RunningSum products;

  Scratch(Cutter& cut, int rows, int64_t inputs, int64_t outputs)
      : right(cut.take(roundUp(inputs, kTileCols) * std::min(rows, kDepthBlock))),
        left(cut.take(roundUp(outputs, kTileRows) * std::min(rows, kDepthBlock))),
        products(cut, times(inputs, outputs), rows, kRowsOfARun) {}
};

}  // namespace

int64_t weightGradientScratch(int rows, int64_t inputs, int64_t outputs) {
  Cutter cut(nullptr);
  Scratch(cut, rows, inputs, outputs);
  return cut.used();
}

void addWeightGradient(const float* grad_out, const float* x, float* scratch, float* grad_weight, float* grad_bias,
                       int rows, int inputs, int outputs) {
  constexpr int kColumns = 2 * kTileCols;  // a cache line of the result's rows
  if (grad_bias && rows > kManyRows) {
    addRows(grad_out, grad_bias, rows, outputs);
    grad_bias = nullptr;
  }
  Cutter cut(scratch);
  Scratch w(cut, rows, inputs, outputs);
  w.products.start(grad_weight, inputs * outputs);
  for (int row = 0; row < rows; row += kDepthBlock) {
    const int depth = std::min(rows - row, kDepthBlock);
    const float* const from = x + static_cast<size_t>(row) * inputs;
    const float* const grad = grad_out + static_cast<size_t>(row) * outputs;
    parallelParts(inputs, kColumns, kCopyWork * depth * inputs, [&](int col, int count) {
      packColumns(from + col, inputs, depth, count, w.right + static_cast<size_t>(col) * depth);
    });
    parallelParts(outputs, kColumns, kCopyWork * depth * outputs, [&](int col, int count) {
      packLeft(grad + col, outputs, depth, count, w.left + static_cast<size_t>(col) * depth,
               grad_bias ? grad_bias + col : nullptr);
    });
    float* const to = w.products.to();
    parallelParts(inputs, kColumns, static_cast<double>(depth) * inputs * outputs, [&](int col, int count) {
      addProduct(w.left, w.right + static_cast<size_t>(col) * depth, to + col, inputs, outputs, count, depth);
    });
    w.products.added(depth);
  }
  w.products.finish();
}

}  // namespace wasm_attention
