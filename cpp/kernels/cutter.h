// Working memory, cut into pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simd/f32x4.h"

namespace wasm_attention {

/// More floats than any memory has. Sizes that reach it stop there, so that none wraps around: products of two extents fit 64
/// bits, those of more are made by `times`.
constexpr int64_t kTooMany = int64_t{1} << 50;

/// a * b, kTooMany at most; neither is negative.
[[gnu::noinline]] inline int64_t times(int64_t a, int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b) < static_cast<double>(kTooMany) ? a * b : kTooMany;
}

/// Hands out pieces of the scratch; with a null scratch it only counts.
class Cutter {
 public:
  explicit Cutter(float* scratch) : scratch_(scratch) {}
  [[gnu::noinline]] float* take(int64_t count) {
    float* piece = scratch_ ? scratch_ + used_ : nullptr;
    used_ += (std::min(count, kTooMany) + kLanes - 1) / kLanes * kLanes;
    return piece;
  }
  int64_t used() const { return used_; }

 private:
  float* scratch_;
  int64_t used_ = 0;
};

}  // namespace wasm_attention
