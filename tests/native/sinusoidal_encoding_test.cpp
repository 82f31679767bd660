#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "attention.h"
#include "positional/frequencies.h"
#include "positions.h"
#include "property.h"

namespace wasm_attention {
namespace {

// x87's long double has 64 bits, which is exact enough here: the error of an angle of 2^26 is 2^-38.
static_assert(sizeof(long double) > sizeof(double), "the oracle needs extended precision");

long double angleOf(double position, int j, int dim, double base) {
  return position * std::pow(static_cast<long double>(base), -2.0L * j / dim);
}

/// The error that attention.h allows at x: half an ulp of float32, and 1e-11.
double promised(long double x) {
  int exponent;
  std::frexp(static_cast<float>(x), &exponent);
  return std::ldexp(0.5, exponent - 24) + 1e-11;
}

std::vector<double> frequenciesOf(int dim, double base) {
  std::vector<double> table(sinusoidalFrequenciesSize(dim));
  sinusoidalFrequencies(table.data(), dim, base);
  return table;
}

std::vector<float> encode(int rows, int dim, double base = 1e4, double offset = 0, bool concatenated = false) {
  return encodePositions(frequenciesOf(dim, base), {}, rows, dim, offset, concatenated);
}

std::vector<float> encodeAt(const std::vector<double>& positions, int dim, double base = 1e4,
                            bool concatenated = false) {
  return encodePositions(frequenciesOf(dim, base), positions, 0, dim, 0, concatenated);
}

void expectRow(const float* row, double position, int dim, double base, bool concatenated) {
  for (int i = 0; i < dim; ++i) {
    const int sines = (dim + 1) / 2;
    const bool sine = concatenated ? i < sines : i % 2 == 0;
    const int j = concatenated ? (sine ? i : i - sines) : i / 2;
    const long double angle = angleOf(position, j, dim, base);
    const long double expected = sine ? std::sin(angle) : std::cos(angle);
    ASSERT_NEAR(row[i], static_cast<double>(expected), promised(expected))
        << "position " << position << " column " << i << " of " << dim << " base " << base;
  }
}

PROPERTY(SinusoidalEncoding, IsExactAtAnyPosition) {
  const int rows = draw.integer(1, draw.flag() ? 600 : 9), dim = draw.integer(1, draw.flag() ? 128 : 19);
  const bool concatenated = draw.flag(), given = draw.flag();
  const double base = std::pow(10, draw.flag() ? draw.integer(-2, 300) : draw.integer(0, 5));
  const double start = draw.integer(-4095, 4095) * double(draw.integer(1, 4000));
  std::vector<double> positions;
  // Positions have 24 bits, so the products in the angles are exact.
  for (int i = 0; i < rows; ++i) {
    positions.push_back(given ? static_cast<float>(start + draw.integer(-4000, 4000) / 4.0) : start + i);
  }
  const std::vector<float> table =
      given ? encodeAt(positions, dim, base, concatenated) : encode(rows, dim, base, start, concatenated);
  for (int i = 0; i < rows; ++i) expectRow(&table[size_t(i) * dim], positions[i], dim, base, concatenated);
}

TEST(SinusoidalEncoding, StartsWithZerosAndOnes) {
  EXPECT_EQ(encode(1, 6), (std::vector<float>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(encode(1, 5, 1e4, 0, true), (std::vector<float>{0, 0, 0, 1, 1}));
}

TEST(SinusoidalEncoding, WritesNothingForNoRows) {
  EXPECT_TRUE(encode(0, 6).empty());
  EXPECT_TRUE(encodeAt({}, 6).empty());
}

TEST(SinusoidalFrequencies, AreExactBeyondFloat64) {
  for (const double base : {1e4, 5e5, 2.0, 1e-3, 1e300}) {
    for (const int dim : {1, 2, 3, 64, 1001}) {
      const std::vector<double> table = frequenciesOf(dim, base);
      for (int j = 0; j < (dim + 1) / 2; ++j) {
        const Frequencies pair = loadFrequencies(table.data(), dim, j / 2 * 2);
        const long double frequency = static_cast<long double>(pair.high[j % 2]) + pair.low[j % 2];
        // The error of powl: the exponent is rounded to 64 bits.
        const long double tolerance = 2e-19L * (1 + std::fabs(std::log(base)));
        EXPECT_NEAR(static_cast<double>(frequency / angleOf(1, j, dim, base) - 1), 0.0, static_cast<double>(tolerance))
            << base << " " << dim << " " << j;
        int64_t bits;
        std::memcpy(&bits, &table[j], sizeof bits);
        EXPECT_EQ(bits & 0xffffff, 0) << "products with 24-bit positions would be rounded";
      }
    }
  }
}

TEST(SinCos, AgreesWithLibmOverTheWholeRange) {
  for (double angle = 1e-9; angle < 2147483647; angle = angle * 1.003 + 1e-3) {
    for (const double signed_angle : {angle, -angle}) {
      const SinCos pair = sinCos(splat(signed_angle), splat(0.0));
      EXPECT_NEAR(pair.sin[0], std::sin(signed_angle), 2.3e-16) << angle;
      EXPECT_NEAR(pair.cos[1], std::cos(signed_angle), 2.3e-16) << angle;
    }
  }
}

TEST(SinCos, IsRightAtTheQuadrants) {
  for (int k = -9; k <= 9; ++k) {
    const double angle = k * 1.5707963267948966;
    const SinCos pair = sinCos(f64x2{angle, angle + 0.1}, f64x2{0, 1e-9});
    EXPECT_NEAR(pair.sin[0], std::sin(angle), 2.3e-16) << k;
    EXPECT_NEAR(pair.cos[0], std::cos(angle), 2.3e-16) << k;
    EXPECT_NEAR(pair.sin[1], std::sin(angle + 0.1 + 1e-9L), 2.3e-16) << k;
    EXPECT_NEAR(pair.cos[1], std::cos(angle + 0.1 + 1e-9L), 2.3e-16) << k;
  }
}

TEST(EncodingRotation, RotatesOnePositionIntoAnother) {
  for (const int dim : {2, 4, 6, 34}) {
    const double delta = 17;
    const std::vector<double> frequencies = frequenciesOf(dim, 1e4);
    std::vector<float> m(2 * dim, NAN);
    encodingRotation(frequencies.data(), m.data(), dim, delta);
    const std::vector<float> p = encode(200, dim);
    for (int i = 0; i + 17 < 200; ++i) {
      for (int j = 0; j < dim; j += 2) {
        const float* turn = &m[2 * j];
        const float sin = p[i * dim + j], cos = p[i * dim + j + 1];
        // Four roundings of values of up to 1, and two of the sum: 6 · 2^-25.
        EXPECT_NEAR(turn[0] * sin + turn[1] * cos, p[(i + 17) * dim + j], 1.8e-7);
        EXPECT_NEAR(turn[2] * sin + turn[3] * cos, p[(i + 17) * dim + j + 1], 1.8e-7);
      }
    }
  }
}

TEST(EncodingRotation, IsExactForAnyDistance) {
  for (const double delta : {0.0, -1.0, 0.25, 1e7}) {
    std::vector<float> m(2 * 10);
    encodingRotation(frequenciesOf(10, 1e4).data(), m.data(), 10, delta);
    for (int j = 0; j < 5; ++j) {
      const long double angle = angleOf(delta, j, 10, 1e4);
      EXPECT_NEAR(m[4 * j], static_cast<double>(std::cos(angle)), promised(std::cos(angle)));
      EXPECT_NEAR(m[4 * j + 1], static_cast<double>(std::sin(angle)), promised(std::sin(angle)));
      EXPECT_EQ(m[4 * j + 2], -m[4 * j + 1]);
      EXPECT_EQ(m[4 * j + 3], m[4 * j]);
    }
  }
}

}  // namespace
}  // namespace wasm_attention
