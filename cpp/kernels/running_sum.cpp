#include "kernels/running_sum.h"

namespace wasm_attention {

void RunningSum::start(float* sums, int size) {
  sums_ = sums;
  size_ = sums ? size : 0;
  terms_ = 0;
  if (!many_) return;
  std::fill_n(run_, size_, 0.0f);
  std::fill_n(compensation_, size_, 0.0f);
}

void RunningSum::flush() {
  addRun(run_, sums_, compensation_, size_);
  std::fill_n(run_, size_, 0.0f);
  terms_ = 0;
}

}  // namespace wasm_attention
