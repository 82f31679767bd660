// The parameters of a multi-head attention layer, and its formula in float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention.h"
#include "random.h"

namespace wasm_attention {

using Matrix = std::vector<double>;

struct LayerSizes {
  int batch, heads, kvHeads, width, queries, keys, queryInputs, keyInputs, valueInputs, outputs;
};

/// A layer's parameters, packed and not, and its projections' results: each buffer of exactly its size.
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

  /// Query i attends to keys up to i + offset where that is not negative.
  Matrix oracle(const std::vector<float>& queries, const std::vector<float>& keys, const std::vector<float>& values,
                int offset) const {
    const Matrix q = query.oracle(queries), k = key.oracle(keys), v = value.oracle(values);
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

}  // namespace wasm_attention
