#include "layers/packed_weight.h"

#include "kernels/gemm.h"
#include "kernels/int8_product.h"
#include "kernels/int8_table.h"

namespace wasm_attention {

namespace {

/// How a matrix (cols, depth) is stored: its size in floats, and how its rows are packed and unpacked.
struct Storage {
  int64_t (*size)(int64_t depth, int64_t cols);
  void (*pack)(const float* rows, int depth, int cols, int first, int count, float* packed);
  void (*unpack)(const float* packed, int depth, int cols, int row, float* out);
};

/// By WeightType.
constexpr Storage kStorages[] = {
    {packedSize, packTransposedPart, unpackColumn},
    {halfSize, packHalfPart, unpackHalfColumn},
    {int8Size<Int8>, packInt8Part<Int8>, unpackInt8Column<Int8>},
    {int8Size<Int8Fine>, packInt8Part<Int8Fine>, unpackInt8Column<Int8Fine>},
    {tableSize, packTablePart, unpackTableRow},
};

const Storage& storageOf(WeightType type) { return kStorages[static_cast<int>(type)]; }

}  // namespace

void packWeight(const float* rows, float* packed, int inputs, int outputs, int first, int count, WeightType type) {
  storageOf(type).pack(rows, inputs, outputs, first, count, packed);
}

int64_t packedWeightSize(int inputs, int outputs, WeightType type) { return storageOf(type).size(inputs, outputs); }

void multiplyPacked(const float* a, ptrdiff_t a_stride, const float* packed, WeightType type, const float* bias,
                    float* c, int rows, int cols, int depth, float* scratch) {
  if (type == WeightType::kInt8 || type == WeightType::kInt8Fine) {
    const auto multiply = type == WeightType::kInt8 ? multiplyInt8<Int8> : multiplyInt8<Int8Fine>;
    return multiply(a, a_stride, packed, bias, c, cols, rows, cols, depth, scratch);
  }
  (type == WeightType::kFloat16 ? gemmHalf : gemm)(a, a_stride, packed, bias, c, cols, rows, cols, depth);
}

void multiplyPacked(const LinearArgs& a, float* scratch) {
  multiplyPacked(a.x, a.inputs, a.packed, a.weightType, a.bias, a.out, a.rows, a.outputs, a.inputs, scratch);
}

int64_t multiplyPackedScratch(int64_t rows, int64_t depth, WeightType type) {
  if (type == WeightType::kInt8) return int8Scratch<Int8>(rows, depth);
  return type == WeightType::kInt8Fine ? int8Scratch<Int8Fine>(rows, depth) : 0;
}

void unpackWeight(const int32_t* ids, const float* packed, float* out, int count, int inputs, int outputs,
                  WeightType type) {
  const auto unpack = storageOf(type).unpack;
  for (int i = 0; i < count; ++i) unpack(packed, inputs, outputs, ids[i], out + static_cast<size_t>(i) * inputs);
}

}  // namespace wasm_attention
