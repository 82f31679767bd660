#include <algorithm>

#include "attention.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {

void linear(const float* x, const float* packed, const float* bias, float* out, int rows, int inputs, int outputs) {
  gemmStreamed(x, packed, bias, out, rows, outputs, inputs);
}

size_t linearBackwardScratch(int rows, int inputs, int outputs) {
  return std::max(packedSize(outputs, inputs), weightGradientScratch(rows, inputs, outputs));
}

void linearBackward(const float* grad_out, const float* x, const float* weight, float* scratch, float* grad_x,
                    float* grad_weight, float* grad_bias, int rows, int inputs, int outputs) {
  wakeThreads(2.0 * rows * inputs * outputs);
  packMatrix(weight, outputs, inputs, scratch);
  gemm(grad_out, outputs, scratch, nullptr, grad_x, inputs, rows, inputs, outputs);
  addWeightGradient(grad_out, x, scratch, grad_weight, grad_bias, rows, inputs, outputs);
}

}  // namespace wasm_attention
