#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <limits>

#include "attention.h"

namespace wasm_attention {

void maskedSoftmax(const float* x, const int32_t* valid, float* out, int rows, int cols) {
  using Row = Eigen::Map<Eigen::ArrayXf, Eigen::Unaligned>;
  using ConstRow = Eigen::Map<const Eigen::ArrayXf, Eigen::Unaligned>;
  for (int i = 0; i < rows; ++i, x += cols, out += cols) {
    const int n = valid ? valid[i] : cols;
    assert(0 <= n && n <= cols);
    std::fill(out + n, out + cols, 0.0f);
    if (n == 0) continue;
    const ConstRow in(x, n);
    Row weights(out, n);
    const float max = in.maxCoeff<Eigen::PropagateNaN>();
    if (max == -std::numeric_limits<float>::infinity()) {
      weights.setZero();
      continue;
    }
    weights = (in - max).exp();
    weights /= weights.sum();
  }
}

}  // namespace wasm_attention
