#include <algorithm>

#include "attention.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {

void linear(const float* x, const float* packed, const float* bias, float* out, int rows, int inputs, int outputs) {
  gemmStreamed(x, packed, bias, out, rows, outputs, inputs);
}

int64_t linearBackwardScratch(const LinearGradArgs& a) {
  return std::max(packedSize(a.outputs, a.inputs), weightGradientScratch(a.rows, a.inputs, a.outputs));
}

void linearBackward(const LinearGradArgs& a, float* scratch) {
  wakeThreads(2.0 * a.rows * a.inputs * a.outputs);
  packMatrix(a.weight, a.outputs, a.inputs, scratch);
  gemm(a.gradOut, a.outputs, scratch, nullptr, a.gradX, a.inputs, a.rows, a.inputs, a.outputs);
  addWeightGradient(a.gradOut, a.x, scratch, a.gradWeight, a.gradBias, a.rows, a.inputs, a.outputs);
}

}  // namespace wasm_attention
