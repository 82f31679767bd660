// Keys and values as a cache stores them: a row for each head of each token, in whole floats.
//   float32  the numbers
//   float16  the numbers, rounded to even; zeros up to a multiple of four
//   int8     a scale s, and then bytes b from -127 to 127 that stand for s * b; zeros up to a multiple of four
#pragma once

#include <cstddef>

#include "attention.h"

namespace wasm_attention {

/// The heads of a cache, (batch, heads, capacity, width), each with `length` rows.
struct CacheHeads {
  float* rows;
  int length, capacity, heads, width;
  WeightType type;
};

/// Appends the tokens of sequences [0, batch) to their heads. A token is a row of heads side by side; rows are `stride`
/// floats apart, sequence after sequence.
void appendTokens(const float* from, ptrdiff_t stride, int batch, int tokens, const CacheHeads& to);

/// to = the row of `width` numbers. `to` has cacheRowSize(width, type) floats.
void packCacheRow(const float* from, int width, WeightType type, float* to);

/// to (count, width) = rows that are `stride` floats apart.
void unpackCacheRows(const float* from, ptrdiff_t stride, int count, int width, WeightType type, float* to);

}  // namespace wasm_attention
