// Copying inputs and outputs while a loop runs gives the same bits as copying before and after it.
#include "threads/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention.h"
#include "attention_problem.h"
#include "linear_layers.h"
#include "random.h"
#include "threads/bits.h"

namespace wasm_attention {
namespace {

/// `count` floats with a value that no result has.
Floats nothingYet(size_t count) { return Floats(count, std::nanf("")); }

/// Expects the copied part to equal the beginning of the output.
void expectBeginning(const Floats& taken, const Floats& output, const std::string& what) {
  ASSERT_LE(taken.size(), output.size()) << what;
  ASSERT_TRUE(std::equal(taken.begin(), taken.end(), output.begin())) << what;
}

TEST(Stream, ChangesNoBitOfALinearLayer) {
  for (int rows : {1, 16, 17, 65, 1100}) {
    for (int cols : {1, 33, 200}) {
      for (int depth : {1, 63, 800}) {
        const Floats x = randomFloats(rows * depth, 1), weight = randomFloats(cols * depth, 2);
        const Floats bias = randomFloats(cols, 3);
        for (const WeightType type :
             {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8, WeightType::kInt8Fine}) {
          if (type != WeightType::kFloat32 && rows != 65) continue;  // all their inputs are copied first
          const Floats packed = packedOf(weight, depth, cols, type);
          const Floats expected = linearOf(x, packed, &bias, depth, cols, type);
          for (int threads : {1, 2, 4}) {
            Floats arriving = nothingYet(x.size()), output = nothingYet(expected.size());
            TestStream stream({{arriving.data(), x}}, output.data(), output.size());
            with(threads, [&] {
              const LinearArgs args{arriving.data(), packed.data(), bias.data(), output.data(), rows,
                                    depth,           cols,          type};
              Floats scratch(linearScratch(args));
              linear(args, scratch.data());
              return 0;
            });
            const std::string what = sizes({rows, cols, depth, static_cast<int>(type), threads});
            ASSERT_EQ(output, expected) << what;
            expectBeginning(stream.taken(), expected, what);
          }
        }
      }
    }
  }
}

TEST(Stream, ChangesNoBitOfAttention) {
  for (int queries : {1, 7, 33, 129}) {
    for (int keys : {1, 65, 300}) {
      for (int batch : {1, 3}) {
        for (int relative : {0, 1, 2}) {
          AttentionChoices choices;
          choices.windowRight = 0;
          choices.offsets = Offsets::kForward;
          if (relative > 0) choices.relativeKeysClip = 3;
          choices.relativePerHead = relative == 2;
          AttentionSizes of;
          of.batch = batch;
          of.kvHeads = 2;
          of.heads = 4;
          of.queries = queries;
          of.keys = keys;
          of.width = of.valueWidth = 20;
          AttentionProblem problem(of, choices, 5);
          problem.run();
          AttentionArgs& a = problem.args();
          const size_t q = static_cast<size_t>(batch) * of.heads * queries * of.width;
          const size_t kv = static_cast<size_t>(batch) * of.kvHeads * keys * of.width;
          const Floats query(a.query, a.query + q), key(a.key, a.key + kv), value(a.value, a.value + kv);
          const Floats expected(a.output, a.output + q);
          for (int threads : {1, 2, 4}) {
            with(threads, [&] {
              Floats arriving_query = nothingYet(q), arriving_key = nothingYet(kv), arriving_value = nothingYet(kv);
              Floats output = nothingYet(q);
              AttentionArgs arriving = a;
              arriving.query = arriving_query.data();
              arriving.key = arriving_key.data();
              arriving.value = arriving_value.data();
              arriving.output = output.data();
              Floats scratch(scaledDotProductAttentionScratch(arriving));
              TestStream stream(
                  {{arriving_query.data(), query}, {arriving_key.data(), key}, {arriving_value.data(), value}},
                  output.data(), q);
              scaledDotProductAttention(arriving, scratch.data());
              EXPECT_EQ(output, expected) << sizes({queries, keys, batch, relative, threads});
              expectBeginning(stream.taken(), expected, sizes({queries, keys, batch, relative, threads}));
              return 0;
            });
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
