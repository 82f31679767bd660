#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attention.h"
#include "layer_oracles.h"
#include "positions.h"
#include "property.h"
#include "random.h"

namespace wasm_attention {
namespace {

TEST(ScaleFrequencies, IsExactEnoughForFarPositions) {
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
      EXPECT_NEAR(out[2 * j], static_cast<double>(std::sin(angle)), std::numeric_limits<float>::epsilon() / 4 + 1e-11)
          << j;
    }
  }
}

PROPERTY(RotaryEmbedding, RotatesHeadsInBothLayouts) {
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
  // Two products of up to 8 and their sum of up to 16 are rounded.
  for (size_t i = 0; i < out.size(); ++i) expectNear(out[i], expected[i], 32 * kHalfUlp, "rotary", i);
}

PROPERTY(RotaryTable, AgreesWithLongDouble) {
  const int rows = draw.integer(1, 200), half = draw.integer(1, 40), dim = 2 * half;
  const bool given = draw.flag(), scaled = draw.flag(), has_axes = given && draw.flag();
  const double base = 1 + draw.integer(0, 65535), start = draw.integer(0, 4095) * double(draw.integer(1, 4095));
  const float amplitude = 1 + draw.integer(0, 8) / 8.0f;
  std::vector<double> frequencies(sinusoidalFrequenciesSize(dim)), positions;
  std::vector<double> factors;
  for (int j = 0; j < half; ++j) factors.push_back(scaled ? (1 + draw.integer(0, 255)) / 256.0 : 1);
  std::vector<int32_t> axes;
  for (int j = 0; has_axes && j < half; ++j) axes.push_back(j == 0 ? 0 : axes[j - 1] + (draw.integer(0, 3) == 0));
  const int count = has_axes ? rows * (axes.back() + 1) : rows;
  for (int i = 0; i < count; ++i) positions.push_back(given ? start + draw.integer(-4000, 4000) / 4.0 : start + i);
  sinusoidalFrequencies(frequencies.data(), dim, base);
  if (scaled) scaleFrequencies(frequencies.data(), factors.data(), dim);
  std::vector<float> matrices(size_t(half) * 4, NAN);
  const std::vector<float> table = tableOfRotations(frequencies, given ? positions : std::vector<double>(), rows, dim,
                                                    given ? 0 : start, amplitude, axes);
  encodingRotation(frequencies.data(), matrices.data(), dim, start);
  // Half an ulp of float32, the 1e-11 that attention.h allows, and the error of the long double angle, 2^-60 of up to
  // 2^24. The product with the amplitude is rounded once more.
  const double tolerance = kHalfUlp + 1e-8;
  for (int j = 0; j < half; ++j) {
    const long double frequency = factors[j] * std::pow(static_cast<long double>(base), -2.0L * j / dim);
    for (int i = 0; i < rows; ++i) {
      const size_t at = size_t(i) * dim + j;
      const long double angle = positions[has_axes ? size_t(axes[j]) * rows + i : i] * frequency;
      expectNear(table[at], amplitude * static_cast<double>(std::sin(angle)), 2 * amplitude * tolerance, "sine", at);
      expectNear(table[at + half], amplitude * static_cast<double>(std::cos(angle)), 2 * amplitude * tolerance,
                 "cosine", at + half);
    }
    const double sine = static_cast<double>(std::sin(start * frequency));
    const double cosine = static_cast<double>(std::cos(start * frequency));
    const double expected[] = {cosine, sine, -sine, cosine};
    for (int k = 0; k < 4; ++k) expectNear(matrices[4 * j + k], expected[k], tolerance, "rotation", 4 * j + k);
  }
}

}  // namespace
}  // namespace wasm_attention
