#include "kernels/cutter.h"

#include <algorithm>

#include "simd/f32x4.h"

namespace wasm_attention {

// Not inline, to keep the wasm small.

int64_t times(int64_t a, int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b) < static_cast<double>(kTooMany) ? a * b : kTooMany;
}

float* Cutter::take(int64_t count) {
  float* const piece = scratch_ ? scratch_ + used_ : nullptr;
  used_ += (std::min(count, kTooMany) + kLanes - 1) / kLanes * kLanes;
  return piece;
}

}  // namespace wasm_attention
