// Kernels of the library on their own, linked from the objects of the library's wasm: the product without matmul's
// copies, and the norms without their layers'. The published wasm should contain nothing for the benchmark's sake.
#include <cstdlib>

#include "attention.h"
#include "kernels/gemm.h"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

EXPORT(allocate) void* allocate(int bytes) { return std::malloc(static_cast<size_t>(bytes)); }
EXPORT(release) void release(void* address) { std::free(address); }

// Packing b counts as part of the product, as it does for every peer.
EXPORT(product) void product(const float* a, const float* b, float* c, int m, int k, int n) {
  auto* packed = static_cast<float*>(std::malloc(wasm_attention::packedSize(k, n) * sizeof(float)));
  wasm_attention::packMatrix(b, k, n, packed);
  wasm_attention::gemm(a, k, packed, nullptr, c, n, m, n, k);
  std::free(packed);
}

EXPORT(layerNorm)
void layerNorm(const float* x, const float* weight, const float* bias, float* out, int rows, int dim) {
  wasm_attention::norm({x, weight, bias, out, rows, dim, wasm_attention::Norm::kLayer, 1e-6f});
}

EXPORT(rmsNorm) void rmsNorm(const float* x, const float* weight, float* out, int rows, int dim) {
  wasm_attention::norm({x, weight, nullptr, out, rows, dim, wasm_attention::Norm::kRms, 1e-6f});
}
