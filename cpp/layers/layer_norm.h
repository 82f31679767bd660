// layerNorm within a layer, whose backward pass reads what the forward pass knew of the rows.
#pragma once

namespace wasm_attention {

/// What normalises a row: y = ((x - mean) - rest) * scale. `rest` is what rounding left of the mean, so that a row far
/// from zero is as exact as one around it; scale is 1 / sqrt(variance + eps).
struct Moments {
  float mean, rest, scale;

  template <typename T>
  T normalise(T x) const {
    return (x - mean - rest) * scale;
  }
};

constexpr int kMomentsFloats = sizeof(Moments) / sizeof(float);

/// layerNorm, which also writes each row's moments, unless `moments` is null.
void normRows(const float* x, const float* weight, const float* bias, float* out, Moments* moments, int rows, int dim,
              float eps);

/// layerNormBackward, which computes the moments where `moments` is null.
void normRowsBackward(const float* grad_out, const float* x, const Moments* moments, const float* weight, float* grad_x,
                      float* grad_weight, float* grad_bias, int rows, int dim, float eps);

}  // namespace wasm_attention
