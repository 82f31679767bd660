// Rotary positions of heads that lie side by side in a projection's rows.
#pragma once

#include "attention.h"

namespace wasm_attention {

struct HeadRows {
  int batch, tokens, heads, width;
  int stride;  // from one token's row to the next one's
};

/// Turns them in place, or back, each sequence by its table; 0 for `table_batch` is one table for all of them.
template <bool kBack>
void rotateHeads(float* rows, const HeadRows& n, const float* table, int table_batch, const Rotation& rotation) {
  const RotarySizes sizes{n.heads, n.tokens, n.width, rotation.width, n.width, n.stride, rotation.interleaved != 0};
  for (int b = 0; b < n.batch; ++b) {
    float* sequence = rows + static_cast<size_t>(b) * n.tokens * n.stride;
    const float* angles = table + static_cast<size_t>(b) * table_batch;
    (kBack ? rotaryEmbeddingBackward : rotaryEmbedding)(sequence, angles, sequence, sizes);
  }
}

}  // namespace wasm_attention
