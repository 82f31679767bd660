// Products with weights of 7 bits and a sign, kept in a byte each.
//
// A weight of the blocks of kScaleBlock columns that a row is cut into is scale * q, with -63 <= q <= 63; a row of the
// left operand is scale * q with -127 <= q <= 127. Sums of products of whole numbers are exact, so they are the same in
// any order and with any instructions. What is done with them in floats has one order too, and no fused operations:
// results have the same bits with and without relaxed SIMD, on any number of threads, and for a row alone as among
// others.
//
// A row or a block with a number that is infinite or NaN has NaN as its scale.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

constexpr int kScaleBlock = 128;
constexpr int kMostWeight = 63, kMostInput = 127;

/// Size in floats of a packed (depth, cols) right operand.
int64_t int8Size(int64_t depth, int64_t cols);

/// Packs `count` rows of w (cols, depth) from number `first` on; w begins with that one. Before any part is packed, all
/// is zeros. A block's scale is its largest magnitude / 63, and q is w * (63 / the magnitude), rounded to even.
void packInt8Part(const float* w, int depth, int cols, int first, int count, float* packed);

/// out (depth) = a column.
void unpackInt8Column(const float* packed, int depth, int cols, int col, float* out);

/// c = a * b + bias, where a's rows are rounded in the same way to 127 steps. Arguments as gemm's (gemm.h).
/// scratch  int8Scratch(rows, depth) floats
void multiplyInt8(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth, float* scratch);
int64_t int8Scratch(int64_t rows, int64_t depth);

}  // namespace wasm_attention
