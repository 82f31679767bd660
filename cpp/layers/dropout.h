// Dropout of a layer's rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

struct Dropout {
  uint32_t seed;
  float probability;  // 0: none
};

/// out = dropout(x) as in addPositions; the first row has number `first`.
/// x, out  (rows, dim); may be the same buffer.
void dropRows(const float* x, float* out, int rows, int dim, int first, Dropout dropout);

/// y = x + dropout(y). x, y  (rows, dim); the first row has number `first`.
void addDropped(const float* x, float* y, int rows, int dim, int first, Dropout dropout);

/// y += x, for `count` elements.
void addInPlace(const float* x, float* y, size_t count);

}  // namespace wasm_attention
