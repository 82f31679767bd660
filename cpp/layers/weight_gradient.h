// The gradients of a linear map's parameters.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// More rows than these are summed in runs, for a bias and for a weight, whose runs take memory.
constexpr int kManyRows = 4096, kRowsOfARun = 32768;

/// grad_weight += grad_out^T * x; grad_bias += the sum of grad_out's rows.
/// grad_out     (rows, outputs).
/// x            (rows, inputs).
/// scratch      weightGradientScratch(…) floats.
/// grad_weight  (outputs, inputs).
/// grad_bias    (outputs), or null.
void addWeightGradient(const float* grad_out, const float* x, float* scratch, float* grad_weight, float* grad_bias,
                       int rows, int inputs, int outputs);
int64_t weightGradientScratch(int rows, int64_t inputs, int64_t outputs);

}  // namespace wasm_attention
