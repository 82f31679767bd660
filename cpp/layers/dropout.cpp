#include "layers/dropout.h"

#include <cassert>
#include <cstring>

#include "kernels/dropout.h"
#include "simd/f32x4.h"

namespace wasm_attention {

void dropRows(const float* x, float* out, int rows, int dim, int first, Dropout dropout) {
  assert(0 <= dropout.probability && dropout.probability < 1);
  const uint32_t threshold = dropoutThreshold(dropout.probability);
  if (threshold == 0) {
    if (out != x) std::memcpy(out, x, static_cast<size_t>(rows) * dim * sizeof(float));
    return;
  }
  const float scale = 1.0f / (1.0f - dropout.probability);
  const u32x4 steps = u32x4{0, 1, 2, 3} * kDropoutStep;
  for (int row = first; row < first + rows; ++row, x += dim, out += dim) {
    const uint32_t key = dropoutRow(dropout.seed, row);
    int i = 0;
    for (; i + kLanes <= dim; i += kLanes) {
      const u32x4 bits = mix32(steps + (key + static_cast<uint32_t>(i) * kDropoutStep));
      const i32x4 dropped = reinterpret_cast<i32x4>(bits < splat(threshold));
      store(out + i, select(dropped, f32x4{}, load(x + i) * scale));
    }
    for (; i < dim; ++i) out[i] = dropoutBits(key, i) < threshold ? 0.0f : x[i] * scale;
  }
}

void addDropped(const float* x, float* y, int rows, int dim, int first, Dropout dropout) {
  dropRows(y, y, rows, dim, first, dropout);
  addInPlace(x, y, static_cast<size_t>(rows) * dim);
}

void addInPlace(const float* x, float* y, size_t count) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(y + i, load(y + i) + load(x + i));
  for (; i < count; ++i) y[i] += x[i];
}

}  // namespace wasm_attention
