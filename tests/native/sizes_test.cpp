// Sizes of working memory for extents up to 2^31 - 1. The sanitizers end the run if any of them overflows on the way.
#include <gtest/gtest.h>

#include <random>

#include "check_sizes.h"

namespace wasm_attention {
namespace {

TEST(Sizes, AreExactOrBeyondAllMemoryForAnyExtents) {
  std::mt19937 random(1);
  // Small ones, those around the kernels' blocks, powers of two and what is next to them, and the largest.
  const auto extent = [&](int low) {
    const int bits = static_cast<int>(random() % 32);
    const int64_t power = int64_t{1} << bits;
    const int64_t drawn = random() % 2 == 0 ? power + static_cast<int>(random() % 3) - 1 : random() % power;
    return static_cast<int>(std::clamp<int64_t>(drawn, low, INT32_MAX));
  };
  const auto flag = [&] { return random() % 2 == 0; };
  for (int i = 0; i < 30000; ++i) {
    checkSizes(extent, flag, [&](const char* name, int64_t actual, Exact exact) {
      ADD_FAILURE() << name << ", case " << i << ": " << actual << ", exactly " << static_cast<double>(exact);
    });
    if (HasFailure()) return;
  }
}

TEST(Sizes, OfTheLargestExtentsAreBeyondAllMemory) {
  const auto extent = [](int) { return INT32_MAX; };
  int checked = 0;
  for (const bool options : {false, true}) {
    checkSizes(
        extent, [&] { return options; },
        [&](const char* name, int64_t actual, Exact exact) {
          ADD_FAILURE() << name << ": " << actual << ", exactly " << static_cast<double>(exact);
        });
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

}  // namespace
}  // namespace wasm_attention
