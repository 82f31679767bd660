// Compares results on one thread and on several.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "threads/pool.h"

namespace wasm_attention {

using Floats = std::vector<float>;
using Results = std::vector<Floats>;

/// Expects the results of `compute` to be finite, and the same on one thread and on several.
inline void expectSameBits(const std::string& what, const std::function<Results()>& compute) {
  const Results alone = with(1, compute);
  for (const Floats& result : alone) {
    for (const float x : result) ASSERT_TRUE(std::isfinite(x)) << what;
  }
  for (int threads : {2, 3, 4}) ASSERT_EQ(with(threads, compute), alone) << what << ", " << threads << " threads";
}

inline std::string sizes(std::initializer_list<int> all) {
  std::string text;
  for (const int n : all) text += std::to_string(n) + " ";
  return text;
}

}  // namespace wasm_attention
