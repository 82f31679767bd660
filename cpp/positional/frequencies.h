// Tables of frequencies, each the sum of two float64s, so that angles stay exact at large positions.
#pragma once

#include "positional/sin_cos.h"

namespace wasm_attention {

/// The number of frequencies in a table for width `dim`: ceil(dim / 2), rounded up to whole vectors of two.
inline int frequencyCount(int dim) { return (dim / 4 + (dim % 4 != 0)) * 2; }

/// Two frequencies. `high` is the first 29 bits, whose product with a whole position up to 2^24 is exact; `low` is the
/// rest.
struct Frequencies {
  f64x2 high, low;
};

/// Frequencies j and j + 1 (j even) of a table that `sinusoidalFrequencies` made for `dim`.
inline Frequencies loadFrequencies(const double* table, int dim, int j) {
  return {load(table + j), load(table + frequencyCount(dim) + j)};
}

/// Sine and cosine of position · frequency.
inline SinCos sinCosAt(const Frequencies& frequencies, double position) {
  return sinCos(frequencies.high * splat(position), frequencies.low * splat(position));
}

}  // namespace wasm_attention
