#include <algorithm>
#include <cstring>

#include "attention.h"
#include "kernels/gemm.h"
#include "layers/rotate_heads.h"

namespace wasm_attention {
namespace {

void project(const Projection& p) {
  gemm(p.input, p.inputs, p.packed, p.bias, p.output, p.outputs, p.rows, p.outputs, p.inputs);
}

/// Copies rows (B, tokens, heads * width) into the cache (B, heads, capacity, width), after the first `length` rows of each head.
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

void packWeightRows(const float* rows, float* packed, int inputs, int outputs, int first, int count) {
  packTransposedPart(rows, inputs, outputs, first, count, packed);
}

int64_t packWeightSize(int inputs, int outputs) { return packedSize(inputs, outputs); }

int64_t multiHeadAttentionScratch(const MultiHeadAttentionArgs& args) {
  return scaledDotProductAttentionScratch(args.attention);
}

void multiHeadAttention(const MultiHeadAttentionArgs& args, float* scratch) {
  project(args.query);
  project(args.key);
  project(args.value);
  const AttentionArgs& a = args.attention;
  const Rotation& rotation = args.rotation;
  if (rotation.queries) {
    const auto rotate = [&](const Projection& p, int tokens, int heads, const float* table, int table_batch) {
      rotateHeads<false>(p.output, {a.batch, tokens, heads, a.width, heads * a.width}, table, table_batch, rotation);
    };
    rotate(args.query, a.queries, a.heads, rotation.queries, rotation.queryBatch);
    rotate(args.key, args.key.rows / std::max(a.batch, 1), a.kvHeads, rotation.keys, rotation.keyBatch);
  }
  if (args.keyCache) {
    append(args.key, a.batch, a.kvHeads, args.cacheLength, args.cacheCapacity, args.keyCache);
    append(args.value, a.batch, a.kvHeads, args.cacheLength, args.cacheCapacity, args.valueCache);
  }
  scaledDotProductAttention(a, scratch);
  project(args.output);
}

void rotateHeadsBackward(float* gradient, const float* table, int table_batch, int batch, int tokens, int heads,
                         int width, int rotary_width, bool interleaved) {
  Rotation rotation{};
  rotation.width = rotary_width;
  rotation.interleaved = interleaved;
  rotateHeads<true>(gradient, {batch, tokens, heads, width, heads * width}, table, table_batch, rotation);
}

}  // namespace wasm_attention
