// A vector to which too many terms are added in place for plain float32 sums (simd/long_sum.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cutter.h"
#include "simd/long_sum.h"

namespace wasm_attention {

/// Terms are added to `to()`. If there are more than `interval` terms, each run of that many is summed separately and
/// then added to the sums with compensation; fewer terms are added to the sums directly.
class RunningSum {
 public:
  RunningSum() = default;
  /// Takes memory, if there are that many terms, for sums of up to `size` floats.
  RunningSum(Cutter& cut, int64_t size, int64_t terms, int interval = kRun)
      : many_(terms > interval),
        interval_(interval),
        run_(cut.take(many_ ? size : 0)),
        compensation_(cut.take(many_ ? size : 0)) {}

  /// Begins with these `size` sums, which may be null.
  void start(float* sums, int size);
  float* to() const { return many_ && sums_ ? run_ : sums_; }
  /// Must be called after that many terms.
  void added(int terms = 1) {
    if (many_ && (terms_ += terms) >= interval_) flush();
  }
  void finish() {
    if (terms_ > 0) flush();
  }

 private:
  void flush();

  bool many_ = false;
  int interval_ = 0, size_ = 0, terms_ = 0;
  float *sums_ = nullptr, *run_ = nullptr, *compensation_ = nullptr;
};

}  // namespace wasm_attention
