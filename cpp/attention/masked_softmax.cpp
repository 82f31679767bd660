// Three passes over a row: its maximum, exponentials and their sum, division.
// Today: npm run bench -- --work softmax,softmax-masked
#include <algorithm>
#include <cassert>

#include "attention.h"
#include "kernels/softmax_row.h"
#include "simd/f32x4.h"

namespace wasm_attention {

void maskedSoftmax(const float* x, const int32_t* valid, float* out, int rows, int cols) {
  for (int i = 0; i < rows; ++i, x += cols, out += cols) {
    const int n = valid ? valid[i] : cols;
    assert(0 <= n && n <= cols);
    const float max = largest(x, n);
    // If all entries are -infinity or NaN, the maximum is -infinity. Subtracting 0 instead gives weights of 0 and keeps
    // NaN.
    const float total = exponentials(x, max == -kInfinity ? 0.0f : max, out, n);
    scaleRow(out, n, total == 0 ? 0.0f : 1 / total);
    std::fill(out + n, out + cols, 0.0f);
  }
}

}  // namespace wasm_attention
