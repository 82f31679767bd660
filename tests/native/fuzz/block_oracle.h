// A block in float64, for transformer_block_fuzz.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "attention.h"

namespace wasm_attention {

using Doubles = std::vector<double>;

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

/// x * weight^T + bias, for rows of `inputs` numbers.
inline Doubles linear64(const Doubles& x, const Doubles& weight, const Doubles& bias, int inputs, int outputs) {
  Doubles out(x.size() / inputs * outputs);
  for (size_t at = 0; at < out.size(); ++at) {
    const size_t row = at / outputs * inputs, o = at % outputs;
    double sum = bias.empty() ? 0 : bias[o];
    for (int i = 0; i < inputs; ++i) sum += weight[o * inputs + i] * x[row + i];
    out[at] = sum;
  }
  return out;
}

/// `steepest` becomes the largest 1 / deviation so far.
inline Doubles norm64(const Doubles& x, const Doubles& weight, const Doubles& bias, bool rms, double* steepest) {
  const size_t dim = weight.size();
  Doubles out(x.size());
  for (size_t row = 0; row < x.size(); row += dim) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < dim && !rms; ++i) mean += x[row + i] / dim;
    for (size_t i = 0; i < dim; ++i) variance += (x[row + i] - mean) * (x[row + i] - mean) / dim;
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    *steepest = std::max(*steepest, inverse);
    for (size_t i = 0; i < dim; ++i) {
      out[row + i] = (x[row + i] - mean) * inverse * weight[i] + (rms ? 0 : bias[i]);
    }
  }
  return out;
}

inline Doubles attend64(const BlockProblem& p, const Doubles& joined) {
  const int d = p.width, e = p.headWidth;
  Doubles turned = joined, out(joined.size() / 3);
  const auto at = [&](int which, int b, int token, int h) {
    return (size_t(b) * p.tokens + token) * 3 * d + which * d + size_t(h) * e;
  };
  for (int which = 0; which < 2; ++which) {
    for (int head = 0; head < p.batch * p.tokens * p.heads; ++head) {
      const int token = head / p.heads % p.tokens;
      const size_t from = at(which, head / p.heads / p.tokens, token, head % p.heads);
      for (int j = 0; j < p.rotary / 2; ++j) {
        const size_t a = from + (p.interleaved ? 2 * j : j), b = from + (p.interleaved ? 2 * j + 1 : j + p.rotary / 2);
        const double sine = p.table[token * p.rotary + j], cosine = p.table[token * p.rotary + p.rotary / 2 + j];
        turned[a] = joined[a] * cosine - joined[b] * sine;
        turned[b] = joined[b] * cosine + joined[a] * sine;
      }
    }
  }
  for (int row = 0; row < p.batch * p.heads * p.tokens; ++row) {
    const int b = row / p.heads / p.tokens, h = row / p.tokens % p.heads, i = row % p.tokens;
    const int seen = std::min(p.valid.empty() ? p.tokens : p.valid[b], p.causal ? i + 1 : p.tokens);
    double total = 0;
    Doubles mix(e);
    for (int j = 0; j < seen; ++j) {
      double score = 0;
      for (int c = 0; c < e; ++c) score += turned[at(0, b, i, h) + c] * turned[at(1, b, j, h) + c];
      const double power = std::exp(score / std::sqrt(double(e)));
      total += power;
      for (int c = 0; c < e; ++c) mix[c] += power * turned[at(2, b, j, h) + c];
    }
    for (int c = 0; c < e && seen > 0; ++c) out[(size_t(b) * p.tokens + i) * d + size_t(h) * e + c] = mix[c] / total;
  }
  return out;
}

inline double activate64(Activation activation, double x) {
  if (activation == Activation::kRelu) return std::max(x, 0.0);
  if (activation == Activation::kSigmoid || activation == Activation::kSilu)
    return (activation == Activation::kSilu ? x : 1) / (1 + std::exp(-x));
  if (activation == Activation::kGelu) return x * std::erfc(-x / std::sqrt(2.0)) / 2;
  return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
}

/// The output for x, followed in the list by the parameters.
inline Doubles block64(const BlockProblem& p, const std::vector<Doubles>& x, double* steepest) {
  const auto plus = [](Doubles a, const Doubles& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  };
  const auto norm = [&](const Doubles& rows, int first) {
    return norm64(rows, x[first], x[first + 1], p.rms, steepest);
  };
  const Doubles joined = linear64(p.preNorm ? norm(x[0], 9) : x[0], x[1], x[2], p.width, 3 * p.width);
  const Doubles sum = plus(linear64(attend64(p, joined), x[3], x[4], p.width, p.width), x[0]);
  const Doubles fed = norm(sum, p.preNorm ? 11 : 9);
  const Doubles inner = linear64(fed, x[5], x[6], p.width, p.inner());
  Doubles hidden(inner.size() / p.inner() * p.hidden);
  for (size_t i = 0; i < hidden.size(); ++i) {
    const size_t at = i / p.hidden * p.inner() + i % p.hidden;
    hidden[i] = activate64(p.activation, inner[at]) * (p.gated ? inner[at + p.hidden] : 1);
  }
  const Doubles out = plus(linear64(hidden, x[7], x[8], p.hidden, p.width), p.preNorm ? sum : fed);
  return p.preNorm ? out : norm(out, 11);
}

}  // namespace wasm_attention
