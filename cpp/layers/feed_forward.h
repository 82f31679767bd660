// A feed-forward network over some rows of a larger matrix, whose first one is number `first`: dropout goes by it.
#pragma once

#include <cstddef>

#include "attention.h"
#include "layers/dropout.h"

namespace wasm_attention {

/// feedForward of rows [first, first + rows); x, hidden and out begin with them.
void feedForwardRows(const float* x, const float* packed1, const float* bias1, const float* packed2, const float* bias2,
                     float* hidden, float* scratch, float* out, int first, int rows, int width, int hidden_width,
                     Activation activation, Dropout dropout);

/// feedForwardBackward of rows [first, first + rows); grad_out, x, hidden and grad_x begin with them.
/// packed1  weight1 (hidden_width, width) by packMatrix, packed2 weight2 (width, hidden_width).
/// scratch  feedForwardRowsBackwardScratch(…) floats.
void feedForwardRowsBackward(const float* grad_out, const float* x, const float* hidden, const float* packed1,
                             const float* packed2, float* scratch, float* grad_x, float* grad_weight1,
                             float* grad_bias1, float* grad_weight2, float* grad_bias2, int first, int rows, int width,
                             int hidden_width, Activation activation, Dropout dropout);
size_t feedForwardRowsBackwardScratch(int rows, int width, int hidden_width);

}  // namespace wasm_attention
