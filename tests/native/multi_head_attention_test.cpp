// The steps of a whole layer: projections, norms and rotations of heads, grouped heads, and a cache of any type that
// grows in calls of any size.
#include <algorithm>
#include <cmath>

#include "multi_head_layer.h"
#include "property.h"

namespace wasm_attention {
namespace {

double largest(const Doubles& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

PROPERTY(MultiHeadAttention, AgreesWithFloat64) {
  const bool cached = draw.flag(), bias = draw.flag(), normed = draw.flag();
  LayerSizes n{};
  n.batch = draw.integer(1, 3);
  n.kvHeads = draw.integer(1, 2);
  n.heads = n.kvHeads * draw.integer(1, 3);
  n.width = draw.integer(1, 10);
  n.queries = draw.integer(1, 40);
  n.keys = cached ? n.queries : draw.integer(1, 90);
  n.queryInputs = draw.integer(1, 12);
  n.keyInputs = cached ? n.queryInputs : draw.integer(1, 12);
  n.valueInputs = cached ? n.queryInputs : draw.integer(1, 12);
  n.outputs = draw.integer(1, 12);
  Layer layer(n, bias, normed);
  const Floats queries = draw.floats(size_t(n.batch) * n.queries * n.queryInputs);
  const Floats keys = cached ? queries : draw.floats(size_t(n.batch) * n.keys * n.keyInputs);
  const Floats values = cached ? queries : draw.floats(size_t(n.batch) * n.keys * n.valueInputs);

  const int turned = 2 * draw.integer(0, n.width / 2);
  const auto table = [&](bool own, int tokens) {
    return rotaryTable64(draw.floats(size_t(own ? n.batch : 1) * tokens * turned / 2, 3), turned);
  };
  const bool own_queries = draw.flag(), own_keys = draw.flag(), interleaved = draw.flag();
  const Floats query_table = table(own_queries, n.queries), key_table = table(own_keys, n.keys);
  if (turned > 0) {
    layer.rotation = {query_table.data(),
                      own_queries ? n.queries * turned : 0,
                      key_table.data(),
                      own_keys ? n.keys * turned : 0,
                      turned,
                      interleaved};
  }
  const Layer::Heads heads = layer.heads64(queries, keys, values);
  const Doubles expected = layer.oracle(heads, cached);

  Floats got;
  auto type = WeightType::kFloat32;
  if (cached) {
    type = static_cast<WeightType>(draw.integer(0, 2));
    Cache cache(n, n.queries + draw.integer(0, 5), type);
    std::vector<int> counts;
    for (int from = 0; from < n.queries; from += counts.back()) {
      counts.push_back(std::min(draw.integer(1, 12), n.queries - from));
    }
    got = forwardInParts(layer, queries, cache, counts);
  } else {
    got = layer.forward(queries, keys, values, nullptr);
  }

  // Weights are up to 1/sqrt(inputs), so the terms of a projection sum up to sqrt(inputs) + 1, each rounded. A norm
  // multiplies errors by 1/sqrt(eps) at most, directly and through its deviation, and a rotation by sqrt(2); both round
  // a few times. A cache rounds to 11 bits or to 127 steps. A score has the errors of both operands, and its
  // exponential twice that. A mixture of values has the errors of the weights and of the values, and its own roundings.
  // The output projection sums sqrt(heads * width) of these.
  const auto projected = [](int inputs) { return (inputs + 5) * kHalfUlp * 1.5 * (std::sqrt(inputs) + 1); };
  const double root = std::sqrt(n.width);
  const auto head = [&](int inputs) {
    const double error = projected(inputs);
    return normed ? 1.5 * (error * (1 + root) / std::sqrt(Layer::kHeadEps) + (n.width + 12) * kHalfUlp * root) : error;
  };
  const double kept = type == WeightType::kInt8 ? 1 / 253.0 : type == WeightType::kFloat16 ? 1 / 2047.0 : 0;
  const double most_q = largest(heads.queries), most_k = largest(heads.keys), most_v = largest(heads.values);
  const double score = root * (2 * (head(n.keyInputs) + kept * most_k) * most_q + 2 * head(n.queryInputs) * most_k +
                               2 * (n.width + 2) * kHalfUlp * most_q * most_k);
  const double joined = n.heads * n.width;
  const double mixed =
      projected(n.valueInputs) + kept * most_v + most_v * (std::expm1(2 * score) + (2 * n.keys + 64) * kHalfUlp);
  const double tolerance = std::sqrt(joined) * mixed + (joined + 2) * kHalfUlp * (std::sqrt(joined) * most_v + 1);
  for (size_t i = 0; i < got.size(); ++i) expectNear(got[i], expected[i], tolerance, "multi-head attention", i);
}

}  // namespace
}  // namespace wasm_attention
