#include <algorithm>
#include <cassert>

#include "attention.h"
#include "kernels/dropout.h"
#include "simd/f32x4.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

// By hand, because `out` may be `a`, for which the compiler would add one float at a time.
void add(const float* a, const float* b, float* out, int count) {
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int k = i; k < i + 16; k += 4) store(out + k, load(a + k) + load(b + k));
  }
  for (; i + 4 <= count; i += 4) store(out + i, load(a + i) + load(b + i));
  for (; i < count; ++i) out[i] = a[i] + b[i];
}

}  // namespace

void addPositions(const float* x, const float* table, float* out, int first, int count, int rows, int dim,
                  uint32_t seed, float dropout) {
  assert(0 <= dropout && dropout < 1);
  const uint32_t threshold = dropoutThreshold(dropout);
  const float scale = 1.0f / (1.0f - dropout);
  for (int row = first; row < first + count; ++row, x += dim, out += dim) {
    if (table) {
      add(x, table + static_cast<size_t>(row % rows) * dim, out, dim);
    } else if (out != x) {
      std::copy_n(x, dim, out);
    }
    if (threshold == 0) continue;
    const uint32_t key = dropoutRow(seed, row);
    for (int i = 0; i < dim; ++i) out[i] = dropoutBits(key, i) < threshold ? 0.0f : out[i] * scale;
  }
}

void addPositionsBackward(const float* grad_out, float* grad_x, float* grad_table, int batch, int rows, int dim,
                          uint32_t seed, float dropout) {
  addPositions(grad_out, nullptr, grad_x, 0, batch * rows, rows, dim, seed, dropout);
  if (!grad_table) return;
  const int size = rows * dim;
  if (batch <= kRun) {
    for (int b = 0; b < batch; ++b) add(grad_table, grad_x + static_cast<size_t>(b) * size, grad_table, size);
    return;
  }
  float compensation[kRunElements];
  for (int first = 0; first < size; first += kRunElements) {
    const int count = std::min(size - first, kRunElements);
    std::fill_n(compensation, count, 0.0f);
    for (int b = 0; b < batch; ++b)
      addRun(grad_x + static_cast<size_t>(b) * size + first, grad_table + first, compensation, count);
  }
}

}  // namespace wasm_attention
