#include <algorithm>

#include "attention.h"
#include "kernels/gemm.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

/// out (cols, rows) = the transpose of x (rows, cols).
void transposeMatrix(const float* x, float* out, int rows, int cols) {
  for (int row = 0; row < rows; row += kLanes) {
    for (int col = 0; col < cols; col += kLanes) {
      const float* from = x + static_cast<size_t>(row) * cols + col;
      float* to = out + static_cast<size_t>(col) * rows + row;
      if (row + kLanes <= rows && col + kLanes <= cols) {
        f32x4 a = load(from), b = load(from + cols), c = load(from + 2 * cols), d = load(from + 3 * cols);
        transpose(a, b, c, d);
        store(to, a);
        store(to + rows, b);
        store(to + 2 * rows, c);
        store(to + 3 * rows, d);
        continue;
      }
      for (int r = 0; r < std::min(kLanes, rows - row); ++r) {
        for (int c = 0; c < std::min(kLanes, cols - col); ++c) to[c * rows + r] = from[r * cols + c];
      }
    }
  }
}

/// sums += every row of x (rows, cols).
void addRows(const float* x, float* sums, int rows, int cols) {
  for (int row = 0; row < rows; ++row, x += cols) {
    int col = 0;
    for (; col + kLanes <= cols; col += kLanes) store(sums + col, load(sums + col) + load(x + col));
    for (; col < cols; ++col) sums[col] += x[col];
  }
}

}  // namespace

void linear(const float* x, const float* packed, const float* bias, float* out, int rows, int inputs, int outputs) {
  gemm(x, inputs, packed, bias, out, outputs, rows, outputs, inputs);
}

size_t linearBackwardScratch(int rows, int inputs, int outputs) {
  return std::max(packedSize(outputs, inputs), packedSize(rows, inputs) + static_cast<size_t>(rows) * outputs);
}

void linearBackward(const float* grad_out, const float* x, const float* weight, float* scratch, float* grad_x,
                    float* grad_weight, float* grad_bias, int rows, int inputs, int outputs) {
  packMatrix(weight, outputs, inputs, scratch);
  gemm(grad_out, outputs, scratch, nullptr, grad_x, inputs, rows, inputs, outputs);

  float* const transposed = scratch + packedSize(rows, inputs);
  packMatrix(x, rows, inputs, scratch);
  transposeMatrix(grad_out, transposed, rows, outputs);
  gemmAdd(transposed, rows, scratch, grad_weight, inputs, outputs, inputs, rows);
  if (grad_bias) addRows(grad_out, grad_bias, rows, outputs);
}

}  // namespace wasm_attention
