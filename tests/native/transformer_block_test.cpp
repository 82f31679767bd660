// Both passes of a block, in memory of exactly the right size, so that AddressSanitizer reports any access outside.
// Gradients are compared with finite differences here; tests/layers compares outputs with PyTorch.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "block_layer.h"
#include "block_oracle.h"
#include "property.h"

namespace wasm_attention {
namespace {

double dot(const Floats& a, const Floats& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

TEST(TransformerBlock, HasTheGradientsOfFiniteDifferences) {
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
        // Extrapolation removes third derivatives and leaves the roundings of 48 outputs, divided by 1e-2.
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

// The output is compared with float64, and all gradients together with the slope of the loss along one direction.
PROPERTY(TransformerBlock, AgreesWithFloat64) {
  BlockCase c;
  c.batch = draw.integer(1, 4);
  c.heads = c.kvHeads = draw.integer(1, 3);
  c.tokens = draw.integer(1, draw.flag() ? 140 : 9);
  c.headWidth = draw.integer(2, 7);
  c.width = c.heads * c.headWidth;
  c.hidden = draw.integer(1, 20);
  c.preNorm = draw.flag();
  c.bias = draw.flag();
  c.causal = draw.flag();
  c.interleaved = draw.flag();
  c.gated = draw.flag();
  c.rms = draw.flag();
  c.activation = static_cast<Activation>(draw.integer(0, 5));
  if (draw.flag()) {
    for (int b = 0; b < c.batch; ++b) c.validLens.push_back(draw.integer(0, c.tokens));
  }
  if (draw.flag()) c.rotary = 2 * draw.integer(1, c.headWidth / 2);
  c.dropout = draw.flag() ? 0.3f : 0;
  BlockLayer block(c);
  if (c.rotary > 0) block.table = rotaryTable64(draw.floats(size_t(c.tokens) * c.rotary / 2, 3), c.rotary);
  for (Floats& parameter : block.parameters) {
    if (!parameter.empty()) parameter = draw.floats(parameter.size());
  }
  const Floats x = draw.floats(size_t(c.batch) * c.tokens * c.width), g = draw.floats(x.size());
  const Floats output = block.forward(x);
  std::vector<Floats> gradients = block.backward(x, g);
  gradients.erase(gradients.begin() + 1);  // the memory's
  // With dropout, this checks only for accesses outside buffers and for reads of values that were never written.
  if (c.dropout > 0) {
    for (const float value : output) expectNear(value - value, 0, 0, "a number", 0);
    for (const Floats& gradient : gradients) {
      for (const float value : gradient) expectNear(value - value, 0, 0, "a number", 0);
    }
    return;
  }

  std::vector<Doubles> exact;
  for (const Floats& parameter : block.parameters) exact.push_back(doubles(parameter));
  double steepest = 1;
  const Doubles expected = block64(c, block.table, doubles(x), exact, &steepest);
  // Several sums of up to a few dozen terms of up to 1, and two norms, which divide by deviations. This is five times
  // the largest difference for 5,000 inputs.
  const double share = 1e-5 * steepest * steepest;
  for (size_t i = 0; i < output.size(); ++i) expectNear(output[i], expected[i], share, "block", i);
  // Finite differences are wrong near relu's kinks.
  if (c.activation == Activation::kRelu) return;

  double sum = 0, magnitude = 1;
  std::vector<Floats> directions;
  for (const Floats& gradient : gradients) {
    directions.push_back(randomFloats(gradient.size(), 77 + static_cast<unsigned>(directions.size())));
    sum += dot(gradient, directions.back());
    for (size_t i = 0; i < gradient.size(); ++i) magnitude += std::abs(double{gradient[i]} * directions.back()[i]);
  }
  const auto along = [&](double step) {
    const auto moved = [&](Doubles values, const Floats& direction) {
      for (size_t i = 0; i < values.size(); ++i) values[i] += step * direction[i];
      return values;
    };
    std::vector<Doubles> parameters;
    for (size_t p = 0; p < exact.size(); ++p) parameters.push_back(moved(exact[p], directions[p + 1]));
    const Doubles out = block64(c, block.table, moved(doubles(x), directions[0]), parameters, &steepest);
    double loss = 0;
    for (size_t i = 0; i < out.size(); ++i) loss += out[i] * g[i];
    return loss;
  };
  const auto difference = [&](double step) { return (along(step) - along(-step)) / (2 * step); };
  const double step = 1e-4 / (steepest * steepest);
  // Extrapolation removes the third derivative.
  const double slope = (4 * difference(step) - difference(2 * step)) / 3;
  // Roundings of thousands of terms largely cancel. This is twenty times the largest difference for those inputs.
  expectNear(sum, slope, 0.1 * share * magnitude, "the slope of the gradients", 0);
}

}  // namespace
}  // namespace wasm_attention
