#include <algorithm>
#include <cassert>

#include "attention.h"
#include "kernels/dropout.h"

namespace wasm_attention {

void addPositions(const float* x, const float* table, float* out, int batch, int rows, int dim, uint32_t seed,
                  float dropout) {
  assert(0 <= dropout && dropout < 1);
  const uint32_t threshold = dropoutThreshold(dropout);
  const float scale = 1.0f / (1.0f - dropout);
  for (int row = 0; row < batch * rows; ++row, x += dim, out += dim) {
    if (table) {
      const float* position = table + static_cast<size_t>(row % rows) * dim;
      for (int i = 0; i < dim; ++i) out[i] = x[i] + position[i];
    } else if (out != x) {
      std::copy_n(x, dim, out);
    }
    if (threshold == 0) continue;
    const uint32_t key = dropoutRow(seed, row);
    for (int i = 0; i < dim; ++i) out[i] = dropoutBits(key, i) < threshold ? 0.0f : out[i] * scale;
  }
}

}  // namespace wasm_attention
