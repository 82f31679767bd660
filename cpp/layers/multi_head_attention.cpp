#include <cstring>

#include "attention.h"
#include "kernels/gemm.h"

namespace wasm_attention {
namespace {

void project(const Projection& p) {
  gemm(p.input, p.inputs, p.packed, p.bias, p.output, p.outputs, p.rows, p.outputs, p.inputs);
}

/// Turns the heads of rows (B, tokens, heads * width) in place, each sequence by its table.
void rotate(const Projection& rows, int batch, int heads, const float* table, int table_batch, const Rotation& r) {
  if (batch == 0) return;
  const int tokens = rows.rows / batch;
  const int width = rows.outputs / heads;
  const RotarySizes sizes{heads, tokens, width, r.width, width, rows.outputs, r.interleaved != 0};
  for (int b = 0; b < batch; ++b) {
    float* sequence = rows.output + static_cast<size_t>(b) * tokens * rows.outputs;
    rotaryEmbedding(sequence, table + static_cast<size_t>(b) * table_batch, sequence, sizes);
  }
}

/// Rows (B, tokens, heads * width) go behind the first `length` of each head's (B, heads, capacity, width).
void append(const Projection& rows, int batch, int heads, int length, int capacity, float* cache) {
  const int tokens = rows.rows / batch;
  const int width = rows.outputs / heads;
  const float* from = rows.output;
  for (int b = 0; b < batch; ++b) {
    for (int t = 0; t < tokens; ++t) {
      for (int h = 0; h < heads; ++h, from += width) {
        const size_t row = (static_cast<size_t>(b) * heads + h) * capacity + length + t;
        std::memcpy(cache + row * width, from, width * sizeof(float));
      }
    }
  }
}

}  // namespace

void packWeight(const float* weight, float* packed, int inputs, int outputs) {
  packTransposed(weight, inputs, outputs, packed);
}

size_t packWeightSize(int inputs, int outputs) { return packedSize(inputs, outputs); }

void multiHeadAttention(const MultiHeadAttentionArgs& args) {
  project(args.query);
  project(args.key);
  project(args.value);
  const AttentionArgs& a = args.attention;
  const Rotation& rotation = args.rotation;
  if (rotation.queries) {
    rotate(args.query, a.batch, a.heads, rotation.queries, rotation.queryBatch, rotation);
    rotate(args.key, a.batch, a.kvHeads, rotation.keys, 0, rotation);
  }
  if (args.keyCache) {
    append(args.key, a.batch, a.kvHeads, args.cacheLength, args.cacheCapacity, args.keyCache);
    append(args.value, a.batch, a.kvHeads, args.cacheLength, args.cacheCapacity, args.valueCache);
  }
  scaledDotProductAttention(a);
  project(args.output);
}

}  // namespace wasm_attention
