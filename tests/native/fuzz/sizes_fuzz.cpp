// Sizes of working memory against exact arithmetic, for extents up to 2^31 - 1.
#include <cstdio>
#include <cstdlib>

#include "check_sizes.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // There are more extents than bytes, which therefore start again.
  size_t at = 0;
  const auto byte = [&] { return data[at++ % size]; };
  const auto extent = [&](int low) {
    const int bits = byte();
    const int64_t drawn = (int64_t{1} << bits % 32) + (bits / 32 - 4) * byte();
    return static_cast<int>(std::clamp<int64_t>(drawn, low, INT32_MAX));
  };
  checkSizes(
      extent, [&] { return byte() % 2 == 1; },
      [](const char* name, int64_t actual, Exact exact) {
        std::fprintf(stderr, "%s: expected %.0f, got %lld\n", name, static_cast<double>(exact),
                     static_cast<long long>(actual));
        std::abort();
      });
  return 0;
}
