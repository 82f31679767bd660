// Matrix products over packed operands.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

/// Floats of a packed (depth, cols) right operand.
int64_t packedSize(int64_t depth, int64_t cols);

/// Packs b (depth, cols), row-major.
void packMatrix(const float* b, int depth, int cols, float* packed);

/// Packs the transpose of w (cols, depth), row-major, such as the weight (out, in) of a linear layer.
void packTransposed(const float* w, int depth, int cols, float* packed);

/// Packs rows [first, first + count) of a matrix; w begins with row `first`, a multiple of 8.
void packTransposedPart(const float* w, int depth, int cols, int first, int count, float* packed);

/// out (depth) = the column of a packed (depth, cols).
void unpackColumn(const float* packed, int depth, int cols, int col, float* out);

/// The same three for float16: 4 floats precede the panels (multiply_rows.h), the first of which is 0 if all numbers
/// are finite. `packed` must initially be zeros; `first` may be any number. Numbers are rounded to the nearest float16,
/// ties to even.
int64_t halfSize(int64_t depth, int64_t cols);
void packHalfPart(const float* w, int depth, int cols, int first, int count, float* packed);
void unpackHalfColumn(const float* packed, int depth, int cols, int col, float* out);
constexpr int kHalfHeader = 4;

/// c = a * b + bias
/// a       (rows, depth), row stride `a_stride`
/// packed  b (depth, cols), from packMatrix or packTransposed
/// bias    (cols), or null
/// c       (rows, cols), row stride `c_stride`; aliases nothing
void gemm(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
          int rows, int cols, int depth);

/// The same with a weight from packHalfPart; gives the same bits as gemm with the rounded numbers.
void gemmHalf(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
              int rows, int cols, int depth);

/// gemm, while the caller's arrays for a and c are copied (stream.h). Rows have no gaps between them.
void gemmStreamed(const float* a, const float* packed, const float* bias, float* c, int rows, int cols, int depth);

/// c += a * b
void gemmAdd(const float* a, ptrdiff_t a_stride, const float* packed, float* c, ptrdiff_t c_stride, int rows, int cols,
             int depth);

}  // namespace wasm_attention
