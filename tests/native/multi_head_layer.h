// The parameters of a multi-head attention layer, a call of it, and its formula in float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "attention.h"
#include "random.h"

namespace wasm_attention {

using Matrix = std::vector<double>;

struct LayerSizes {
  int batch, heads, kvHeads, width, queries, keys, queryInputs, keyInputs, valueInputs, outputs;
};

/// A layer's parameters, packed and not, and the results of its projections. Each buffer has exactly the right size.
struct Linear {
  Linear(int inputs, int outputs, bool with_bias, unsigned seed)
      : inputs(inputs),
        outputs(outputs),
        weight(randomFloats(size_t(inputs) * outputs, seed, 1 / std::sqrt(static_cast<float>(inputs)))),
        bias(randomFloats(with_bias ? outputs : 0, seed + 1)),
        packed(packWeightSize(inputs, outputs)) {
    packWeight(weight.data(), packed.data(), inputs, outputs);
  }

  Projection of(const float* input, int rows) {
    result.assign(size_t(rows) * outputs, NAN);
    return {input, packed.data(), bias.empty() ? nullptr : bias.data(), result.data(), rows, inputs, outputs};
  }

  template <typename T>
  Matrix oracle(const std::vector<T>& input) const {
    const size_t rows = input.size() / inputs;
    Matrix out(rows * outputs);
    for (size_t r = 0; r < rows; ++r) {
      for (int o = 0; o < outputs; ++o) {
        double sum = bias.empty() ? 0 : bias[o];
        for (int i = 0; i < inputs; ++i) sum += double{weight[o * inputs + i]} * input[r * inputs + i];
        out[r * outputs + o] = sum;
      }
    }
    return out;
  }

  int inputs, outputs;
  std::vector<float> weight, bias, packed, result;
};

struct Layer {
  Layer(const LayerSizes& n, bool bias)
      : n(n),
        query(n.queryInputs, n.heads * n.width, bias, 10),
        key(n.keyInputs, n.kvHeads * n.width, bias, 20),
        value(n.valueInputs, n.kvHeads * n.width, bias, 30),
        output(n.heads * n.width, n.outputs, bias, 40) {}

  /// If offset is not negative, query i attends to keys up to i + offset. `turn` gets the projected queries and keys.
  Matrix oracle(const std::vector<float>& queries, const std::vector<float>& keys, const std::vector<float>& values,
                int offset, const std::function<void(Matrix&, Matrix&)>& turn = {}) const {
    Matrix q = query.oracle(queries), k = key.oracle(keys);
    const Matrix v = value.oracle(values);
    if (turn) turn(q, k);
    const int l_count = static_cast<int>(queries.size()) / (n.batch * n.queryInputs);
    const int s_count = static_cast<int>(keys.size()) / (n.batch * n.keyInputs);
    Matrix mixed(size_t(n.batch) * l_count * n.heads * n.width, 0.0);
    std::vector<double> weights(s_count);
    for (int b = 0; b < n.batch; ++b) {
      for (int h = 0; h < n.heads; ++h) {
        const int kv = h / (n.heads / n.kvHeads);
        for (int i = 0; i < l_count; ++i) {
          const int seen = offset < 0 ? s_count : std::min(s_count, i + offset + 1);
          double sum = 0;
          for (int j = 0; j < seen; ++j) {
            double score = 0;
            for (int e = 0; e < n.width; ++e) {
              score += q[((b * l_count + i) * n.heads + h) * n.width + e] *
                       k[((b * s_count + j) * n.kvHeads + kv) * n.width + e];
            }
            sum += weights[j] = std::exp(score / std::sqrt(double(n.width)));
          }
          for (int j = 0; j < seen; ++j) {
            for (int e = 0; e < n.width; ++e) {
              mixed[((b * l_count + i) * n.heads + h) * n.width + e] +=
                  weights[j] / sum * v[((b * s_count + j) * n.kvHeads + kv) * n.width + e];
            }
          }
        }
      }
    }
    return output.oracle(mixed);
  }

  LayerSizes n;
  Linear query, key, value, output;
};

/// Keys and values of earlier calls, (B, Hkv, capacity, E). Places that no call has written are NaN.
struct Cache {
  Cache(const LayerSizes& n, int capacity)
      : keys(size_t(n.batch) * n.kvHeads * capacity * n.width, NAN), values(keys), capacity(capacity) {}
  std::vector<float> keys, values;
  int capacity, length = 0;
};

/// One call, set up as in JavaScript. With a cache it is causal and continues at the cache's length.
inline std::vector<float> forward(Layer& layer, const std::vector<float>& queries, const std::vector<float>& keys,
                                  const std::vector<float>& values, Cache* cache, const Rotation& rotation = {}) {
  const LayerSizes& n = layer.n;
  const int l_count = static_cast<int>(queries.size()) / (n.batch * n.queryInputs);
  const int tokens = static_cast<int>(keys.size()) / (n.batch * n.keyInputs);
  MultiHeadAttentionArgs args{};
  args.query = layer.query.of(queries.data(), n.batch * l_count);
  args.key = layer.key.of(keys.data(), n.batch * tokens);
  args.value = layer.value.of(values.data(), n.batch * tokens);
  std::vector<float> mixed(size_t(n.batch) * l_count * n.heads * n.width, NAN);
  args.output = layer.output.of(mixed.data(), n.batch * l_count);

  args.rotation = rotation;

  AttentionArgs& a = args.attention;
  const int row = n.heads * n.width, kv_row = n.kvHeads * n.width;
  a.batch = n.batch;
  a.heads = n.heads;
  a.kvHeads = n.kvHeads;
  a.queries = l_count;
  a.keys = tokens;
  a.width = a.valueWidth = n.width;
  a.query = args.query.output;
  a.output = mixed.data();
  a.queryStrides = a.outputStrides = {l_count * row, n.width, row};
  a.key = args.key.output;
  a.value = args.value.output;
  a.keyStrides = a.valueStrides = {tokens * kv_row, n.width, kv_row};
  a.windowLeft = a.windowRight = -1;
  a.scale = 1 / std::sqrt(static_cast<float>(n.width));
  const std::vector<int32_t> offsets(n.batch, cache ? cache->length : 0);
  if (cache) {
    args.keyCache = cache->keys.data();
    args.valueCache = cache->values.data();
    args.cacheLength = cache->length;
    args.cacheCapacity = cache->capacity;
    a.key = args.keyCache;
    a.value = args.valueCache;
    a.keyStrides = a.valueStrides = {n.kvHeads * cache->capacity * n.width, cache->capacity * n.width, n.width};
    cache->length += tokens;
    a.keys = cache->length;
    a.offsets = offsets.data();
    a.windowRight = 0;
  }
  std::vector<float> scratch(multiHeadAttentionScratch(args), NAN);
  multiHeadAttention(args, scratch.data());
  return layer.output.result;
}

}  // namespace wasm_attention
