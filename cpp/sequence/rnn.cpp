// A recurrent layer: W_ih times all tokens at once, then the packed W_hh times the state for one token at a time.
//
// GFLOP/s for n = 1024, d = 128 / n = 256, d = 512 / n = 1024, d = 32, measured as in conv1d.cpp: 25.8 / 22.2 / 17.3
// with tanh, 27.6 / 26.9 / 21.3 with relu. A row reads each weight for a single multiply-add, so the cache limits the
// speed.
#include <Eigen/Core>
#include <algorithm>

#include "attention.h"
#include "kernels/cutter.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"

namespace wasm_attention {

namespace {

/// The pieces of a call's scratch.
struct RnnWorkspace {
  float *fromInput, *fromState;  // the weights, packed
  float *zeros, *recurrent;      // (batch, width)
  int64_t size;

  RnnWorkspace(const RnnArgs& a, float* scratch) {
    Cutter cut(scratch);
    fromInput = cut.take(packedSize(a.inWidth, a.width));
    fromState = cut.take(packedSize(a.width, a.width));
    zeros = cut.take(int64_t{a.batch} * a.width);
    recurrent = cut.take(int64_t{a.batch} * a.width);
    size = cut.used();
  }
};

}  // namespace

int64_t rnnScratch(const RnnArgs& args) { return RnnWorkspace(args, nullptr).size; }

void rnn(const RnnArgs& a, float* scratch) {
  using Rows = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned,
                          Eigen::OuterStride<>>;
  const int batch = a.batch, length = a.length, in_width = a.inWidth, width = a.width;
  const RnnWorkspace w(a, scratch);
  wakeThreads(static_cast<double>(batch) * length * width * (in_width + width));
  packTransposed(a.weightIh, in_width, width, w.fromInput);
  packTransposed(a.weightHh, width, width, w.fromState);
  std::fill_n(w.zeros, static_cast<size_t>(batch) * width, 0.0f);

  // The part that does not depend on the state, for all steps at once.
  gemm(a.x, in_width, w.fromInput, a.biasIh, a.out, width, batch * length, width, in_width);

  const float* before = a.initial ? a.initial : w.zeros;
  ptrdiff_t before_stride = width;
  const ptrdiff_t next_sequence = static_cast<ptrdiff_t>(length) * width;
  for (int t = 0; t < length; ++t) {
    gemm(before, before_stride, w.fromState, a.biasHh, w.recurrent, width, batch, width, width);
    float* const now = a.out + static_cast<size_t>(t) * width;
    Rows state(now, batch, width, Eigen::OuterStride<>(next_sequence));
    state += Rows(w.recurrent, batch, width, Eigen::OuterStride<>(width));
    if (a.relu) {
      state = state.unaryExpr([](float h) { return h < 0 ? 0.0f : h; });  // NaN stays
    } else {
      state = state.tanh();
    }
    before = now;
    before_stride = next_sequence;
  }
}

}  // namespace wasm_attention
