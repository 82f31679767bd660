// Rotary positions of heads that lie side by side in a projection's rows.
#pragma once

#include "attention.h"
#include "kernels/parallel.h"

namespace wasm_attention {

struct HeadRows {
  int batch, tokens, heads, width;
  int stride;  // from one token's row to the next
};

/// Rotates them in place, or back. `table_batch` is the distance from one sequence's table to the next; 0 if they share
/// one.
template <bool kBack>
void rotateHeads(float* rows, const HeadRows& n, const float* table, int table_batch, const Rotation& rotation) {
  constexpr int kRows = 64;  // at a time, as in rotaryEmbedding
  for (int b = 0; b < n.batch; ++b) {
    float* sequence = rows + static_cast<size_t>(b) * n.tokens * n.stride;
    const float* angles = table + static_cast<size_t>(b) * table_batch;
    parallelParts(n.tokens, kRows, 8.0 * n.tokens * n.heads * rotation.width, [&](int first, int count) {
      const RotarySizes sizes{n.heads, count, n.width, rotation.width, n.width, n.stride, rotation.interleaved != 0};
      float* some = sequence + static_cast<size_t>(first) * n.stride;
      (kBack ? rotaryEmbeddingBackward : rotaryEmbedding)(some, angles + static_cast<size_t>(first) * rotation.width,
                                                          some, sizes);
    });
  }
}

}  // namespace wasm_attention
