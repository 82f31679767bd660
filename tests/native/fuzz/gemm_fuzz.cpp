// Products with packed operands that overwrite or add, with gaps between rows.
#include "fuzz.h"
#include "kernels/gemm.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int rows = draw.integer(1, 40), cols = draw.integer(1, 70), depth = draw.integer(0, draw.flag() ? 600 : 40);
  const int a_stride = depth + draw.integer(0, 3), c_stride = cols + draw.integer(0, 3);
  const bool transposed = draw.flag(), adds = draw.flag(), has_bias = draw.flag();
  const std::vector<float> a = draw.floats(size_t(rows - 1) * a_stride + depth + 1);
  const std::vector<float> b = draw.floats(size_t(depth) * cols + 1), bias = draw.floats(cols);
  const auto element = [&](int k, int j) { return b[transposed ? size_t(j) * depth + k : size_t(k) * cols + j]; };
  std::vector<float> packed(packedSize(depth, cols) + (depth == 0), NAN);
  (transposed ? packTransposed : packMatrix)(b.data(), depth, cols, packed.data());
  std::vector<float> c = draw.floats(size_t(rows - 1) * c_stride + cols);
  const std::vector<float> before = c;
  if (adds) {
    gemmAdd(a.data(), a_stride, packed.data(), c.data(), c_stride, rows, cols, depth);
  } else {
    gemm(a.data(), a_stride, packed.data(), has_bias ? bias.data() : nullptr, c.data(), c_stride, rows, cols, depth);
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < c_stride && size_t(i) * c_stride + j < c.size(); ++j) {
      const size_t at = size_t(i) * c_stride + j;
      if (j >= cols) {
        expectNear(c[at], before[at], 0, "the gap between rows", at);
        continue;
      }
      Sum sum;
      if (adds || has_bias) sum.add(adds ? before[at] : bias[j]);
      for (int k = 0; k < depth; ++k) sum.add(double{a[size_t(i) * a_stride + k]} * element(k, j));
      expectNear(c[at], sum.value, sum.tolerance(), "gemm", at);
    }
  }
  return 0;
}
