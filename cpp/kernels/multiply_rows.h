// A block of rows times a block of the depth: what gemm is made of.
#pragma once

#include <cstddef>

namespace wasm_attention {

// The depth is cut into blocks, and so are packed operands: a panel of b, kDepthBlock x 8, and a block of a's rows,
// kRowBlock x kDepthBlock, stay in L1 together (12 KB + 24 KB).
constexpr int kDepthBlock = 384;
constexpr int kRowBlock = 16;
constexpr int kBlockFloats = kRowBlock * kDepthBlock;

/// What a product is added to: c itself, or for the first block of the depth the bias in every row, or zeros.
struct Addend {
  const float* from;
  ptrdiff_t stride;  // from one row to the next
  int step;          // from one column to the next: 0 for zeros
};

/// c (rows, cols) = plus + a * b, of one block of the depth; rows * depth <= kBlockFloats, with rows rounded up to 4.
/// panels  b (depth, cols) in panels of 8 columns
void multiplyRows(const float* a, ptrdiff_t a_stride, const float* panels, const Addend& plus, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth);

/// The same for a single row.
void multiplyRow(const float* a, const float* panels, const Addend& plus, float* c, int cols, int depth);

}  // namespace wasm_attention
