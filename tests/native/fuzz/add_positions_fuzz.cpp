// Adding tables to sequences with dropout, and the gradients, in place and not.
#include "attention.h"
#include "fuzz.h"
#include "kernels/dropout.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int batch = draw.integer(0, 5), rows = draw.integer(1, 20), dim = draw.integer(1, 40);
  const bool has_table = draw.flag(), in_place = draw.flag();
  const uint32_t seed = draw.integer(0, 65535);
  const float dropout = draw.flag() ? draw.integer(0, 99) / 100.0f : 0;
  const std::vector<float> x = draw.floats(size_t(batch) * rows * dim), table = draw.floats(size_t(rows) * dim);
  std::vector<float> out = in_place ? x : std::vector<float>(x.size(), NAN), grad_x = out;
  addPositions(in_place ? out.data() : x.data(), has_table ? table.data() : nullptr, out.data(), batch, rows, dim, seed,
               dropout);
  std::vector<float> grad_table = draw.floats(table.size());
  std::vector<Sum> sums(table.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i].add(grad_table[i]);
  addPositionsBackward(in_place ? grad_x.data() : x.data(), grad_x.data(), has_table ? grad_table.data() : nullptr,
                       batch, rows, dim, seed, dropout);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool dropped = dropoutBits(dropoutRow(seed, i / dim), i % dim) < dropoutThreshold(dropout);
    const double factor = dropped ? 0 : 1 / (1 - double{dropout});
    const double added = has_table ? double{x[i]} + table[i % table.size()] : x[i];
    // A rounding each for 1 - dropout, its inverse, the sum and the product.
    expectNear(out[i], factor * added, 4 * kHalfUlp * std::abs(factor * added), "positions", i);
    expectNear(grad_x[i], factor * x[i], 4 * kHalfUlp * std::abs(factor * x[i]), "x's gradient", i);
    if (has_table) sums[i % table.size()].add(grad_x[i]);
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    expectNear(grad_table[i], sums[i].value, has_table ? sums[i].tolerance() : 0, "the table's gradient", i);
  }
  return 0;
}
