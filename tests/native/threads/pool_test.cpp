#include "kernels/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "attention_problem.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"
#include "random.h"
#include "threads/pool.h"

namespace wasm_attention {
namespace {

TEST(Pool, GivesEachIndexToOneThread) {
  for (int count : {1, 2, 3, 4, 5, 64, 1000}) {
    for (int round = 0; round < 50; ++round) {
      std::vector<int> taken(count);
      parallelFor(count, 1, [&](int i, int thread) {
        ASSERT_LE(0, thread);
        ASSERT_LT(thread, threadCount());
        ++taken[i];
      });
      ASSERT_EQ(taken, std::vector<int>(count, 1));
    }
  }
}

TEST(Pool, RunsOnSeveralThreadsAtATime) {
  std::atomic<int> arrived{0};
  // Each index waits for the other, so a single thread would never finish.
  parallelFor(2, 1, [&](int, int) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(Pool, RunsNestedLoopsOnTheThreadThatStartsThem) {
  std::atomic<int> done{0};
  parallelFor(8, 1, [&](int, int) { parallelFor(8, 1, [&](int, int) { ++done; }); });
  EXPECT_EQ(done, 64);
}

TEST(Pool, ChangesNoBitOfAMatrixProduct) {
  for (int rows : {1, 3, 16, 33, 65, 200}) {
    for (int cols : {1, 8, 33, 65, 200}) {
      for (int depth : {1, 65, 385, 800}) {
        const std::vector<float> a = randomFloats(rows * depth, 1);
        const std::vector<float> b = randomFloats(depth * cols, 2);
        const auto multiply = [&] {
          std::vector<float> packed(packedSize(depth, cols));
          packTransposed(b.data(), depth, cols, packed.data());
          std::vector<float> c(rows * cols);
          gemm(a.data(), depth, packed.data(), nullptr, c.data(), cols, rows, cols, depth);
          return c;
        };
        const std::vector<float> alone = with(1, multiply);
        for (int threads : {2, 3, 4}) ASSERT_EQ(with(threads, multiply), alone) << rows << " " << cols << " " << depth;
      }
    }
  }
}

TEST(Pool, ChangesNoBitOfAttention) {
  for (int queries : {1, 7, 33, 129}) {
    for (int keys : {1, 65, 300}) {
      AttentionSizes sizes;
      sizes.batch = 2;
      sizes.kvHeads = 2;
      sizes.heads = 4;
      sizes.queries = queries;
      sizes.keys = keys;
      sizes.width = sizes.valueWidth = 20;
      AttentionChoices choices;
      choices.windowRight = 0;
      choices.offsets = Offsets::kForward;
      choices.relativeKeysClip = 3;
      choices.weights = true;
      choices.logSumExp = true;
      choices.dropout = 0.2f;
      for (const bool packed : {false, true}) {
        choices.packed = choices.sinks = packed;
        const auto attend = [&] {
          AttentionProblem problem(sizes, choices, 5);
          problem.run();
          std::vector<float> all = problem.output;
          all.insert(all.end(), problem.weights.begin(), problem.weights.end());
          all.insert(all.end(), problem.logSumExp.begin(), problem.logSumExp.end());
          return all;
        };
        const std::vector<float> alone = with(1, attend);
        for (int threads : {2, 3, 4})
          ASSERT_EQ(with(threads, attend), alone) << queries << " " << keys << " " << packed;
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
