// Cuts working memory into pieces. The same code cuts an operation's scratch and, in its `…Scratch` function, counts
// it, so that size and layout always agree.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// More floats than any memory has. Sizes are capped at this, so that none overflows: 64 bits hold the product of two
/// extents, and `times` multiplies more of them.
constexpr int64_t kTooMany = int64_t{1} << 50;

/// a * b, at most kTooMany; neither is negative.
int64_t times(int64_t a, int64_t b);

/// Hands out pieces of the scratch, each a multiple of four floats. With a null scratch it only counts.
class Cutter {
 public:
  explicit Cutter(float* scratch) : scratch_(scratch) {}
  float* take(int64_t count);
  int64_t used() const { return used_; }

 private:
  float* scratch_;
  int64_t used_ = 0;
};

}  // namespace wasm_attention
