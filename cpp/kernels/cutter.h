// Working memory, cut into pieces. What cuts an operation's scratch also counts it for the operation's `…Scratch` function, so that
// size and layout cannot differ.
#pragma once

#include <cstdint>

namespace wasm_attention {

/// More floats than any memory has. Sizes stop here, so that none wraps around: 64 bits hold products of two extents, and `times`
/// makes those of more.
constexpr int64_t kTooMany = int64_t{1} << 50;

/// a * b, kTooMany at most; neither is negative.
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
