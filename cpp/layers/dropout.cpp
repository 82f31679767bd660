#include "layers/dropout.h"

#include <cassert>
#include <cstring>

#include "kernels/dropout.h"
#include "kernels/parallel.h"
#include "simd/f32x4.h"

namespace wasm_attention {

namespace {

// The cost of an element, in multiplications.
constexpr double kAddWork = 8, kDropWork = 16;
// Threads take multiples of a cache line.
constexpr int kSharedFloats = 16;

void drop(const float* x, float* out, int rows, int dim, int first, Dropout dropout) {
  const uint32_t threshold = dropoutThreshold(dropout.probability);
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

}  // namespace

void dropRows(const float* x, float* out, int rows, int dim, int first, Dropout dropout) {
  assert(0 <= dropout.probability && dropout.probability < 1);
  if (dropoutThreshold(dropout.probability) == 0) {
    if (out != x) std::memcpy(out, x, static_cast<size_t>(rows) * dim * sizeof(float));
    return;
  }
  parallelParts(rows, 1, kDropWork * rows * dim, [&](int row, int count) {
    const size_t from = static_cast<size_t>(row) * dim;
    drop(x + from, out + from, count, dim, first + row, dropout);
  });
}

void addDropped(const float* x, float* y, int rows, int dim, int first, Dropout dropout) {
  parallelParts(rows, 1, (kAddWork + kDropWork) * rows * dim, [&](int row, int count) {
    const size_t from = static_cast<size_t>(row) * dim;
    dropRows(y + from, y + from, count, dim, first + row, dropout);
    addInPlace(x + from, y + from, static_cast<size_t>(count) * dim);
  });
}

void addInPlace(const float* x, float* y, size_t count) {
  parallelParts(static_cast<int>(count), kSharedFloats, kAddWork * count, [&](int i, int size) {
    const int end = i + size;
    for (; i + kLanes <= end; i += kLanes) store(y + i, load(y + i) + load(x + i));
    for (; i < end; ++i) y[i] += x[i];
  });
}

}  // namespace wasm_attention
