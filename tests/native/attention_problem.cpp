#include "attention_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "attention_oracle.h"
#include "random.h"

namespace wasm_attention {
namespace {

/// The strides of a broadcast operand, and its number of elements.
struct Layout {
  Strides strides;
  int columns, step;
  size_t size;
};

Layout layoutOf(Broadcast shape, const AttentionArgs& a) {
  const int l = a.queries, s = a.keys, half = (s + 1) / 2;
  const size_t b = a.batch, h = a.heads;
  switch (shape) {
    case Broadcast::kNone:
      return {};
    case Broadcast::kFull:
      return {{a.heads * l * s, l * s, s}, s, 1, b * h * l * s};
    case Broadcast::kKeys:
      return {{s, 0, 0}, s, 1, b * s};
    case Broadcast::kQueries:
      return {{0, 0, s}, s, 1, size_t(l) * s};
    case Broadcast::kColumn:
      return {{0, l, 1}, 1, 0, h * l};
    case Broadcast::kShort:
      return {{l * half, 0, half}, half, 1, b * l * half};
    case Broadcast::kTransposed:
      return {{a.heads * l * s, l * s, 1}, s, l, b * h * l * s};
  }
  return {};
}

/// Some sequences, each with its own offset; each may have no queries or no keys.
std::vector<PackedQuery> packedQueries(const AttentionArgs& a, std::mt19937& generator) {
  const auto below = [&](int n) { return static_cast<int>(generator() % static_cast<unsigned>(n)); };
  const int count = 1 + below(5);
  const auto starts = [&](int rows) {
    std::vector<int> cuts{0, rows};
    while (static_cast<int>(cuts.size()) <= count) cuts.push_back(below(rows + 1));
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  };
  const std::vector<int> queries = starts(a.queries), keys = a.keys == a.queries ? queries : starts(a.keys);
  std::vector<PackedQuery> packed(a.queries);
  for (int n = 0; n < count; ++n) {
    const int shift = keys[n] - queries[n] + (below(2) == 0 ? 0 : below(9) - 4);
    for (int i = queries[n]; i < queries[n + 1]; ++i) packed[i] = {keys[n], keys[n + 1], i + shift};
  }
  return packed;
}

template <typename T>
T* dataOf(std::vector<T>& buffer, bool wanted) {
  return wanted ? buffer.data() : nullptr;
}

}  // namespace

AttentionProblem::AttentionProblem(const AttentionSizes& sizes, const AttentionChoices& choices, unsigned seed) {
  query = randomFloats(size_t(sizes.batch) * sizes.heads * sizes.queries * sizes.width, seed, 2);
  key = randomFloats(size_t(sizes.batch) * sizes.kvHeads * sizes.keys * sizes.width, seed + 1, 2);
  value = randomFloats(size_t(sizes.batch) * sizes.kvHeads * sizes.keys * sizes.valueWidth, seed + 2, 2);
  output.resize(size_t(sizes.batch) * sizes.heads * sizes.queries * sizes.valueWidth);
  place(sizes, choices.headsInterleaved);
  place(choices, seed + 3);
  scratch.resize(scaledDotProductAttentionScratch(args_));
}

void AttentionProblem::place(const AttentionSizes& n, bool side_by_side) {
  const auto strides = [&](int heads, int rows, int columns) {
    return side_by_side ? Strides{rows * heads * columns, columns, heads * columns}
                        : Strides{heads * rows * columns, rows * columns, columns};
  };
  AttentionArgs& a = args_;
  a.batch = n.batch;
  a.heads = n.heads;
  a.kvHeads = n.kvHeads;
  a.queries = n.queries;
  a.keys = n.keys;
  a.width = n.width;
  a.valueWidth = n.valueWidth;
  a.query = query.data();
  a.queryStrides = strides(n.heads, n.queries, n.width);
  a.key = key.data();
  a.keyStrides = strides(n.kvHeads, n.keys, n.width);
  a.value = value.data();
  a.valueStrides = strides(n.kvHeads, n.keys, n.valueWidth);
  a.output = output.data();
  a.outputStrides = strides(n.heads, n.queries, n.valueWidth);
  a.scale = n.width > 0 ? 1 / std::sqrt(static_cast<float>(n.width)) : 1;
}

void AttentionProblem::place(const AttentionChoices& c, unsigned seed) {
  AttentionArgs& a = args_;
  std::mt19937 generator(seed);
  const auto below = [&](int n) { return static_cast<int>(generator() % static_cast<unsigned>(n)); };
  if (c.validLens != ValidLens::kNone) {
    const bool per_query = c.validLens == ValidLens::kPerQuery;
    validLens.resize(size_t(a.batch) * (per_query ? a.queries : 1));
    for (int32_t& length : validLens) length = below(a.keys + 1);
    a.validLens = validLens.data();
    a.validBatch = per_query ? a.queries : 1;
    a.validRow = per_query ? 1 : 0;
  }
  a.windowLeft = c.windowLeft;
  a.windowRight = c.windowRight;
  if (c.offsets != Offsets::kNone) {
    offsets.resize(a.batch);
    for (int32_t& offset : offsets) offset = c.offsets == Offsets::kForward ? below(a.keys + 5) : -below(9);
    a.offsets = offsets.data();
  }
  if (c.mask != Broadcast::kNone) {
    const Layout layout = layoutOf(c.mask, a);
    mask.resize(layout.size);
    // Any nonzero byte is true.
    for (uint8_t& m : mask) m = below(3) == 0 ? 0 : 1 + below(255);
    a.mask = mask.data();
    a.maskStrides = layout.strides;
    a.maskColumns = layout.columns;
    a.maskStep = layout.step;
  }
  if (c.bias != Broadcast::kNone) {
    const Layout layout = layoutOf(c.bias, a);
    bias = randomFloats(layout.size, seed + 1, 3);
    if (c.biasMasks) {
      for (float& x : bias) x = below(4) == 0 ? -INFINITY : x;
    }
    a.bias = bias.data();
    a.biasStrides = layout.strides;
    a.biasColumns = layout.columns;
    a.biasStep = layout.step;
  }
  const int tables = c.relativePerHead ? a.heads : 1;
  if (c.relativeKeysClip >= 0) {
    const int size = (2 * c.relativeKeysClip + 1) * a.width;
    relativeKeys = randomFloats(size_t(tables) * size, seed + 2);
    a.relativeKeys = relativeKeys.data();
    a.relativeKeysHead = c.relativePerHead ? size : 0;
    a.relativeKeysClip = c.relativeKeysClip;
  }
  if (c.relativeValuesClip >= 0) {
    const int size = (2 * c.relativeValuesClip + 1) * a.valueWidth;
    relativeValues = randomFloats(size_t(tables) * size, seed + 3);
    a.relativeValues = relativeValues.data();
    a.relativeValuesHead = c.relativePerHead ? size : 0;
    a.relativeValuesClip = c.relativeValuesClip;
  }
  if (c.alibi) {
    alibiSlopes = randomFloats(a.heads, seed + 4, 0.25f);
    a.alibiSlopes = alibiSlopes.data();
  }
  if (c.sinks) {
    sinks = randomFloats(a.heads, seed + 5, 4);
    if (a.heads > 2) sinks[2] = -INFINITY;
    a.sinks = sinks.data();
  }
  if (c.packed) {
    packed = packedQueries(a, generator);
    a.packed = packed.data();
  }
  a.softcap = c.softcap;
  a.dropout = c.dropout;
  a.seed = seed;
  const size_t rows = size_t(a.batch) * a.heads * a.queries;
  weights.resize(c.weights ? rows * a.keys : 0);
  a.weights = dataOf(weights, c.weights);
  scores.resize(c.scoresStage != ScoresStage::kNone ? rows * a.keys : 0);
  a.scores = dataOf(scores, c.scoresStage != ScoresStage::kNone);
  a.scoresStage = c.scoresStage;
  logSumExp.resize(c.logSumExp ? rows : 0);
  a.logSumExp = dataOf(logSumExp, c.logSumExp);
}

void AttentionProblem::run() {
  for (auto* buffer : {&output, &weights, &scores, &logSumExp, &scratch}) {
    std::fill(buffer->begin(), buffer->end(), NAN);
  }
  scaledDotProductAttention(args_, scratch.data());
}

int AttentionProblem::poison() {
  const AttentionArgs& a = args_;
  const int group_size = a.heads / a.kvHeads;
  int count = 0;
  for (int b = 0; b < a.batch; ++b) {
    for (int kv = 0; kv < a.kvHeads; ++kv) {
      for (int j = 0; j < a.keys; ++j) {
        bool seen = false;
        for (int h = kv * group_size; h < (kv + 1) * group_size && !seen; ++h) {
          for (int i = 0; i < a.queries && !seen; ++i) seen = attentionSees(a, b, h, i, j);
        }
        if (seen) continue;
        const float poisons[] = {NAN, INFINITY, -INFINITY};
        const auto write = [&](std::vector<float>& buffer, Strides strides, int columns) {
          float* row = buffer.data() + b * strides.batch + kv * strides.head + j * strides.row;
          std::fill(row, row + columns, poisons[count % 3]);
        };
        write(key, a.keyStrides, a.width);
        write(value, a.valueStrides, a.valueWidth);
        ++count;
      }
    }
  }
  return count;
}

float AttentionProblem::outputAt(int b, int h, int i, int e) const {
  const Strides strides = args_.outputStrides;
  return output[size_t(b) * strides.batch + size_t(h) * strides.head + size_t(i) * strides.row + e];
}

}  // namespace wasm_attention
