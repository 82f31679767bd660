// Rotations of pairs, forward and back, of heads in either layout.
#include "attention.h"
#include "fuzz.h"
#include "layer_oracles.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  RotaryArgs n{};
  n.batch = draw.integer(1, 3);
  n.heads = draw.integer(1, 4);
  n.rows = draw.integer(1, 140);
  n.rotaryWidth = 2 * draw.integer(1, 40);
  n.width = n.rotaryWidth + draw.integer(0, 9);
  n.interleaved = draw.flag();
  const bool side_by_side = draw.flag(), in_place = draw.flag(), own_tables = draw.flag(), back = draw.flag();
  n.strides = side_by_side ? sideBySide(n.rows, n.heads, n.width)
                           : Strides{n.heads * n.rows * n.width, n.rows * n.width, n.width};
  n.tableBatch = own_tables ? n.rows * n.rotaryWidth : 0;
  const std::vector<float> x = draw.floats(size_t(n.batch) * n.heads * n.rows * n.width, 8);
  const std::vector<float> table = draw.floats(size_t(own_tables ? n.batch : 1) * n.rows * n.rotaryWidth);
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN);
  n.x = in_place ? out.data() : x.data();
  n.table = table.data();
  n.out = out.data();
  (back ? rotaryEmbeddingBackward : rotaryEmbedding)(n);
  Doubles expected = doubles(x);
  rotate64(expected.data(), n, back ? -1 : 1);
  // Two products of up to 8 and their sum of up to 16, each rounded.
  for (size_t i = 0; i < out.size(); ++i) expectNear(out[i], expected[i], 32 * kHalfUlp, "rotary", i);
  return 0;
}
