// The packed right operand of a product: blocks of the depth in order, and the panels of each block in order.
#include <algorithm>

#include "kernels/cutter.h"
#include "kernels/gemm.h"
#include "kernels/multiply_rows.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/tile.h"

namespace wasm_attention {
namespace {

/// Calls f(first column, columns, their panels) for parts of a block, which threads share.
template <typename F>
void forColumns(int depth, int cols, float* packed, const F& f) {
  constexpr int kColumns = 4 * kTileCols;
  parallelFor((cols + kColumns - 1) / kColumns, kCopyWork * depth * cols, [&](int i, int) {
    const int col = i * kColumns;
    f(col, std::min(cols - col, kColumns), packed + static_cast<size_t>(col) * depth);
  });
}

}  // namespace

int64_t packedSize(int64_t depth, int64_t cols) { return times(roundUp(cols, kTileCols), depth); }

void packMatrix(const float* b, int depth, int cols, float* packed) {
  for (int k = 0; k < depth; k += kDepthBlock) {
    const int block = std::min(depth - k, kDepthBlock);
    const float* const from = b + static_cast<ptrdiff_t>(k) * cols;
    forColumns(block, cols, packed,
               [&](int col, int count, float* panels) { packColumns(from + col, cols, block, count, panels); });
    packed += panelsSize(cols, block, kTileCols);
  }
}

void packTransposed(const float* w, int depth, int cols, float* packed) {
  packTransposedPart(w, depth, cols, 0, cols, packed);
}

void packTransposedPart(const float* w, int depth, int cols, int first, int count, float* packed) {
  for (int k = 0; k < depth; k += kDepthBlock) {
    const int block = std::min(depth - k, kDepthBlock);
    float* const part = packed + static_cast<size_t>(first) * block;
    forColumns(block, count, part, [&](int col, int columns, float* panels) {
      packRows<kTileCols>(w + static_cast<ptrdiff_t>(col) * depth + k, depth, columns, block, 1.0f, panels);
    });
    packed += panelsSize(cols, block, kTileCols);
  }
}

void unpackColumn(const float* packed, int depth, int cols, int col, float* out) {
  const size_t padded = roundUp(size_t(cols), kTileCols);
  for (int k = 0; k < depth; ++k) {
    const int begin = k / kDepthBlock * kDepthBlock;
    const int block = std::min(depth - begin, kDepthBlock);
    const float* const panel = packed + padded * begin + static_cast<size_t>(col / kTileCols * kTileCols) * block;
    out[k] = panel[static_cast<size_t>(k - begin) * kTileCols + col % kTileCols];
  }
}

}  // namespace wasm_attention
