#include <Eigen/Core>

#include "attention.h"

namespace wasm_attention {

void rnn(const float* x, const float* weight_ih, const float* weight_hh, const float* bias_ih, const float* bias_hh,
         const float* initial, float* out, int batch, int length, int in_width, int width, bool relu) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using ConstMap = Eigen::Map<const Matrix>;
  using Steps = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
  using Bias = Eigen::Map<const Eigen::RowVectorXf>;

  // What does not depend on the state, for all steps at once.
  Eigen::Map<Matrix> all(out, batch * length, width);
  all.noalias() = ConstMap(x, batch * length, in_width) * ConstMap(weight_ih, width, in_width).transpose();
  if (bias_ih) all.rowwise() += Bias(bias_ih, width);
  if (bias_hh) all.rowwise() += Bias(bias_hh, width);

  const ConstMap recurrent(weight_hh, width, width);
  const Eigen::OuterStride<> next_sequence(length * width);
  for (int t = 0; t < length; ++t) {
    Steps state(out + static_cast<size_t>(t) * width, batch, width, next_sequence);
    if (t > 0) {
      const Steps before(out + static_cast<size_t>(t - 1) * width, batch, width, next_sequence);
      state.noalias() += before * recurrent.transpose();
    } else if (initial) {
      state.noalias() += ConstMap(initial, batch, width) * recurrent.transpose();
    }
    if (relu) {
      state = state.unaryExpr([](float h) { return h < 0 ? 0.0f : h; });  // NaN stays
    } else {
      state = state.array().tanh();
    }
  }
}

}  // namespace wasm_attention
