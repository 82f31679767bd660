// A block in float64, for transformer_block_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "attention.h"
#include "layer_oracles.h"

namespace wasm_attention {

/// A block's sizes and options.
struct BlockProblem {
  int batch, heads, tokens, headWidth, width, hidden, rotary;
  bool preNorm, bias, causal, interleaved, gated, rms;
  Activation activation;
  std::vector<int32_t> valid;  // (batch); empty if all keys are valid
  std::vector<float> table;    // (tokens, rotary): sines, then cosines

  int inner() const { return gated ? 2 * hidden : hidden; }
  std::array<int, 12> sizes() const {
    return {3 * width * width, 3 * width, width * width, width, inner() * width, inner(),
            width * hidden,    width,     width,         width, width,           width};
  }
  bool has(size_t parameter) const { return (parameter < 8 ? bias : !rms) || parameter % 2 == 0; }
};

/// Attention over the rows that `weight` and `bias` project x to.
inline Doubles attend64(const BlockProblem& p, const Doubles& x, const Doubles& weight, const Doubles& bias) {
  const int d = p.width;
  const RotaryArgs rotation{nullptr,     p.table.data(), nullptr,
                            p.batch,     p.heads,        p.tokens,
                            p.headWidth, p.rotary,       sideBySide(p.tokens, p.heads, p.headWidth),
                            0,           p.interleaved};
  const auto project = [&](int which) {
    const auto rows = weight.begin() + which * d * d, biases = bias.begin() + (bias.empty() ? 0 : which * d);
    Doubles heads = linear64(x, {rows, rows + d * d}, {biases, bias.empty() ? biases : biases + d}, d, d);
    if (which < 2) rotate64(heads.data(), rotation);
    return heads;
  };
  return attend64(project(0), project(1), project(2), p.batch, p.heads, p.heads, p.headWidth, [&](int b, int i) {
    return std::min(p.valid.empty() ? p.tokens : p.valid[b], p.causal ? i + 1 : p.tokens);
  });
}

/// The output for x, followed in the list by the parameters.
inline Doubles block64(const BlockProblem& p, const std::vector<Doubles>& x, double* steepest) {
  const auto plus = [](Doubles a, const Doubles& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  };
  const auto norm = [&](const Doubles& rows, int first) {
    return norm64(rows, x[first], x[first + 1], p.rms, 1e-5, steepest);
  };
  const Doubles attended = attend64(p, p.preNorm ? norm(x[0], 9) : x[0], x[1], x[2]);
  const Doubles sum = plus(linear64(attended, x[3], x[4], p.width, p.width), x[0]);
  const Doubles fed = norm(sum, p.preNorm ? 11 : 9);
  const Doubles through = feedForward64(fed, x[5], x[6], x[7], x[8], p.width, p.hidden, p.gated, p.activation);
  const Doubles out = plus(through, p.preNorm ? sum : fed);
  return p.preNorm ? out : norm(out, 11);
}

}  // namespace wasm_attention
