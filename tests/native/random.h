// Seeded test data.
#pragma once

#include <random>
#include <vector>

inline std::vector<float> randomFloats(size_t count, unsigned seed, float scale = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-scale, scale);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}
