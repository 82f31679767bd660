#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attention.h"
#include "layer_oracles.h"
#include "positions.h"
#include "random.h"

namespace wasm_attention {
namespace {

constexpr float kEps = std::numeric_limits<float>::epsilon();

void expectTurned(RotaryArgs n) {
  SCOPED_TRACE(testing::Message() << n.heads << " heads, " << n.rows << " rows, " << n.rotaryWidth << " of " << n.width
                                  << (n.interleaved ? ", interleaved" : ""));
  const std::vector<float> x = randomFloats(size_t(n.batch) * n.heads * n.rows * n.width, 1);
  const std::vector<float> table = randomFloats(size_t(n.tableBatch > 0 ? n.batch : 1) * n.rows * n.rotaryWidth, 2);
  for (const int sign : {1, -1}) {
    const auto rotate = sign == 1 ? rotaryEmbedding : rotaryEmbeddingBackward;
    std::vector<float> out(x.size(), NAN), in_place = x;
    n.table = table.data();
    n.x = x.data();
    n.out = out.data();
    rotate(n);
    n.x = n.out = in_place.data();
    rotate(n);
    Doubles expected = doubles(x);
    rotate64(expected.data(), n, sign);
    for (size_t i = 0; i < x.size(); ++i) {
      // Two products below 1, each rounded, and their sum below 2.
      ASSERT_NEAR(in_place[i], expected[i], 2 * kEps) << i;
      ASSERT_EQ(out[i], in_place[i]) << i;
    }
  }
}

TEST(RotaryEmbedding, TurnsEveryPairOfEveryWidth) {
  for (const bool interleaved : {false, true}) {
    for (const int half : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33}) {
      for (const int rest : {0, 1, 5}) {
        for (const int heads : {1, 2, 3}) {
          for (const int rows : {1, 2, 65, 130}) {
            const int width = 2 * half + rest, head = rows * width;
            expectTurned({nullptr,
                          nullptr,
                          nullptr,
                          1,
                          heads,
                          rows,
                          width,
                          2 * half,
                          {heads * head, head, width},
                          0,
                          interleaved});
          }
        }
      }
    }
  }
}

TEST(RotaryEmbedding, TakesHeadsSideBySideAndTablesForEachSequence) {
  for (const bool interleaved : {false, true}) {
    for (const int heads : {1, 3, 4}) {
      for (const int table_batch : {0, 9 * 10}) {
        expectTurned(
            {nullptr, nullptr, nullptr, 3, heads, 9, 12, 10, sideBySide(9, heads, 12), table_batch, interleaved});
      }
    }
  }
}

TEST(RotaryTable, HoldsSinesAndThenCosinesTimesTheAmplitude) {
  const int rows = 300, dim = 6;
  std::vector<double> frequencies(sinusoidalFrequenciesSize(dim));
  sinusoidalFrequencies(frequencies.data(), dim, 1e4);
  std::vector<double> positions;
  for (int i = 0; i < rows; ++i) positions.push_back(1e6 + 7.5 * i);
  for (const float amplitude : {1.0f, 1.25f}) {
    const std::vector<float> at = tableOfRotations(frequencies, positions, rows, dim, 0, amplitude);
    const std::vector<float> from = tableOfRotations(frequencies, {}, rows, dim, 1e6, amplitude);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < 3; ++j) {
        const long double w = std::pow(1e4L, -2.0L * j / dim);
        // Half an ulp of a sine and one of the product.
        EXPECT_NEAR(at[i * dim + j], amplitude * std::sin(positions[i] * w), 1.25 * kEps);
        EXPECT_NEAR(from[i * dim + 3 + j], amplitude * std::cos((1e6L + i) * w), 1.25 * kEps);
      }
    }
  }
}

TEST(RotaryTable, ReadsThePositionOfEachPairsAxis) {
  const int rows = 7;
  for (const auto& axes : std::vector<std::vector<int32_t>>{{0}, {0, 1}, {0, 0, 1}, {0, 1, 2, 2, 2}}) {
    const int half = static_cast<int>(axes.size()), dim = 2 * half;
    std::vector<double> frequencies(sinusoidalFrequenciesSize(dim)), positions;
    sinusoidalFrequencies(frequencies.data(), dim, 1e4);
    for (int i = 0; i < rows * (axes.back() + 1); ++i) positions.push_back(100 + 3.5 * i * i);
    const std::vector<float> table = tableOfRotations(frequencies, positions, rows, dim, 0, 1.5f, axes);
    for (int axis = 0; axis <= axes.back(); ++axis) {
      const std::vector<double> own(positions.begin() + axis * rows, positions.begin() + (axis + 1) * rows);
      const std::vector<float> alone = tableOfRotations(frequencies, own, rows, dim, 0, 1.5f);
      for (int i = 0; i < rows * half; ++i) {
        if (axes[i % half] != axis) continue;
        const int sine = i / half * dim + i % half;
        EXPECT_EQ(table[sine], alone[sine]);
        EXPECT_EQ(table[sine + half], alone[sine + half]);
      }
    }
  }
}

TEST(ScaleFrequencies, MultipliesExactlyEnoughForFarPositions) {
  for (const int dim : {2, 5, 6, 8, 64}) {
    std::vector<double> frequencies(sinusoidalFrequenciesSize(dim));
    sinusoidalFrequencies(frequencies.data(), dim, 5e5);
    std::vector<double> factors;
    for (int j = 0; 2 * j < dim; ++j) factors.push_back(1.0 / (3 + j));
    scaleFrequencies(frequencies.data(), factors.data(), dim);
    const double position = 16777215;
    const std::vector<float> out = encodePositions(frequencies, {position}, 1, dim, 0, false);
    for (int j = 0; 2 * j < dim; ++j) {
      const long double angle = position * factors[j] * std::pow(5e5L, -2.0L * j / dim);
      EXPECT_NEAR(out[2 * j], static_cast<double>(std::sin(angle)), kEps / 4 + 1e-11) << j;
    }
  }
}

}  // namespace
}  // namespace wasm_attention
