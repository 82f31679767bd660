// A recurrent layer: the products with the inputs for all tokens at once, then a row times the packed W_hh for each
// token.
//
// GFLOP/s for n = 1024, d = 128 / n = 256, d = 512 / n = 1024, d = 32, measured as in conv1d.cpp: 25.8 / 22.2 / 17.3
// with tanh, 27.6 / 26.9 / 21.3 with relu. A row reads each weight once for one multiply-add, so it runs at the speed
// of the cache.
#include <Eigen/Core>
#include <algorithm>

#include "attention.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"

namespace wasm_attention {

size_t rnnScratch(int batch, int in_width, int width) {
  return packedSize(in_width, width) + packedSize(width, width) + 2 * static_cast<size_t>(batch) * width;
}

void rnn(const float* x, const float* weight_ih, const float* weight_hh, const float* bias_ih, const float* bias_hh,
         const float* initial, float* scratch, float* out, int batch, int length, int in_width, int width, bool relu) {
  using Rows = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned,
                          Eigen::OuterStride<>>;
  float* const from_input = scratch;
  float* const from_state = from_input + packedSize(in_width, width);
  float* const zeros = from_state + packedSize(width, width);
  float* const recurrent = zeros + static_cast<size_t>(batch) * width;
  wakeThreads(static_cast<double>(batch) * length * width * (in_width + width));
  packTransposed(weight_ih, in_width, width, from_input);
  packTransposed(weight_hh, width, width, from_state);
  std::fill_n(zeros, static_cast<size_t>(batch) * width, 0.0f);

  // What does not depend on the state, for all steps at once.
  gemm(x, in_width, from_input, bias_ih, out, width, batch * length, width, in_width);

  const float* before = initial ? initial : zeros;
  ptrdiff_t before_stride = width;
  const ptrdiff_t next_sequence = static_cast<ptrdiff_t>(length) * width;
  for (int t = 0; t < length; ++t) {
    gemm(before, before_stride, from_state, bias_hh, recurrent, width, batch, width, width);
    float* const now = out + static_cast<size_t>(t) * width;
    Rows state(now, batch, width, Eigen::OuterStride<>(next_sequence));
    state += Rows(recurrent, batch, width, Eigen::OuterStride<>(width));
    if (relu) {
      state = state.unaryExpr([](float h) { return h < 0 ? 0.0f : h; });  // NaN stays
    } else {
      state = state.tanh();
    }
    before = now;
    before_stride = next_sequence;
  }
}

}  // namespace wasm_attention
