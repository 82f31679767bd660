#include "layers/block_attention.h"

#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {
namespace {

// The cost of an element of a head's norm, in multiplications.
constexpr double kHeadNormWork = 6;

/// Rows of the whole batch, and the distance between them.
struct Rows {
  float* data;
  int64_t stride;

  float* at(int64_t row) const { return data + row * stride; }
};

/// Queries, keys and values before and after the norms.
struct Projected {
  Rows query, key, value, normedQuery, normedKey;

  explicit Projected(const AttentionSteps& steps, const AttentionArgs& a, bool cross) {
    const HeadWidths widths(a);
    query = {steps.joined, cross ? widths.queries : widths.joined};
    key = cross ? Rows{steps.memory, 2 * widths.keys} : Rows{steps.joined + widths.queries, widths.joined};
    value = {key.data + widths.keys, key.stride};
    normedQuery = steps.normed ? Rows{steps.normed, widths.joined} : query;
    normedKey = steps.normed ? Rows{steps.normed + widths.queries, widths.joined} : key;
  }
};

/// The number of keys of a sequence.
int newKeys(const BlockAttention& how) {
  const AttentionArgs& a = how.args.attention;
  return how.cross ? a.keys : a.queries;
}

/// Rotates the queries and keys of these sequences, or rotates their gradients back. Rows begin with the first one.
template <bool kBack>
void rotate(const BlockAttentionArgs& args, Sequences sequences, Rows query, Rows key, int new_keys) {
  const Rotation& r = args.rotation;
  if (!r.queries) return;
  const AttentionArgs& a = args.attention;
  const auto rotateHeads = [&](const Rows& rows, int heads, int tokens, const float* table, int table_batch) {
    const auto row = static_cast<int32_t>(rows.stride);
    (kBack ? rotaryEmbeddingBackward : rotaryEmbedding)({rows.data,
                                                         table + static_cast<size_t>(sequences.first) * table_batch,
                                                         rows.data,
                                                         sequences.count,
                                                         heads,
                                                         tokens,
                                                         a.width,
                                                         r.width,
                                                         {tokens * row, a.width, row},
                                                         table_batch,
                                                         r.interleaved});
  };
  rotateHeads(query, a.heads, a.queries, r.queries, r.queryBatch);
  rotateHeads(key, a.kvHeads, new_keys, r.keys, r.keyBatch);
}

}  // namespace

AttentionArgs BlockAttention::attention() const {
  AttentionArgs a = args.attention;
  const Projected at(steps, a, cross);
  const auto strides = [&](const Rows& rows, int tokens) {
    return Strides{static_cast<int32_t>(rows.stride * tokens), a.width, static_cast<int32_t>(rows.stride)};
  };
  a.query = at.normedQuery.data;
  a.queryStrides = strides(at.normedQuery, a.queries);
  a.key = at.normedKey.data;
  a.keyStrides = strides(at.normedKey, a.keys);
  a.value = at.value.data;
  a.valueStrides = strides(at.value, a.keys);
  a.output = steps.heads;
  const int row = a.heads * a.width;
  a.outputStrides = {row * a.queries, a.width, row};
  return a;
}

void attendBlock(const BlockAttention& how, Sequences sequences, const float* x, float* out, float* scratch) {
  const AttentionArgs attention = how.attention();
  const AttentionParameters& p = how.parameters;
  const HeadWidths widths(attention);
  const int tokens = attention.queries, new_keys = newKeys(how), D = how.width;
  const int64_t first = int64_t{sequences.first} * tokens, first_key = int64_t{sequences.first} * new_keys;
  const int rows = sequences.count * tokens, key_rows = sequences.count * new_keys;
  const Projected at(how.steps, attention, how.cross);

  const int query_columns = static_cast<int>(at.query.stride);
  gemm(x, D, how.args.packedIn, p.inBias, at.query.at(first), query_columns, rows, query_columns, D);
  if (how.cross) {
    const float* const bias = p.inBias ? p.inBias + widths.queries : nullptr;
    const int key_columns = static_cast<int>(2 * widths.keys);
    gemm(how.memory + first_key * D, D, how.args.packedMemory, bias, at.key.at(first_key), key_columns, key_rows,
         key_columns, D);
  }
  if (p.queryNorm) {
    const auto norm = [&](const Rows& from, const Rows& to, const float* weight, int heads) {
      parallelParts(rows, 1, kHeadNormWork * rows * heads * attention.width, [&](int part, int count) {
        for (int64_t row = first + part; row < first + part + count; ++row)
          normRows(Norm::kRms, from.at(row), weight, nullptr, to.at(row), nullptr, heads, attention.width, how.normEps);
      });
    };
    norm(at.query, at.normedQuery, p.queryNorm, attention.heads);
    norm(at.key, at.normedKey, p.keyNorm, attention.kvHeads);
  }
  rotate<false>(how.args, sequences, {at.normedQuery.at(first), at.normedQuery.stride},
                {at.normedKey.at(first_key), at.normedKey.stride}, new_keys);
  attendSequences(attention, sequences, how.steps.weights, scratch);
  const int head_columns = static_cast<int>(widths.queries);
  gemm(how.steps.heads + first * widths.queries, head_columns, how.args.packedOut, p.outBias, out, D, rows, D,
       head_columns);
}

AttentionBackward::AttentionBackward(Cutter& cut, const AttentionArgs& a, int width, int sequences, bool cross) {
  const HeadWidths widths(a);
  const int64_t rows = int64_t{sequences} * a.queries;
  const int64_t columns = cross ? widths.queries : widths.joined;
  packedIn = cut.take(packedSize(columns, width));
  packedMemory = cross ? cut.take(packedSize(2 * widths.keys, width)) : nullptr;
  packedOut = cut.take(packedSize(width, widths.queries));
  joined = cut.take(times(rows, columns));
  memory = cross ? cut.take(times(int64_t{sequences} * a.keys, 2 * widths.keys)) : nullptr;
  heads = cut.take(times(rows, widths.queries));
}

void AttentionBackward::pack(const AttentionParameters& p, const AttentionArgs& a, int width, bool cross) const {
  const HeadWidths widths(a);
  packMatrix(p.inWeight, static_cast<int>(cross ? widths.queries : widths.joined), width, packedIn);
  if (cross) packMatrix(p.inWeight + widths.queries * width, static_cast<int>(2 * widths.keys), width, packedMemory);
  packMatrix(p.outWeight, width, static_cast<int>(widths.queries), packedOut);
}

int64_t attendBlockBackwardScratch(const AttentionArgs& a, int width, int sequences, bool cross, bool normed) {
  const HeadWidths widths(a);
  const int64_t rows = int64_t{sequences} * a.queries, memory_rows = int64_t{sequences} * a.keys;
  const auto weight = [](int64_t rows, int64_t inputs, int64_t outputs) {
    return weightGradientScratch(static_cast<int>(rows), inputs, outputs);
  };
  int64_t size = std::max({attendSequencesBackwardScratch(a), weight(rows, widths.queries, width),
                           weight(rows, width, cross ? widths.queries : widths.joined)});
  if (cross) size = std::max(size, weight(memory_rows, width, 2 * widths.keys));
  if (normed) size = std::max(size, normRowsBackwardScratch(a.heads, a.width));
  return size;
}

void attendBlockBackward(const BlockAttention& how, const OptionGradients& options, Sequences sequences,
                         const float* grad_out, const float* x, const AttentionParameters& gradients,
                         const AttentionBackward& w, float* rest, float* to, bool adds, float* grad_memory) {
  AttentionGradArgs grads{};
  grads.attention = how.attention();
  const AttentionArgs& a = grads.attention;
  const AttentionParameters& p = how.parameters;
  const HeadWidths widths(a);
  const int D = how.width, tokens = a.queries, new_keys = newKeys(how);
  const int rows = sequences.count * tokens, key_rows = sequences.count * new_keys;
  const int64_t first = int64_t{sequences.first} * tokens, first_key = int64_t{sequences.first} * new_keys;
  const int head_columns = static_cast<int>(widths.queries);
  gemm(grad_out, D, w.packedOut, nullptr, w.heads, head_columns, rows, head_columns, D);
  addWeightGradient(grad_out, how.steps.heads + first * widths.queries, rest, gradients.outWeight, gradients.outBias,
                    rows, head_columns, D);

  AttentionSteps steps{};
  steps.joined = w.joined;
  steps.memory = w.memory;
  const Projected at(steps, a, how.cross), kept(how.steps, a, how.cross);
  grads.gradOutput = w.heads;
  grads.gradQuery = at.query.data;
  grads.gradKey = at.key.data;
  grads.gradValue = at.value.data;
  grads.gradBias = options.bias;
  grads.gradRelativeKeys = options.relativeKeys;
  grads.gradRelativeValues = options.relativeValues;
  grads.gradSinks = options.sinks;
  grads.biasCompensation = options.biasCompensation;
  grads.relativeKeysCompensation = options.relativeKeysCompensation;
  grads.relativeValuesCompensation = options.relativeValuesCompensation;
  grads.sinksCompensation = options.sinksCompensation;
  attendSequencesBackward(grads, sequences, how.steps.weights, rest);
  rotate<true>(how.args, sequences, at.query, at.key, new_keys);
  if (p.queryNorm) {
    const auto norm = [&](const Rows& gradient, const Rows& from, const float* weight, float* grad_weight, int heads) {
      for (int row = 0; row < rows; ++row) {
        float* const at_heads = gradient.at(row);
        normRowsBackward(Norm::kRms, at_heads, from.at(first + row), nullptr, weight, at_heads, grad_weight, nullptr,
                         rest, heads, a.width, how.normEps);
      }
    };
    norm(at.query, kept.query, p.queryNorm, gradients.queryNorm, a.heads);
    norm(at.key, kept.key, p.keyNorm, gradients.keyNorm, a.kvHeads);
  }

  const int columns = static_cast<int>(at.query.stride);
  addWeightGradient(w.joined, x, rest, gradients.inWeight, gradients.inBias, rows, D, columns);
  if (adds) {
    gemmAdd(w.joined, columns, w.packedIn, to, D, rows, D, columns);
  } else {
    gemm(w.joined, columns, w.packedIn, nullptr, to, D, rows, D, columns);
  }
  if (!how.cross) return;
  const int memory_columns = static_cast<int>(2 * widths.keys);
  const int64_t at_key = first_key * D;
  addWeightGradient(w.memory, how.memory + at_key, rest, gradients.inWeight + widths.queries * D,
                    gradients.inBias ? gradients.inBias + widths.queries : nullptr, key_rows, D, memory_columns);
  gemm(w.memory, memory_columns, w.packedMemory, nullptr, grad_memory + at_key, D, key_rows, D, memory_columns);
}

}  // namespace wasm_attention
