// A block with self-attention in float64, for transformer_block_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "attention.h"
#include "block_layer.h"
#include "layer_oracles.h"

namespace wasm_attention {

/// Self-attention over the rows that `weight` and `bias` project x to.
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
  return attend64(project(0), project(1), project(2), c.batch, c.heads, c.heads, c.headWidth, [&](int b, int i) {
    return std::min(c.validLens.empty() ? c.tokens : c.validLens[b], c.causal ? i + 1 : c.tokens);
  });
}

/// The output for x. `p` are the parameters of a BlockLayer without normed or grouped heads and without a memory.
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
