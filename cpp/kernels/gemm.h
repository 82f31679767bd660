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

/// Packs `count` rows of w from number `first` on, a multiple of 8; w begins with that one.
void packTransposedPart(const float* w, int depth, int cols, int first, int count, float* packed);

/// out (depth) = the column of a packed (depth, cols).
void unpackColumn(const float* packed, int depth, int cols, int col, float* out);

/// c = a * b + bias
/// a       (rows, depth), row stride `a_stride`
/// packed  b (depth, cols), from packMatrix or packTransposed
/// bias    (cols), or null
/// c       (rows, cols), row stride `c_stride`; aliases nothing
void gemm(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
          int rows, int cols, int depth);

/// The same, while the caller's arrays behind a and c are copied (stream.h). Rows have no gaps between them.
void gemmStreamed(const float* a, const float* packed, const float* bias, float* c, int rows, int cols, int depth);

/// c += a * b
void gemmAdd(const float* a, ptrdiff_t a_stride, const float* packed, float* c, ptrdiff_t c_stride, int rows, int cols,
             int depth);

}  // namespace wasm_attention
