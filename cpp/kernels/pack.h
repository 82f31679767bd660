// Panels: the layout that the micro-kernel reads. A panel of width w holds w rows (or columns) of a matrix side by
// side, w floats for each step of the depth. The last panel is padded with zeros.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

/// n rounded up to a multiple, in n's type: first widen an int that may be near 2^31.
template <typename T>
constexpr T roundUp(T n, int multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// Floats of the panels of `count` rows or columns of this depth.
constexpr int64_t panelsSize(int count, int depth, int width) { return roundUp(int64_t{count}, width) * depth; }

/// Rows to panels: panel p, step k, lane r holds scale * source[(p * Width + r) * stride + k].
/// source (rows, depth); panels panelsSize(rows, depth, Width) floats.
template <int Width>
void packRows(const float* source, ptrdiff_t stride, int rows, int depth, float scale, float* panels);

/// packColumns packs this many rows at a time. They stay in L1, which has few sets for rows that are a power of two
/// apart.
constexpr int kPackedRows = 32;

/// Columns to panels of 8: panel p, step k, lane c holds source[k * stride + p * 8 + c].
/// source (depth, cols); panels panelsSize(cols, depth, 8) floats.
void packColumns(const float* source, ptrdiff_t stride, int depth, int cols, float* panels);

/// 1 if none of these is NaN or infinite, else 0; `count` is a multiple of 8.
float allFinite(const float* x, size_t count);

}  // namespace wasm_attention
