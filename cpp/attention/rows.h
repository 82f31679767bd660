// Rows of the matrices that attention reads and writes.
#pragma once

#include <cstddef>

#include "attention.h"
#include "simd/f32x4.h"

namespace wasm_attention {

/// Row `row` of head `h` in batch `b`.
template <typename T>
inline T* rowOf(T* stack, Strides strides, int b, int h, int row) {
  return stack + static_cast<ptrdiff_t>(b) * strides.batch + static_cast<ptrdiff_t>(h) * strides.head +
         static_cast<ptrdiff_t>(row) * strides.row;
}

// Plain loops instead of memset and memmove, whose call costs as much as the loop for short rows, such as 16 floats.

/// x = 0; `count` is a multiple of 4.
inline void clearVectors(float* x, size_t count) {
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (size_t i = 0; i < count; i += 2 * kLanes) {
    store(x + i, f32x4{});
    if (i + kLanes < count) store(x + i + kLanes, f32x4{});
  }
}

/// to = scale * from, for `count` floats.
inline void scaleRow(const float* from, float scale, float* to, int count) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) store(to + i, load(from + i) * scale);
  for (; i < count; ++i) to[i] = from[i] * scale;
}

}  // namespace wasm_attention
