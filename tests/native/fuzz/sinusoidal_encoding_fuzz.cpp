// Sines and cosines for consecutive and given positions, compared with long double.
#include "attention.h"
#include "fuzz.h"
#include "positions.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int rows = draw.integer(1, 300), dim = draw.integer(1, 70);
  const bool concatenated = draw.flag(), given = draw.flag();
  const double base = 1 + draw.integer(0, 65535), start = draw.integer(0, 4095) * double(draw.integer(1, 4095));
  std::vector<double> frequencies(sinusoidalFrequenciesSize(dim)), positions;
  for (int i = 0; i < rows; ++i) positions.push_back(given ? start + draw.integer(-4000, 4000) / 4.0 : start + i);
  sinusoidalFrequencies(frequencies.data(), dim, base);
  const std::vector<float> out =
      encodePositions(frequencies, given ? positions : std::vector<double>(), rows, dim, start, concatenated);
  const int sines = (dim + 1) / 2;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < sines; ++j) {
      const long double angle = positions[i] * std::pow(static_cast<long double>(base), -2.0L * j / dim);
      const size_t row = size_t(i) * dim;
      const size_t sine = row + (concatenated ? j : 2 * j), cosine = row + (concatenated ? sines + j : 2 * j + 1);
      // Half an ulp of float32, the 1e-11 that the header allows, and the error of long double's angle, 2^-60 of up to
      // 2^24.
      const double tolerance = kHalfUlp + 1e-10;
      expectNear(out[sine], static_cast<double>(std::sin(angle)), tolerance, "sine", sine);
      if (2 * j + 1 < dim) expectNear(out[cosine], static_cast<double>(std::cos(angle)), tolerance, "cosine", cosine);
    }
  }
  return 0;
}
