// Property tests: each checks `kDraws` random calls as a test, and more under libFuzzer (fuzz/main.cpp). Bytes choose
// the sizes, and the seeds of the data. Buffers have exactly the right size, so that AddressSanitizer reports any
// access outside.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "random.h"

namespace wasm_attention {

/// Draws sizes and choices from bytes, which zeros follow.
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

using Property = void (*)(Draw& draw);

/// All properties by name.
inline std::map<std::string, Property>& properties() {
  static std::map<std::string, Property> all;
  return all;
}

/// The maximum number of bytes that a property reads.
constexpr size_t kDrawnBytes = 64;

#ifdef WASM_ATTENTION_THREADS
constexpr int kDraws = 10;  // ThreadSanitizer looks for races, and takes ten times as long
#else
constexpr int kDraws = 150;
#endif

inline void checkDraws(Property property) {
  std::mt19937 random(1);
  for (int i = 0; i < kDraws && !testing::Test::HasFailure(); ++i) {
    uint8_t bytes[kDrawnBytes];
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    SCOPED_TRACE(testing::Message() << "draw " << i);
    Draw draw(bytes, kDrawnBytes);
    property(draw);
  }
}

#define PROPERTY(suite, name)                                                                         \
  static void suite##name(Draw& draw);                                                                \
  static const bool suite##name##Listed = properties().emplace(#suite "." #name, suite##name).second; \
  TEST(suite, name) {                                                                                 \
    ASSERT_TRUE(suite##name##Listed);                                                                 \
    checkDraws(suite##name);                                                                          \
  }                                                                                                   \
  static void suite##name(Draw& draw)

/// Fails unless |actual - expected| <= tolerance; NaN always fails.
inline void expectNear(double actual, double expected, double tolerance, const char* what, size_t at) {
  if (std::abs(actual - expected) <= tolerance) return;
  ADD_FAILURE() << what << ", element " << at << ": expected " << expected << ", got " << actual << ", allowed "
                << tolerance;
}

/// Half an ulp of float32 at 1: the largest relative error of a rounding.
constexpr double kHalfUlp = 1.0 / (1 << 24);

/// A sum of products in float64, and the allowed error in float32.
struct Sum {
  double value = 0, magnitude = 0;
  int terms = 0;
  void add(double x) {
    value += x;
    magnitude += std::abs(x);
    ++terms;
  }
  /// Each term and each partial sum is rounded.
  double tolerance() const { return (terms + 2) * kHalfUlp * magnitude + 1e-37; }
};

}  // namespace wasm_attention
