// Short rows, in place: a head's row may be 16 floats long, of which a call of memset or memmove is half the time.
#pragma once

#include <cstddef>

#include "simd/f32x4.h"

namespace wasm_attention {

/// Zeros; `count` is a multiple of 4.
inline void clearVectors(float* x, size_t count) {
#ifdef __clang__
#pragma clang loop vectorize(disable) unroll(disable)
#endif
  for (size_t i = 0; i < count; i += 2 * kLanes) {
    store(x + i, f32x4{});
    if (i + kLanes < count) store(x + i + kLanes, f32x4{});
  }
}

/// to = scale * from, of `count` floats.
inline void scaleRow(const float* from, float scale, float* to, int count) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) store(to + i, load(from + i) * scale);
  for (; i < count; ++i) to[i] = from[i] * scale;
}

}  // namespace wasm_attention
