// Norms whose backward pass can use the moments of the forward pass.
#pragma once

#include <cstdint>

#include "attention.h"

namespace wasm_attention {

/// The moments that normalise a row: y = ((x - mean) - rest) * scale. `rest` is the rounding error of `mean`, without
/// which rows far from zero would be less accurate; scale is 1 / sqrt(variance + eps). For kRms the first two are 0,
/// and the variance is the mean square.
struct Moments {
  float mean, rest, scale;

  template <typename T>
  T normalise(T x) const {
    return (x - mean - rest) * scale;
  }
};

constexpr int kMomentsFloats = sizeof(Moments) / sizeof(float);

/// norm that also writes each row's moments, unless `moments` is null.
void normRows(Norm norm, const float* x, const float* weight, const float* bias, float* out, Moments* moments, int rows,
              int dim, float eps);

/// normBackward that recomputes the moments if `moments` is null.
/// scratch  normRowsBackwardScratch(rows, dim) floats
void normRowsBackward(Norm norm, const float* grad_out, const float* x, const Moments* moments, const float* weight,
                      float* grad_x, float* grad_weight, float* grad_bias, float* scratch, int rows, int dim,
                      float eps);
int64_t normRowsBackwardScratch(int64_t rows, int dim);

}  // namespace wasm_attention
