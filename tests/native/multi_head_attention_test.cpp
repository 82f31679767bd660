#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention.h"
#include "multi_head_layer.h"
#include "random.h"

namespace wasm_attention {
namespace {

void expectNear(const std::vector<float>& got, const Matrix& expected, const LayerSizes& n, int keys) {
  ASSERT_EQ(got.size(), expected.size());
  // Projections, scores and results are at most 4 here, and each rounds once for each of its terms: two projections,
  // one after the other, a product of width E, whose error the softmax at most doubles, and a sum over the keys.
  const int inputs = std::max({n.queryInputs, n.keyInputs, n.valueInputs});
  const int roundings = 3 * inputs + 2 * n.width + keys + n.heads * n.width;
  const double tolerance = 4 * roundings * std::numeric_limits<float>::epsilon() / 2;
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance) << i;
}

const LayerSizes kSizes[] = {
    {1, 1, 1, 4, 1, 1, 4, 4, 4, 4},       {2, 5, 5, 20, 4, 6, 100, 100, 100, 100}, {2, 4, 2, 7, 9, 17, 12, 13, 5, 28},
    {3, 3, 1, 5, 33, 40, 15, 15, 15, 15}, {1, 2, 2, 32, 8, 300, 64, 64, 64, 64},
};

TEST(MultiHeadAttention, AgreesWithFloat64) {
  for (const LayerSizes& n : kSizes) {
    for (const bool bias : {false, true}) {
      SCOPED_TRACE(testing::Message() << n.heads << " heads, " << n.queries << " queries, " << n.keys << " keys");
      Layer layer(n, bias);
      const auto queries = randomFloats(size_t(n.batch) * n.queries * n.queryInputs, 1);
      const auto keys = randomFloats(size_t(n.batch) * n.keys * n.keyInputs, 2);
      const auto values = randomFloats(size_t(n.batch) * n.keys * n.valueInputs, 3);
      expectNear(forward(layer, queries, keys, values, nullptr), layer.oracle(queries, keys, values, -1), n, n.keys);
    }
  }
}

/// Tokens [from, to) of each sequence of (B, tokens, width).
std::vector<float> slice(const std::vector<float>& x, int batch, int tokens, int width, int from, int to) {
  std::vector<float> out;
  for (int b = 0; b < batch; ++b) {
    const float* sequence = x.data() + size_t(b) * tokens * width;
    out.insert(out.end(), sequence + from * width, sequence + to * width);
  }
  out.shrink_to_fit();
  return out;
}

TEST(MultiHeadAttention, ACacheGivesWhatTheWholeSequenceGives) {
  for (const std::vector<int>& steps : {std::vector<int>{1, 1, 1, 1, 5, 10}, std::vector<int>{12, 1, 2, 3, 1}}) {
    for (const int spare : {0, 3}) {
      const int tokens = 19;
      const LayerSizes n{2, 4, 2, 6, tokens, tokens, 10, 10, 10, 24};
      Layer layer(n, true);
      const auto x = randomFloats(size_t(n.batch) * tokens * 10, 4);
      const Matrix expected = layer.oracle(x, x, x, 0);
      Cache cache(n, tokens + spare);
      int from = 0;
      for (const int step : steps) {
        const int to = from + step;
        const auto part = slice(x, n.batch, tokens, 10, from, to);
        const std::vector<float> got = forward(layer, part, part, part, &cache);
        Matrix rows;
        for (int b = 0; b < n.batch; ++b) {
          const double* sequence = expected.data() + size_t(b) * tokens * n.outputs;
          rows.insert(rows.end(), sequence + from * n.outputs, sequence + to * n.outputs);
        }
        expectNear(got, rows, n, tokens);
        from = to;
      }
    }
  }
}

TEST(MultiHeadAttention, LeavesTheCacheBeyondItsLengthAlone) {
  const LayerSizes n{2, 4, 2, 6, 3, 3, 10, 10, 10, 24};
  Layer layer(n, false);
  const auto x = randomFloats(size_t(n.batch) * 3 * 10, 5);
  Cache cache(n, 8);
  cache.length = 2;
  forward(layer, x, x, x, &cache);
  for (int head = 0; head < n.batch * n.kvHeads; ++head) {
    for (int t = 0; t < cache.capacity; ++t) {
      for (int e = 0; e < n.width; ++e) {
        const size_t at = (size_t(head) * cache.capacity + t) * n.width + e;
        EXPECT_EQ(std::isnan(cache.keys[at]), t < 2 || t >= 5) << t;
        EXPECT_EQ(std::isnan(cache.values[at]), t < 2 || t >= 5) << t;
      }
    }
  }
}

TEST(MultiHeadAttention, TurnsQueriesAndKeysByTheirOwnTables) {
  const LayerSizes n{2, 4, 2, 7, 3, 5, 10, 10, 10, 28};
  Layer layer(n, true);
  const auto queries = randomFloats(2 * 3 * 10, 1), keys = randomFloats(2 * 5 * 10, 2),
             values = randomFloats(2 * 5 * 10, 3);
  const std::vector<float> plain = forward(layer, queries, keys, values, nullptr);
  for (const int interleaved : {0, 1}) {
    // Equal angles of queries and keys cancel in every score; angles of only the queries do not.
    const int width = 6;
    std::vector<float> same(2 * 5 * width);
    for (size_t i = 0; i < same.size(); ++i) {
      const double angle = 0.3 + i % 3;
      same[i] = static_cast<float>(i % width < 3 ? std::sin(angle) : std::cos(angle));
    }
    for (const int query_batch : {0, 3 * width}) {
      for (const int key_batch : {0, 5 * width}) {
        const Rotation both{same.data(), query_batch, same.data(), key_batch, width, interleaved};
        const std::vector<float> turned = forward(layer, queries, keys, values, nullptr, both);
        // Scores below 4 with a few more roundings are the weights of values below 4.
        for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(turned[i], plain[i], 1e-5) << i;
      }
    }
    std::vector<float> still(5 * width);
    for (size_t i = 0; i < still.size(); ++i) still[i] = i % width < 3 ? 0.0f : 1.0f;
    const Rotation none{still.data(), 0, still.data(), 0, width, interleaved};
    EXPECT_EQ(forward(layer, queries, keys, values, nullptr, none), plain);
    const Rotation queries_alone{same.data(), 3 * width, still.data(), 0, width, interleaved};
    EXPECT_NE(forward(layer, queries, keys, values, nullptr, queries_alone), plain);
  }
}

}  // namespace
}  // namespace wasm_attention
