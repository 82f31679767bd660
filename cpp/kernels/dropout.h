// The random bits of dropout: a hash of the seed and the element's place, so that the backward pass gets the same bits
// and the order of computation does not matter.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// Mixes the bits of a number, or of each lane of a vector, one-to-one: C. Wellons' "lowbias32".
template <typename T>
inline T mix32(T x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

constexpr uint32_t kDropoutStep = 0x9e3779b9u;

/// The bits of element `index` in row `row` (of attention's weights, or a token's vector) for a seed.
inline uint32_t dropoutRow(uint32_t seed, uint32_t row) { return mix32(mix32(seed + kDropoutStep) ^ row); }
inline uint32_t dropoutBits(uint32_t row_key, uint32_t index) { return mix32(row_key + index * kDropoutStep); }

/// Elements whose bits are below this are dropped: P(bits < threshold) = probability, to 2^-32.
inline uint32_t dropoutThreshold(float probability) { return static_cast<uint32_t>(probability * 4294967296.0); }

}  // namespace wasm_attention
