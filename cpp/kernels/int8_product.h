// Products with weights that are stored in a byte each.
//
// A row of weights is cut into blocks of kScaleBlock columns, each of which is scale * q with -63 <= q <= 63; a row of
// the left operand is scale * q with -127 <= q <= 127. Sums of products of whole numbers are exact, in any order and
// with any instructions. The operations on floats have a fixed order and are not fused, so results have the same bits
// with and without relaxed SIMD, on any number of threads, and for a row alone as among others.
//
// A row or a block with an infinite or NaN number has a scale of NaN.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

constexpr int kScaleBlock = 128;
constexpr int kMostWeight = 63, kMostInput = 127;

/// Size in floats of a packed (depth, cols) right operand.
int64_t int8Size(int64_t depth, int64_t cols);

/// Packs rows [first, first + count) of a matrix (cols, depth); w begins with row `first`. `packed` must initially be
/// zeros. A block's scale is its largest magnitude / 63, and q is w * (63 / that magnitude), rounded to even.
void packInt8Part(const float* w, int depth, int cols, int first, int count, float* packed);

/// out (depth) = a column.
void unpackInt8Column(const float* packed, int depth, int cols, int col, float* out);

/// c = a * b + bias, where a's rows are rounded in the same way to 127 steps. Arguments as in gemm (gemm.h).
/// scratch  int8Scratch(rows, depth) floats
void multiplyInt8(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth, float* scratch);
int64_t int8Scratch(int64_t rows, int64_t depth);

}  // namespace wasm_attention
