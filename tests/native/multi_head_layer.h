// A multi-head attention layer as steps of a pass, and its formula in float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention.h"
#include "layer_oracles.h"
#include "linear_layers.h"
#include "random.h"
#include "step_list.h"

namespace wasm_attention {

struct LayerSizes {
  int batch, heads, kvHeads, width, queries, keys, queryInputs, keyInputs, valueInputs, outputs;
};

/// A linear layer's parameters, and the result of its last call.
struct Linear {
  Linear(int inputs, int outputs, bool with_bias, unsigned seed)
      : inputs(inputs),
        outputs(outputs),
        weight(randomFloats(size_t(inputs) * outputs, seed, 1 / std::sqrt(static_cast<float>(inputs)))),
        bias(randomFloats(with_bias ? outputs : 0, seed + 1)),
        packed(packedOf(weight, inputs, outputs)) {}

  LinearArgs of(const Floats& x) {
    const int rows = static_cast<int>(x.size()) / inputs;
    result.assign(size_t(rows) * outputs, NAN);
    return {x.data(), packed.data(), dataOrNull(bias), result.data(), rows, inputs, outputs, WeightType::kFloat32};
  }
  Doubles oracle(const Doubles& x) const { return linear64(x, doubles(weight), doubles(bias), inputs, outputs); }

  int inputs, outputs;
  Floats weight, bias, packed, result;
};

/// Keys and values of earlier calls, (B, Hkv, capacity, cacheRowSize). Places that no call has written are NaN.
struct Cache {
  Cache(const LayerSizes& n, int capacity, WeightType type)
      : keys(n.batch * n.kvHeads * capacity * cacheRowSize(n.width, type), NAN),
        values(keys),
        capacity(capacity),
        type(type) {}
  Floats keys, values;
  int capacity, length = 0;
  WeightType type;
};

struct Layer {
  static constexpr float kHeadEps = 0.1f;

  Layer(const LayerSizes& n, bool bias, bool head_norms = false)
      : n(n),
        query(n.queryInputs, n.heads * n.width, bias, 10),
        key(n.keyInputs, n.kvHeads * n.width, bias, 20),
        value(n.valueInputs, n.kvHeads * n.width, bias, 30),
        output(n.heads * n.width, n.outputs, bias, 40),
        queryNorm(randomFloats(head_norms ? n.width : 0, 50)),
        keyNorm(randomFloats(head_norms ? n.width : 0, 51)) {}

  RotaryArgs rotary(float* x, int tokens, int heads, const float* table, int table_batch) const {
    return {x,
            table,
            x,
            n.batch,
            heads,
            tokens,
            n.width,
            rotation.width,
            sideBySide(tokens, heads, n.width),
            table_batch,
            rotation.interleaved};
  }

  /// A call. With a cache it is causal and continues at the cache's length.
  const Floats& forward(const Floats& queries, const Floats& keys, const Floats& values, Cache* cache) {
    StepList steps;
    const int past = cache ? cache->length : 0;
    const int l_count = static_cast<int>(queries.size()) / (n.batch * n.queryInputs);
    const int tokens = static_cast<int>(keys.size()) / (n.batch * n.keyInputs);
    const auto project = [&](Linear& linear, const Floats& x, int heads, Floats& norm, const float* table,
                             int table_batch) {
      const LinearArgs args = linear.of(x);
      steps.append(StepAction::kLinear, args);
      if (!norm.empty()) {
        steps.append(StepAction::kNorm, NormArgs{args.out, norm.data(), nullptr, args.out, args.rows * heads, n.width,
                                                 Norm::kRms, kHeadEps});
      }
      if (table) {
        steps.append(StepAction::kRotary,
                     rotary(args.out, args.rows / n.batch, heads, table + past * rotation.width, table_batch));
      }
    };
    Floats none;
    project(query, queries, n.heads, queryNorm, rotation.queries, rotation.queryBatch);
    project(key, keys, n.kvHeads, keyNorm, rotation.keys, rotation.keyBatch);
    project(value, values, n.kvHeads, none, nullptr, 0);

    Floats mixed(query.result.size(), NAN);
    const std::vector<int32_t> offsets(n.batch, past);
    AttentionArgs a{};
    a.batch = n.batch;
    a.heads = n.heads;
    a.kvHeads = n.kvHeads;
    a.queries = l_count;
    a.keys = tokens;
    a.width = a.valueWidth = n.width;
    a.query = query.result.data();
    a.output = mixed.data();
    a.queryStrides = a.outputStrides = sideBySide(l_count, n.heads, n.width);
    a.key = key.result.data();
    a.value = value.result.data();
    a.keyStrides = a.valueStrides = sideBySide(tokens, n.kvHeads, n.width);
    a.windowLeft = a.windowRight = -1;
    a.scale = 1 / std::sqrt(static_cast<float>(n.width));
    if (cache) {
      const auto append = [&](const Floats& from, Floats& to) {
        steps.append(StepAction::kAppend, AppendArgs{from.data(), to.data(), n.batch, tokens, n.kvHeads, n.width, 0,
                                                     cache->capacity, cache->type});
        return to.data();
      };
      a.key = append(key.result, cache->keys);
      a.value = append(value.result, cache->values);
      a.cacheType = cache->type;
      const auto row = static_cast<int32_t>(cacheRowSize(n.width, cache->type));
      a.keyStrides = a.valueStrides = {n.kvHeads * cache->capacity * row, cache->capacity * row, row};
      a.offsets = offsets.data();
      a.windowRight = 0;
      cache->length += tokens;
    }
    steps.append(StepAction::kAttention, a).append(StepAction::kLinear, output.of(mixed)).run(past);
    return output.result;
  }

  /// The heads that attention computes with.
  struct Heads {
    Doubles queries, keys, values;
  };
  Heads heads64(const Floats& queries, const Floats& keys, const Floats& values) const {
    const auto project = [&](const Linear& linear, const Floats& x, int heads, const Floats& norm, const float* table,
                             int table_batch) {
      Doubles rows = linear.oracle(doubles(x));
      double steepest = 0;
      if (!norm.empty()) rows = norm64(rows, doubles(norm), {}, true, kHeadEps, &steepest);
      const int tokens = static_cast<int>(rows.size()) / (n.batch * heads * n.width);
      if (table) rotate64(rows.data(), rotary(nullptr, tokens, heads, table, table_batch));
      return rows;
    };
    return {project(query, queries, n.heads, queryNorm, rotation.queries, rotation.queryBatch),
            project(key, keys, n.kvHeads, keyNorm, rotation.keys, rotation.keyBatch), value.oracle(doubles(values))};
  }

  /// The output. With `causal`, query i attends to keys up to i.
  Doubles oracle(const Heads& heads, bool causal) const {
    const int keys = static_cast<int>(heads.keys.size()) / (n.batch * n.kvHeads * n.width);
    return output.oracle(attend64(heads.queries, heads.keys, heads.values, n.batch, n.heads, n.kvHeads, n.width,
                                  [&](int, int i) { return causal ? i + 1 : keys; }));
  }

  LayerSizes n;
  Linear query, key, value, output;
  Floats queryNorm, keyNorm;  // weights of the heads' norms; empty: none
  Rotation rotation{};        // of all tokens, from the first one on
};

/// Tokens [from, from + count) of each sequence.
inline Floats partOf(const Floats& x, int batch, int from, int count, int width) {
  const size_t sequence = x.size() / batch;
  Floats some;
  for (int b = 0; b < batch; ++b) {
    const auto first = x.begin() + b * sequence + size_t(from) * width;
    some.insert(some.end(), first, first + size_t(count) * width);
  }
  some.shrink_to_fit();
  return some;
}

/// The outputs for all tokens x, which are their own keys and values, in calls of these sizes.
inline Floats forwardInParts(Layer& layer, const Floats& x, Cache& cache, const std::vector<int>& counts) {
  const LayerSizes& n = layer.n;
  const size_t row = n.outputs, tokens = x.size() / (size_t(n.batch) * n.queryInputs);
  Floats all(n.batch * tokens * row, NAN);
  for (const int count : counts) {
    const int from = cache.length;
    const Floats some = partOf(x, n.batch, from, count, n.queryInputs);
    const Floats& out = layer.forward(some, some, some, &cache);
    for (int b = 0; b < n.batch; ++b) {
      std::copy_n(out.begin() + b * count * row, count * row, all.begin() + (b * tokens + from) * row);
    }
  }
  return all;
}

}  // namespace wasm_attention
