// The encoder layer's two passes on memory of exactly the stated size, so that AddressSanitizer sees any access outside. Gradients
// are compared with finite differences here; tests/layers compares outputs with PyTorch.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "encoder_layer.h"

namespace wasm_attention {
namespace {

double dot(const Floats& a, const Floats& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

TEST(TransformerEncoderLayer, HasItsGradients) {
  for (const EncoderCase& c : {EncoderCase{false, 0, true, false}, EncoderCase{true, 0, true, true},
                               EncoderCase{false, 0.4f, true, true}, EncoderCase{true, 0.4f, false, false}}) {
    EncoderLayer encoder(c);
    Floats x = randomFloats(c.batch * c.tokens * widthOf(c), 1);
    const Floats g = randomFloats(x.size(), 2);
    const std::vector<Floats> gradients = encoder.backward(x, g);
    const auto expect = [&](Floats& values, const Floats& gradient) {
      constexpr float kStep = 1.0f / 128;
      for (size_t i = 0; i < values.size(); ++i) {
        const float at = values[i];
        values[i] = at + kStep;
        const double above = dot(encoder.forward(x), g);
        values[i] = at - kStep;
        const double below = dot(encoder.forward(x), g);
        values[i] = at;
        // Third derivatives times 1e-5, and roundings of 48 outputs divided by 1e-2.
        ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), 5e-3 * (1 + std::abs(gradient[i]))) << i;
      }
    };
    expect(x, gradients[0]);
    for (size_t p = 0; p < encoder.parameters.size(); ++p) {
      SCOPED_TRACE(p);
      expect(encoder.parameters[p], gradients[p + 1]);
    }
  }
}

TEST(TransformerEncoderLayer, KeepsNothingOutsideTraining) {
  for (const bool pre_norm : {false, true}) {
    const EncoderCase c{pre_norm, 0, true, true};
    EncoderLayer encoder(c);
    const Floats x = randomFloats(c.batch * c.tokens * widthOf(c), 1);
    const Floats trained = encoder.forward(x, true);
    EXPECT_EQ(encoder.forward(x, false), trained);
  }
}

}  // namespace
}  // namespace wasm_attention
