// Working memory, cut into pieces.
#pragma once

#include <cstddef>

#include "simd/f32x4.h"

namespace wasm_attention {

/// Hands out pieces of the scratch; with a null scratch it only counts.
class Cutter {
 public:
  explicit Cutter(float* scratch) : scratch_(scratch) {}
  float* take(size_t count) {
    float* piece = scratch_ ? scratch_ + used_ : nullptr;
    used_ += (count + kLanes - 1) / kLanes * kLanes;
    return piece;
  }
  size_t used() const { return used_; }

 private:
  float* scratch_;
  size_t used_ = 0;
};

}  // namespace wasm_attention
