#include "attention.h"
#include "property.h"

namespace wasm_attention {
namespace {

PROPERTY(Embedding, GathersRowsAndAddsTheirGradients) {
  const int rows = draw.integer(1, 30), count = draw.integer(0, draw.flag() ? 900 : 60), dim = draw.integer(1, 40);
  const std::vector<float> table = draw.floats(size_t(rows) * dim), g = draw.floats(size_t(count) * dim);
  std::vector<int32_t> ids;
  for (int i = 0; i < count; ++i) ids.push_back(draw.integer(0, rows - 1));
  std::vector<float> out(size_t(count) * dim, NAN), grad = draw.floats(table.size());
  std::vector<Sum> sums(grad.size());
  for (size_t i = 0; i < grad.size(); ++i) sums[i].add(grad[i]);
  embedding({ids.data(), table.data(), out.data(), count, dim, 0, WeightType::kFloat32});
  std::vector<float> scratch(embeddingBackwardScratch(count, rows, dim), NAN);
  embeddingBackward(g.data(), ids.data(), grad.data(), scratch.data(), count, rows, dim);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t from = size_t(ids[i / dim]) * dim + i % dim;
    expectNear(out[i], table[from], 0, "embedding", i);
    sums[from].add(g[i]);
  }
  for (size_t i = 0; i < grad.size(); ++i) {
    expectNear(grad[i], sums[i].value, sums[i].tolerance(), "the table's gradient", i);
  }
}

}  // namespace
}  // namespace wasm_attention
