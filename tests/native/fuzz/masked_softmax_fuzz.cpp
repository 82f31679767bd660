// Softmax of rows with valid lengths and masked entries, with NaN and infinity beyond the lengths.
#include <algorithm>

#include "attention.h"
#include "fuzz.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int rows = draw.integer(1, 12), cols = draw.integer(1, draw.flag() ? 600 : 40);
  const bool has_lens = draw.flag(), in_place = draw.flag();
  std::vector<float> x = draw.floats(size_t(rows) * cols, draw.flag() ? 80 : 3);
  std::vector<int32_t> valid(rows);
  for (int r = 0; r < rows; ++r) {
    valid[r] = has_lens ? draw.integer(0, cols) : cols;
    for (int j = 0; j < cols; ++j) {
      float& value = x[size_t(r) * cols + j];
      if (j >= valid[r])
        value = j % 2 ? NAN : INFINITY;
      else if (j % 7 == 3 && draw.flag())
        value = -INFINITY;
    }
  }
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN);
  maskedSoftmax(in_place ? out.data() : x.data(), has_lens ? valid.data() : nullptr, out.data(), rows, cols);
  for (int r = 0; r < rows; ++r) {
    const float* row = x.data() + size_t(r) * cols;
    double max = -INFINITY, sum = 0;
    for (int j = 0; j < valid[r]; ++j) max = std::max(max, double{row[j]});
    for (int j = 0; j < valid[r]; ++j) sum += max == -INFINITY ? 0 : std::exp(row[j] - max);
    for (int j = 0; j < cols; ++j) {
      const double expected = j < valid[r] && sum > 0 ? std::exp(row[j] - max) / sum : 0;
      // The difference of two logits is rounded by up to half an ulp of 160. The exponential, the sum and the quotient
      // have 32 ulps.
      const double tolerance = (64 + std::sqrt(cols) + 2 * 160) * kHalfUlp * expected + 1.2e-38;
      expectNear(out[size_t(r) * cols + j], expected, tolerance, "softmax", size_t(r) * cols + j);
    }
  }
  return 0;
}
