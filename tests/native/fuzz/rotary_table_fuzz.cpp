// Rotary tables for consecutive and given positions, with plain and scaled frequencies, compared with long double.
#include "attention.h"
#include "fuzz.h"
#include "positions.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
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
  // Half an ulp of float32, the 1e-11 that the header allows, and the error of long double's angle, 2^-60 of up to
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
  return 0;
}
