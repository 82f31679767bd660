// Rows of numbers that are stored in 8 or 16 bits, at any address.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/f32x4.h"
#include "simd/half.h"

namespace wasm_attention {

typedef int8_t i8x4 __attribute__((vector_size(4)));
typedef int16_t i16x4 __attribute__((vector_size(8)));
/// Bits of bfloat16s, which are the upper halves of float32s.
struct BFloats {
  i16x4 bits;
};

inline f32x4 widened(i16x4 halves) { return grown(shrunkLow(__builtin_convertvector(halves, i32x4))); }
inline f32x4 widened(i8x4 bytes) { return __builtin_convertvector(bytes, f32x4); }
inline f32x4 widened(BFloats four) { return reinterpret_cast<f32x4>(__builtin_convertvector(four.bits, i32x4) << 16); }

template <typename Four>
f32x4 widenedAt(const uint8_t* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return widened(four);
}

/// to (width) = scale * the numbers at `from`, any address, that Four has four of. Of incomplete ones all bytes are
/// read.
template <typename Four>
void widenRow(const void* from, int width, float scale, float* to) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  int e = 0;
  for (; e + kLanes <= width; e += kLanes, bytes += sizeof(Four)) store(to + e, widenedAt<Four>(bytes) * scale);
  if (e == width) return;
  const f32x4 rest = widenedAt<Four>(bytes) * scale;
  std::memcpy(to + e, &rest, (width - e) * sizeof(float));
}

}  // namespace wasm_attention
