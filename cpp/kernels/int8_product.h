// Products with weights that are stored in a byte each.
//
// A row of weights is cut into blocks of kScaleBlock columns, each of which is scale * q with whole numbers q; so is a
// row of the left operand. With `Int8`, weights are within 63 and inputs within 127, with `Int8Fine` within 127 and
// 32767. The few inputs that are much larger than the others of their row are multiplied as floats. Sums of products of
// whole numbers are exact, in any order and with any instructions. The operations on floats have a fixed order and are
// not fused, so results have the same bits with and without relaxed SIMD, on any number of threads, and for a row alone
// as among others.
//
// A row or a block with an infinite or NaN number has a scale of NaN.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/int8.h"

namespace wasm_attention {

constexpr int kScaleBlock = 128;

/// Size in floats of a packed (depth, cols) right operand.
template <typename Form>
int64_t int8Size(int64_t depth, int64_t cols);

/// Packs rows [first, first + count) of a matrix (cols, depth), divided by the factors that `packed` begins with
/// (scaleInt8Columns); w begins with row `first`. The rest of `packed` must initially be zeros. A block's scale is its
/// largest magnitude / steps, and q is w * (steps / that magnitude), rounded to even, with steps = Form::kMostWeight.
template <typename Form>
void packInt8Part(const float* w, int depth, int cols, int first, int count, float* packed);

/// out (depth) = a column.
template <typename Form>
void unpackInt8Column(const float* packed, int depth, int cols, int col, float* out);

/// c = a * b + bias, where a's rows, multiplied by b's factors, are rounded in the same way to Form::kMostInput steps.
/// Arguments as in gemm (gemm.h). scratch  int8Scratch(rows, depth) floats
template <typename Form>
void multiplyInt8(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth, float* scratch);
template <typename Form>
int64_t int8Scratch(int64_t rows, int64_t depth);

}  // namespace wasm_attention
