// Products with packed weights of any type.
#pragma once

#include <cstddef>

#include "attention.h"

namespace wasm_attention {

/// gemm (kernels/gemm.h) with a weight of any type.
/// scratch  multiplyPackedScratch(rows, depth, type) floats
void multiplyPacked(const float* a, ptrdiff_t a_stride, const float* packed, WeightType type, const float* bias,
                    float* c, int rows, int cols, int depth, float* scratch);
void multiplyPacked(const LinearArgs& args, float* scratch);
int64_t multiplyPackedScratch(int64_t rows, int64_t depth, WeightType type);

/// out (count, inputs) = rows ids[i] of a packed weight (outputs, inputs).
void unpackWeight(const int32_t* ids, const float* packed, float* out, int count, int inputs, int outputs,
                  WeightType type);

}  // namespace wasm_attention
