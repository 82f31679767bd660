// Helpers for tests of additive attention: its tensors in a fixed order, binding to the arguments, scores in float64.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "attention.h"

namespace wasm_attention {

/// Queries, keys, values, Wq, Wk, wv; or their gradients.
template <typename T>
using AdditiveTensors = std::vector<std::vector<T>>;

/// The size of each tensor.
inline std::array<size_t, 6> additiveCounts(const AdditiveAttentionArgs& n) {
  const size_t batch = n.batch, keys = n.keys, hiddens = n.hiddens;
  return {batch * n.queries * n.queryWidth, batch * keys * n.keyWidth, batch * keys * n.valueWidth,
          hiddens * n.queryWidth,           hiddens * n.keyWidth,      hiddens};
}

inline void bindTensors(AdditiveAttentionArgs& args, const AdditiveTensors<float>& inputs) {
  args.query = inputs[0].data();
  args.key = inputs[1].data();
  args.value = inputs[2].data();
  args.weightQuery = inputs[3].data();
  args.weightKey = inputs[4].data();
  args.weightVector = inputs[5].data();
}

inline void bindGradients(AdditiveAttentionGradArgs& args, AdditiveTensors<float>& gradients) {
  args.gradQuery = gradients[0].data();
  args.gradKey = gradients[1].data();
  args.gradValue = gradients[2].data();
  args.gradWeightQuery = gradients[3].data();
  args.gradWeightKey = gradients[4].data();
  args.gradWeightVector = gradients[5].data();
}

/// wv·tanh(Wq·query + Wk·key), where `query` and `key` are row indices over the whole batch. Writes the values of tanh
/// to `tangents`.
template <typename T>
double additiveScore(const AdditiveAttentionArgs& n, const AdditiveTensors<T>& x, size_t query, size_t key,
                     double* tangents) {
  double score = 0;
  for (int d = 0; d < n.hiddens; ++d) {
    double sum = 0;
    for (int c = 0; c < n.queryWidth; ++c) sum += double{x[3][d * n.queryWidth + c]} * x[0][query * n.queryWidth + c];
    for (int c = 0; c < n.keyWidth; ++c) sum += double{x[4][d * n.keyWidth + c]} * x[1][key * n.keyWidth + c];
    score += x[5][d] * (tangents[d] = std::tanh(sum));
  }
  return score;
}

}  // namespace wasm_attention
