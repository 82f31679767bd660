// The random bits of dropout: a hash of where a weight stands, so that any order of computation, and the backward pass,
// sees the same bits for the same seed.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// A bijective mix of 32 bits with low bias (the constants of C. Wellons' "lowbias32").
inline uint32_t mix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/// The bits of element `index` in row `row` (a weight row of attention, a token's vector) for a seed.
inline uint32_t dropoutRow(uint32_t seed, uint32_t row) { return mix32(mix32(seed + 0x9e3779b9u) ^ row); }
inline uint32_t dropoutBits(uint32_t row_key, uint32_t index) { return mix32(row_key + index * 0x9e3779b9u); }

/// Bits below this are dropped: P(bits < threshold) = probability, to 2^-32.
inline uint32_t dropoutThreshold(float probability) { return static_cast<uint32_t>(probability * 4294967296.0); }

}  // namespace wasm_attention
