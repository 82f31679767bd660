// The parts of layers, in float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "attention.h"

namespace wasm_attention {

using Doubles = std::vector<double>;

inline Doubles doubles(const std::vector<float>& x) { return {x.begin(), x.end()}; }

/// x * weight^T + bias, for x of rows of `inputs` numbers.
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

/// norm, kRms if `rms`. `steepest` becomes the maximum of itself and every 1 / deviation.
inline Doubles norm64(const Doubles& x, const Doubles& weight, const Doubles& bias, bool rms, double eps,
                      double* steepest) {
  const size_t dim = weight.size();
  Doubles out(x.size());
  for (size_t row = 0; row < x.size(); row += dim) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < dim && !rms; ++i) mean += x[row + i] / dim;
    for (size_t i = 0; i < dim; ++i) variance += (x[row + i] - mean) * (x[row + i] - mean) / dim;
    const double inverse = 1 / std::sqrt(variance + eps);
    *steepest = std::max(*steepest, inverse);
    for (size_t i = 0; i < dim; ++i) {
      out[row + i] = (x[row + i] - mean) * inverse * weight[i] + (rms ? 0 : bias[i]);
    }
  }
  return out;
}

/// For each row of `width` / 2 angles: sines, then cosines.
inline std::vector<float> rotaryTable64(const std::vector<float>& angles, int width) {
  std::vector<float> table(2 * angles.size());
  const size_t half = width / 2;
  for (size_t i = 0; i < angles.size(); ++i) {
    float* const sine = &table[i / half * width + i % half];
    sine[0] = std::sin(angles[i]);
    sine[half] = std::cos(angles[i]);
  }
  return table;
}

/// Rotates x in place like rotaryEmbedding, or with a sign of -1 like its backward pass.
inline void rotate64(double* x, const RotaryArgs& n, int sign = 1) {
  const int half = n.rotaryWidth / 2;
  for (int row = 0; row < n.batch * n.heads * n.rows; ++row) {
    const ptrdiff_t b = row / n.rows / n.heads, h = row / n.rows % n.heads, i = row % n.rows;
    double* const pairs = x + b * n.strides.batch + h * n.strides.head + i * n.strides.row;
    const float* const sines = n.table + b * n.tableBatch + i * n.rotaryWidth;
    for (int j = 0; j < half; ++j) {
      double &first = pairs[n.interleaved ? 2 * j : j], &second = pairs[n.interleaved ? 2 * j + 1 : j + half];
      const double sine = sign * double{sines[j]}, cosine = sines[half + j], before = first;
      first = before * cosine - second * sine;
      second = second * cosine + before * sine;
    }
  }
}

/// The strides of (batch, tokens, heads, width).
inline Strides sideBySide(int tokens, int heads, int width) { return {tokens * heads * width, width, heads * width}; }

/// A function's value and its slope.
struct Point {
  double value, slope;
};

inline Point activate64(Activation activation, double x) {
  if (activation == Activation::kRelu) return {std::max(x, 0.0), x > 0 ? 1.0 : 0.0};
  if (activation == Activation::kGelu) {
    const double below = std::erfc(-x / std::sqrt(2.0)) / 2, density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    return {x * below, below + x * density};
  }
  if (activation == Activation::kSilu || activation == Activation::kSigmoid || activation == Activation::kQuickGelu) {
    const double factor = activation == Activation::kQuickGelu ? 1.702 : 1;
    const double gate = 1 / (1 + std::exp(-factor * x)), slope = gate * (1 - gate);
    if (activation == Activation::kSigmoid) return {gate, slope};
    return {x * gate, gate + factor * x * slope};
  }
  const double root = std::sqrt(2 / M_PI), t = std::tanh(root * (x + 0.044715 * x * x * x));
  return {x * (1 + t) / 2, (1 + t) / 2 + x * (1 - t * t) / 2 * root * (1 + 3 * 0.044715 * x * x)};
}

/// A feed-forward network. If `gated`, weight1 begins with the gates.
inline Doubles feedForward64(const Doubles& x, const Doubles& weight1, const Doubles& bias1, const Doubles& weight2,
                             const Doubles& bias2, int width, int hidden_width, bool gated, Activation activation) {
  const int inner_width = (gated ? 2 : 1) * hidden_width;
  const Doubles inner = linear64(x, weight1, bias1, width, inner_width);
  Doubles hidden(inner.size() / inner_width * hidden_width);
  for (size_t i = 0; i < hidden.size(); ++i) {
    const size_t at = i / hidden_width * inner_width + i % hidden_width;
    hidden[i] = activate64(activation, inner[at]).value * (gated ? inner[at + hidden_width] : 1);
  }
  return linear64(hidden, weight2, bias2, hidden_width, width);
}

}  // namespace wasm_attention
