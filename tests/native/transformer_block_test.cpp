// The two passes of a block on memory of exactly the stated size, so that AddressSanitizer sees any access outside.
// Gradients are compared with finite differences here; tests/layers compares outputs with PyTorch.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "block_layer.h"

namespace wasm_attention {
namespace {

double dot(const Floats& a, const Floats& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

TEST(TransformerBlock, HasItsGradients) {
  const std::vector<BlockCase> cases = blockCases();
  for (size_t which = 0; which < cases.size(); ++which) {
    SCOPED_TRACE(which);
    const BlockCase& c = cases[which];
    BlockLayer block(c);
    Floats x = randomFloats(c.batch * c.tokens * c.width, 1);
    const Floats g = randomFloats(x.size(), 2);
    const std::vector<Floats> gradients = block.backward(x, g);
    const auto expect = [&](Floats& values, const Floats& gradient) {
      constexpr float kStep = 1.0f / 128;
      for (size_t i = 0; i < values.size(); ++i) {
        const float at = values[i];
        const auto along = [&](float step) {
          values[i] = at + step;
          const double loss = dot(block.forward(x), g);
          values[i] = at;
          return loss;
        };
        const auto slope = [&](float step) { return (along(step) - along(-step)) / (2 * step); };
        // Extrapolation removes third derivatives; what is left are roundings of 48 outputs divided by 1e-2.
        const double expected = (4 * slope(kStep) - slope(2 * kStep)) / 3;
        ASSERT_NEAR(gradient[i], expected, 5e-3 * (1 + std::abs(gradient[i]))) << i;
      }
    };
    expect(x, gradients[0]);
    expect(block.memory, gradients[1]);
    for (size_t p = 0; p < block.parameters.size(); ++p) {
      SCOPED_TRACE(p);
      expect(block.parameters[p], gradients[p + 2]);
    }
  }
}

}  // namespace
}  // namespace wasm_attention
