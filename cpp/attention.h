// wasm-attention — every operation of the C++ library: formula, shapes, aliasing, source.
//
// Conventions
//   Matrices are row-major float32. Outputs come after inputs, then sizes, then scalars.
//   Nothing here allocates, throws or validates: callers hand in memory of the stated sizes; asserts guard it in debug
//   builds. An operation that needs working memory says how much through its `…Scratch` function, in floats.
//
// Dimension letters (Vaswani et al. 2017)
//   B  batch            H  query heads       Hkv  key/value heads (H is a multiple of Hkv)
//   L  queries          S  keys, past included
//   E  head width       Ev value width       D  model width (H * E in a layer)
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

/// Softmax of each row over its first `valid[i]` entries; the rest, and a row with none, become zero.
/// Entries of -infinity are masked too. Entries at or beyond `valid[i]` are never read, so NaN there is harmless.
/// x, out  (rows, cols), row-major; may be the same buffer.
/// valid   (rows), 0 <= valid[i] <= cols; null means all of every row.
/// Source: d2l.ai, section "Attention Scoring Functions".
void maskedSoftmax(const float* x, const int32_t* valid, float* out, int rows, int cols);

}  // namespace wasm_attention
