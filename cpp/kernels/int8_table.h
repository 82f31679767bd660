// Tables whose rows are only looked up, in a byte for each number. 32 numbers of a row share a scale: they are stored
// as a row of an int8 cache (attention/cache_rows.h), in 127 steps. Products would be slow with so many scales.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// Size in floats of a table (rows, width).
int64_t tableSize(int64_t width, int64_t rows);

/// Stores rows [first, first + count) of a table; `from` begins with row `first`.
void packTablePart(const float* from, int width, int rows, int first, int count, float* table);

/// out (width) = a row.
void unpackTableRow(const float* table, int width, int rows, int row, float* out);

}  // namespace wasm_attention
