// Rotations of pairs, forward and back, with any strides.
#include "attention.h"
#include "fuzz.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  RotarySizes n{};
  n.heads = draw.integer(1, 4);
  n.rows = draw.integer(1, 140);
  const int half = draw.integer(1, 40);
  n.rotaryWidth = 2 * half;
  n.width = n.rotaryWidth + draw.integer(0, 9);
  n.interleaved = draw.flag();
  const bool side_by_side = draw.flag(), in_place = draw.flag();
  n.headStride = side_by_side ? n.width : n.rows * n.width;
  n.rowStride = side_by_side ? n.heads * n.width : n.width;
  const int sign = draw.flag() ? 1 : -1;
  const std::vector<float> x = draw.floats(size_t(n.heads) * n.rows * n.width, 8);
  const std::vector<float> table = draw.floats(size_t(n.rows) * n.rotaryWidth);
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN);
  (sign == 1 ? rotaryEmbedding : rotaryEmbeddingBackward)(in_place ? out.data() : x.data(), table.data(), out.data(),
                                                          n);
  std::vector<double> expected(x.begin(), x.end());
  for (int h = 0; h < n.heads; ++h) {
    for (int i = 0; i < n.rows; ++i) {
      for (int j = 0; j < half; ++j) {
        const size_t row = size_t(h) * n.headStride + size_t(i) * n.rowStride;
        const size_t a = row + (n.interleaved ? 2 * j : j), b = row + (n.interleaved ? 2 * j + 1 : j + half);
        const double sin = sign * double{table[i * n.rotaryWidth + j]}, cos = table[i * n.rotaryWidth + half + j];
        expected[a] = x[a] * cos - x[b] * sin;
        expected[b] = x[b] * cos + x[a] * sin;
      }
    }
  }
  // Two products of up to 8 and their sum of up to 16, each rounded.
  for (size_t i = 0; i < out.size(); ++i) expectNear(out[i], expected[i], 32 * kHalfUlp, "rotary", i);
  return 0;
}
