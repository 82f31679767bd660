// A block of rows times a block of the depth: the unit of work of gemm.
#pragma once

#include <cstddef>

#include "simd/half.h"

namespace wasm_attention {

// The depth is cut into blocks, so that a panel of b, kDepthBlock x 8 (12 KB), and a block of a's rows, kRowBlock x
// kDepthBlock (24 KB), stay in L1 together.
constexpr int kDepthBlock = 384;
constexpr int kRowBlock = 16;
constexpr int kBlockFloats = kRowBlock * kDepthBlock;

/// Rows that share a panel widened from float16. A block of so many (96 KB) stays in L2.
constexpr int kHalfRows = 64;

/// A panel of float16 has two panels of 8 columns side by side, in each of which two columns that are four apart share
/// 32 bits.
constexpr int kHalfCols = 16;
template <typename Weight>
constexpr int kPanelCols = sizeof(Weight) == sizeof(Half) ? kHalfCols : 8;

/// The matrix to which a product is added: c itself, or for the first block of the depth the bias or zeros.
struct Addend {
  const float* from;
  ptrdiff_t stride;  // from one row to the next
  int step;          // from one column to the next; 0 for zeros
};

/// c (rows, cols) = plus + a * b for one block of the depth; rows, rounded up to 4, * depth <= kBlockFloats, or for
/// float16 rows <= kHalfRows.
/// panels  b (depth, cols) in panels
/// finite  whether panels of float16 have no infinity and no NaN; then they are widened in fewer instructions
void multiplyRows(const float* a, ptrdiff_t a_stride, const float* panels, const Addend& plus, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth, bool finite);
void multiplyRows(const float* a, ptrdiff_t a_stride, const Half* panels, const Addend& plus, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth, bool finite);

/// The same for a single row and finite panels.
void multiplyRow(const float* a, const float* panels, const Addend& plus, float* c, int cols, int depth);
void multiplyRow(const float* a, const Half* panels, const Addend& plus, float* c, int cols, int depth);

}  // namespace wasm_attention
