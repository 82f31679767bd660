// A vector to which so many terms are added in place that float32 alone would not do (simd/long_sum.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cutter.h"
#include "simd/long_sum.h"

namespace wasm_attention {

/// Terms are added to `to()`. Of more than `interval` terms, each run of so many is added up apart, and then added to
/// the sums with compensation; fewer are added to the sums at once.
class RunningSum {
 public:
  /// A sum of nothing.
  RunningSum() = default;
  /// Takes memory, if there are so many terms, for sums of up to `size` floats.
  RunningSum(Cutter& cut, int64_t size, int64_t terms, int interval = kRun)
      : many_(terms > interval),
        interval_(interval),
        run_(cut.take(many_ ? size : 0)),
        lost_(cut.take(many_ ? size : 0)) {}

  /// Begins with these sums, which may be null, of `size` floats.
  void start(float* sums, int size);
  float* to() const { return many_ && sums_ ? run_ : sums_; }
  /// To be called after so many terms.
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
  float *sums_ = nullptr, *run_ = nullptr, *lost_ = nullptr;
};

}  // namespace wasm_attention
