#include <algorithm>

#include "attention.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "kernels/stream.h"
#include "layers/packed_weight.h"
#include "layers/weight_gradient.h"

namespace wasm_attention {

int64_t linearScratch(const LinearArgs& a) { return multiplyPackedScratch(a.rows, a.inputs, a.weightType); }

void linear(const LinearArgs& a, float* scratch) {
  if (a.weightType == WeightType::kFloat32) {
    return gemmStreamed(a.x, a.packed, a.bias, a.out, a.rows, a.outputs, a.inputs);
  }
  Stream(1, 1).copyInputs();
  multiplyPacked(a, scratch);
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
