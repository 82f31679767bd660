// A block with self-attention, in float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention.h"
#include "block_layer.h"
#include "layer_oracles.h"

namespace wasm_attention {

/// Self-attention over x projected by `weight` and `bias`.
inline Doubles attend64(const BlockCase& c, const Floats& table, const Doubles& x, const Doubles& weight,
                        const Doubles& bias) {
  const int d = c.width;
  const RotaryArgs rotation{nullptr,     table.data(), nullptr,
                            c.batch,     c.heads,      c.tokens,
                            c.headWidth, c.rotary,     sideBySide(c.tokens, c.heads, c.headWidth),
                            0,           c.interleaved};
  const auto project = [&](int which) {
    const auto rows = weight.begin() + which * d * d, biases = bias.begin() + (bias.empty() ? 0 : which * d);
    Doubles heads = linear64(x, {rows, rows + d * d}, {biases, bias.empty() ? biases : biases + d}, d, d);
    if (which < 2) rotate64(heads.data(), rotation);
    return heads;
  };
  const Doubles q = project(0), k = project(1), v = project(2);
  Doubles out(q.size()), weights(c.tokens);
  for (size_t row = 0; row < q.size() / c.headWidth; ++row) {
    const int b = row / c.heads / c.tokens, i = row / c.heads % c.tokens;
    const auto at = [&](int key) { return ((size_t(b) * c.tokens + key) * c.heads + row % c.heads) * c.headWidth; };
    const int count = std::min(c.validLens.empty() ? c.tokens : c.validLens[b], c.causal ? i + 1 : c.tokens);
    double total = 0;
    for (int j = 0; j < count; ++j) {
      double score = 0;
      for (int e = 0; e < c.headWidth; ++e) score += q[row * c.headWidth + e] * k[at(j) + e];
      total += weights[j] = std::exp(score / std::sqrt(double(c.headWidth)));
    }
    for (int j = 0; j < count; ++j) {
      for (int e = 0; e < c.headWidth; ++e) out[row * c.headWidth + e] += weights[j] / total * v[at(j) + e];
    }
  }
  return out;
}

/// The output for x. `p`: the parameters of a BlockLayer without norms of heads, grouped heads or memory.
inline Doubles block64(const BlockCase& c, const Floats& table, const Doubles& x, const std::vector<Doubles>& p,
                       double* steepest) {
  const auto plus = [](Doubles a, const Doubles& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  };
  const auto norm = [&](const Doubles& rows, int first) {
    return norm64(rows, p[first], p[first + 1], c.rms, 1e-5, steepest);
  };
  constexpr int kFeed = 12, kNorm1 = 16, kNorm3 = 20;
  const Doubles attended = attend64(c, table, c.preNorm ? norm(x, kNorm1) : x, p[0], p[1]);
  const Doubles sum = plus(linear64(attended, p[2], p[3], c.width, c.width), x);
  const Doubles fed = norm(sum, c.preNorm ? kNorm3 : kNorm1);
  const Doubles through =
      feedForward64(fed, p[kFeed], p[kFeed + 1], p[kFeed + 2], p[kFeed + 3], c.width, c.hidden, c.gated, c.activation);
  const Doubles out = plus(through, c.preNorm ? sum : fed);
  return c.preNorm ? out : norm(out, kNorm3);
}

}  // namespace wasm_attention
