#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "multi_head_layer.h"
#include "random.h"

namespace wasm_attention {
namespace {

void expectNear(const Floats& got, const Doubles& expected, const LayerSizes& n, int keys,
                WeightType type = WeightType::kFloat32) {
  ASSERT_EQ(got.size(), expected.size());
  // Projections, scores and results are at most 4 here, and each rounds once for each of its terms: two projections,
  // one after the other, a product of width E, whose error the softmax at most doubles, and a sum over the keys.
  const int inputs = std::max({n.queryInputs, n.keyInputs, n.valueInputs});
  const int roundings = 3 * inputs + 2 * n.width + keys + n.heads * n.width;
  // A cache rounds its numbers to 11 bits or to 127 steps; the errors of a row's numbers largely cancel.
  const double kept = type == WeightType::kInt8 ? 1 / 127.0 : type == WeightType::kFloat16 ? 1 / 2048.0 : 0;
  const double tolerance = 4 * (roundings * std::numeric_limits<float>::epsilon() / 2 + kept);
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance) << i;
}

/// Rotates all but the last component of heads whose width is odd.
struct Turns {
  Turns(Layer& layer, bool interleaved, bool own_queries, bool own_keys) {
    const LayerSizes& n = layer.n;
    const int width = n.width / 2 * 2;
    const auto table = [&](bool own, int tokens, unsigned seed) {
      return rotaryTable64(randomFloats((own ? n.batch : 1) * size_t(tokens) * width / 2, seed, 3), width);
    };
    queries = table(own_queries, n.queries, 61);
    keys = table(own_keys, n.keys, 62);
    layer.rotation = {queries.data(), own_queries ? n.queries * width : 0,
                      keys.data(),    own_keys ? n.keys * width : 0,
                      width,          interleaved};
  }
  Floats queries, keys;
};

const LayerSizes kSizes[] = {
    {1, 1, 1, 4, 1, 1, 4, 4, 4, 4},       {2, 5, 5, 20, 4, 6, 100, 100, 100, 100}, {2, 4, 2, 7, 9, 17, 12, 13, 5, 28},
    {3, 3, 1, 5, 33, 40, 15, 15, 15, 15}, {1, 2, 2, 32, 8, 300, 64, 64, 64, 64},
};

TEST(MultiHeadAttention, AgreesWithFloat64) {
  for (const LayerSizes& n : kSizes) {
    for (const bool bias : {false, true}) {
      for (const bool norms : {false, true}) {
        for (const int turns : {-1, 0, 1, 2, 3, 4, 5, 6, 7}) {
          SCOPED_TRACE(testing::Message() << n.heads << " heads, " << n.queries << " queries, " << n.keys << " keys, "
                                          << norms << ", " << turns);
          Layer layer(n, bias, norms);
          std::unique_ptr<Turns> angles;
          if (turns >= 0) angles = std::make_unique<Turns>(layer, turns & 1, turns & 2, turns & 4);
          const Floats queries = randomFloats(size_t(n.batch) * n.queries * n.queryInputs, 1);
          const Floats keys = randomFloats(size_t(n.batch) * n.keys * n.keyInputs, 2);
          const Floats values = randomFloats(size_t(n.batch) * n.keys * n.valueInputs, 3);
          expectNear(layer.forward(queries, keys, values, nullptr),
                     layer.oracle(layer.heads64(queries, keys, values), false), n, n.keys);
        }
      }
    }
  }
}

TEST(MultiHeadAttention, ACacheGivesWhatTheWholeSequenceGives) {
  for (const WeightType type : {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8}) {
    for (const std::vector<int>& counts : {std::vector<int>{1, 1, 1, 1, 5, 10}, std::vector<int>{12, 1, 2, 3, 1}}) {
      for (const bool modern : {false, true}) {
        const int tokens = 19;
        const LayerSizes n{2, 4, 2, 6, tokens, tokens, 10, 10, 10, 24};
        Layer layer(n, true, modern);
        std::unique_ptr<Turns> angles;
        if (modern) angles = std::make_unique<Turns>(layer, false, true, true);
        const Floats x = randomFloats(size_t(n.batch) * tokens * 10, 4);
        Cache cache(n, tokens + (modern ? 3 : 0), type);
        expectNear(forwardInParts(layer, x, cache, counts), layer.oracle(layer.heads64(x, x, x), true), n, tokens,
                   type);
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
