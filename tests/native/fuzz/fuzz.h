// Helpers for fuzz targets. Sizes are drawn from the fuzzer's bytes, data from seeds among these. A comparison that
// fails ends the run. Buffers have exactly the right size, so that AddressSanitizer sees any access outside.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "random.h"

namespace wasm_attention {

/// Reads sizes and choices from the fuzzer's bytes, and zeros after their end.
class Draw {
 public:
  Draw(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  /// A number in [low, high].
  int integer(int low, int high) {
    const unsigned bytes = next() << 8 | next();
    return low + static_cast<int>(bytes % static_cast<unsigned>(high - low + 1));
  }
  bool flag() { return (next() & 1) != 0; }

  /// Values of up to `scale`, from a seed of two bytes.
  std::vector<float> floats(size_t count, float scale = 1) {
    return randomFloats(count, static_cast<unsigned>(integer(0, 65535)), scale);
  }

 private:
  unsigned next() { return at_ < size_ ? data_[at_++] : 0; }

  const uint8_t* data_;
  size_t size_, at_ = 0;
};

/// Ends the run unless |actual - expected| <= tolerance; NaN always ends it.
inline void expectNear(double actual, double expected, double tolerance, const char* what, size_t at) {
  if (std::abs(actual - expected) <= tolerance) return;
  std::fprintf(stderr, "%s, element %zu: expected %.9g, got %.9g, allowed %.3g\n", what, at, expected, actual,
               tolerance);
  std::abort();
}

/// Half an ulp of float32 at 1: the largest error of a rounding, relative to the result.
constexpr double kHalfUlp = 1.0 / (1 << 24);

/// A sum of products in float64, and the error that float32 may have.
struct Sum {
  double value = 0, magnitude = 0;
  int terms = 0;
  void add(double x) {
    value += x;
    magnitude += std::abs(x);
    ++terms;
  }
  /// Each term is rounded, and each partial sum.
  double tolerance() const { return (terms + 2) * kHalfUlp * magnitude + 1e-37; }
};

}  // namespace wasm_attention
