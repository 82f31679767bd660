// Products with packed weights of any type.
#pragma once

#include <cstddef>

#include "attention.h"

namespace wasm_attention {

/// gemm (kernels/gemm.h) with a weight of any type.
/// scratch  multiplyPackedScratch(rows, depth, type) floats
void multiplyPacked(const float* a, ptrdiff_t a_stride, const float* packed, WeightType type, const float* bias,
                    float* c, int rows, int cols, int depth, float* scratch);
int64_t multiplyPackedScratch(int64_t rows, int64_t depth, WeightType type);

}  // namespace wasm_attention
