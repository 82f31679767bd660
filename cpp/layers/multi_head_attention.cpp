#include <algorithm>

#include "attention.h"
#include "attention/cache_rows.h"
#include "kernels/gemm.h"
#include "layers/packed_weight.h"
#include "layers/rotate_heads.h"

namespace wasm_attention {
namespace {

/// Rows (B, tokens, heads * width), with the heads side by side.
struct Tokens {
  float* rows;
  int tokens, heads;
};

/// Copies them into a cache, after the rows of each head that are there.
void append(const Tokens& some, const MultiHeadAttentionArgs& args, float* cache) {
  const AttentionArgs& a = args.attention;
  const CacheHeads to{cache, args.cacheLength, args.cacheCapacity, some.heads, a.width, a.cacheType};
  appendTokens(some.rows, some.heads * a.width, a.batch, some.tokens, to);
}

}  // namespace

void packWeight(const float* weight, float* packed, int inputs, int outputs) {
  packTransposed(weight, inputs, outputs, packed);
}

int64_t packWeightSize(int inputs, int outputs) { return packedSize(inputs, outputs); }

void project(const Projection& p, float* scratch) {
  multiplyPacked(p.input, p.inputs, p.packed, p.weightType, p.bias, p.output, p.rows, p.outputs, p.inputs, scratch);
}

int64_t projectScratch(const Projection& p) { return multiplyPackedScratch(p.rows, p.inputs, p.weightType); }

int64_t multiHeadAttentionScratch(const MultiHeadAttentionArgs& args) {
  return std::max({scaledDotProductAttentionScratch(args.attention), projectScratch(args.query),
                   projectScratch(args.key), projectScratch(args.value), projectScratch(args.output)});
}

void multiHeadAttention(const MultiHeadAttentionArgs& args, float* scratch) {
  for (const Projection* each : {&args.query, &args.key, &args.value}) project(*each, scratch);
  const AttentionArgs& a = args.attention;
  const int new_keys = args.key.rows / std::max(a.batch, 1);
  Tokens queries{args.query.output, a.queries, a.heads}, keys{args.key.output, new_keys, a.kvHeads};
  if (const HeadNorms& norms = args.norms; norms.query) {
    const auto norm = [&](Tokens& from, const float* weight, float* to) {
      const int count = a.batch * from.tokens * from.heads;
      rmsNorm(from.rows, weight, to, count, a.width, norms.eps);
      from.rows = to;
    };
    norm(queries, norms.query, norms.queries);
    norm(keys, norms.key, norms.keys);
  }
  const Rotation& rotation = args.rotation;
  if (rotation.queries) {
    const auto rotate = [&](const Tokens& some, const float* table, int table_batch) {
      const HeadRows rows{a.batch, some.tokens, some.heads, a.width, some.heads * a.width};
      rotateHeads<false>(some.rows, rows, table, table_batch, rotation);
    };
    rotate(queries, rotation.queries, rotation.queryBatch);
    rotate(keys, rotation.keys, rotation.keyBatch);
  }
  if (args.keyCache) {
    const Tokens values{args.value.output, new_keys, a.kvHeads};
    append(keys, args, args.keyCache);
    append(values, args, args.valueCache);
  }
  scaledDotProductAttention(a, scratch);
  project(args.output, scratch);
}

void rotateHeadsBackward(float* gradient, const float* table, int table_batch, int batch, int tokens, int heads,
                         int width, int rotary_width, bool interleaved) {
  Rotation rotation{};
  rotation.width = rotary_width;
  rotation.interleaved = interleaved;
  rotateHeads<true>(gradient, {batch, tokens, heads, width, heads * width}, table, table_batch, rotation);
}

}  // namespace wasm_attention
