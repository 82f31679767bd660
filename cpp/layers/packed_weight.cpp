#include "layers/packed_weight.h"

#include "kernels/gemm.h"
#include "kernels/int8_product.h"

namespace wasm_attention {

void packWeight(const float* rows, float* packed, int inputs, int outputs, int first, int count, WeightType type) {
  const auto pack = type == WeightType::kInt8      ? packInt8Part
                    : type == WeightType::kFloat16 ? packHalfPart
                                                   : packTransposedPart;
  pack(rows, inputs, outputs, first, count, packed);
}

int64_t packedWeightSize(int inputs, int outputs, WeightType type) {
  const auto size = type == WeightType::kInt8 ? int8Size : type == WeightType::kFloat16 ? halfSize : packedSize;
  return size(inputs, outputs);
}

void multiplyPacked(const float* a, ptrdiff_t a_stride, const float* packed, WeightType type, const float* bias,
                    float* c, int rows, int cols, int depth, float* scratch) {
  if (type == WeightType::kInt8) return multiplyInt8(a, a_stride, packed, bias, c, cols, rows, cols, depth, scratch);
  (type == WeightType::kFloat16 ? gemmHalf : gemm)(a, a_stride, packed, bias, c, cols, rows, cols, depth);
}

void multiplyPacked(const LinearArgs& a, float* scratch) {
  multiplyPacked(a.x, a.inputs, a.packed, a.weightType, a.bias, a.out, a.rows, a.outputs, a.inputs, scratch);
}

int64_t multiplyPackedScratch(int64_t rows, int64_t depth, WeightType type) {
  return type == WeightType::kInt8 ? int8Scratch(rows, depth) : 0;
}

void unpackWeight(const int32_t* ids, const float* packed, float* out, int count, int inputs, int outputs,
                  WeightType type) {
  const auto unpack = type == WeightType::kInt8      ? unpackInt8Column
                      : type == WeightType::kFloat16 ? unpackHalfColumn
                                                     : unpackColumn;
  for (int i = 0; i < count; ++i) unpack(packed, inputs, outputs, ids[i], out + static_cast<size_t>(i) * inputs);
}

}  // namespace wasm_attention
