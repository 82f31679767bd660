// The two passes of a block on memory of exactly the stated size, so that AddressSanitizer sees any access outside.
// Gradients are compared with finite differences here; tests/layers compares outputs with PyTorch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

// The outputs are compared with float64, and all gradients together with the slope of the loss in one direction.
PROPERTY(TransformerBlock, AgreesWithFloat64) {
  BlockProblem p{};
  p.batch = draw.integer(1, 4);
  p.heads = draw.integer(1, 3);
  p.tokens = draw.integer(1, draw.flag() ? 140 : 9);
  p.headWidth = draw.integer(2, 7);
  p.width = p.heads * p.headWidth;
  p.hidden = draw.integer(1, 20);
  p.preNorm = draw.flag();
  p.bias = draw.flag();
  p.causal = draw.flag();
  p.interleaved = draw.flag();
  p.gated = draw.flag();
  p.rms = draw.flag();
  p.activation = static_cast<Activation>(draw.integer(0, 4));
  if (draw.flag()) {
    for (int b = 0; b < p.batch; ++b) p.valid.push_back(draw.integer(0, p.tokens));
  }
  if (draw.flag()) {
    p.rotary = 2 * draw.integer(1, p.headWidth / 2);
    p.table = rotaryTable64(draw.floats(size_t(p.tokens) * p.rotary / 2, 3), p.rotary);
  }
  const float dropout = draw.flag() ? 0.3f : 0;
  const size_t elements = size_t(p.batch) * p.tokens * p.width;
  std::vector<std::vector<float>> inputs{draw.floats(elements)}, gradients{draw.floats(elements)};
  const std::vector<float> grad_output = gradients[0];
  for (size_t i = 0; i < 12; ++i) {
    inputs.push_back(draw.floats(p.has(i) ? p.sizes()[i] : 0));
    gradients.emplace_back(inputs.back().size());
  }

  TransformerBlockArgs args{};
  AttentionArgs& a = args.self.attention;
  a.batch = p.batch;
  a.heads = a.kvHeads = p.heads;
  a.queries = a.keys = p.tokens;
  a.width = a.valueWidth = p.headWidth;
  a.validLens = p.valid.empty() ? nullptr : p.valid.data();
  a.validBatch = 1;
  a.windowLeft = -1;
  a.windowRight = p.causal ? 0 : -1;
  a.scale = 1 / std::sqrt(static_cast<float>(p.headWidth));
  a.seed = 7;
  a.dropout = dropout;
  if (p.rotary > 0) args.self.rotation = {p.table.data(), 0, p.table.data(), 0, p.rotary, p.interleaved};
  const auto pointers = [](BlockParameters& all, std::vector<std::vector<float>>& from) {
    float** const fields[] = {&all.self.inWeight, &all.self.inBias, &all.self.outWeight, &all.self.outBias,
                              &all.weight1,       &all.bias1,       &all.weight2,        &all.bias2,
                              &all.norm1.weight,  &all.norm1.bias,  &all.norm3.weight,   &all.norm3.bias};
    for (size_t i = 0; i < 12; ++i) *fields[i] = from[i + 1].empty() ? nullptr : from[i + 1].data();
  };
  pointers(args.parameters, inputs);
  std::array<std::vector<float>, 4> packed;
  const auto pack = [&](size_t which, int rows, int outputs) {
    packed[which] = packedOf(inputs[2 * which + 1], rows, outputs);
    return packed[which].data();
  };
  args.self.packedIn = pack(0, p.width, 3 * p.width);
  args.self.packedOut = pack(1, p.width, p.width);
  args.packed1 = pack(2, p.width, p.inner());
  args.packed2 = pack(3, p.hidden, p.width);
  args.width = p.width;
  args.hiddenWidth = p.hidden;
  args.gated = p.gated;
  args.activation = p.activation;
  args.norm = p.rms ? Norm::kRms : Norm::kLayer;
  args.preNorm = p.preNorm;
  args.eps = 1e-5f;
  std::vector<float> scratch(transformerBlockScratch(args), NAN), kept(transformerBlockKept(args), NAN);
  std::vector<float> output(elements, NAN);
  std::copy(inputs[0].begin(), inputs[0].end(), kept.begin());
  args.kept = kept.data();
  args.output = output.data();
  transformerBlock(args, scratch.data());

  TransformerBlockGradArgs back{};
  back.block = args;
  back.gradient = gradients[0].data();
  pointers(back.gradients, gradients);
  std::vector<float> back_scratch(transformerBlockBackwardScratch(back), NAN);
  transformerBlockBackward(back, back_scratch.data());
  // With dropout, this looks only for accesses outside buffers and for reads of values that were never written.
  if (dropout > 0) {
    for (const float value : output) expectNear(value - value, 0, 0, "a number", 0);
    for (const auto& gradient : gradients) {
      for (const float value : gradient) expectNear(value - value, 0, 0, "a number", 0);
    }
    return;
  }

  std::vector<Doubles> exact;
  for (const auto& input : inputs) exact.push_back(doubles(input));
  double steepest = 1;
  const Doubles expected = block64(p, exact, &steepest);
  // Several sums of up to a few dozen terms of up to 1, and two norms, which divide by their deviations. This is five
  // times the largest difference in 5,000 inputs.
  const double share = 1e-5 * steepest * steepest;
  for (size_t i = 0; i < elements; ++i) expectNear(output[i], expected[i], share, "block", i);
  // Finite differences are wrong near relu's kinks.
  if (p.activation == Activation::kRelu) return;

  double sum = 0, magnitude = 1;
  std::vector<std::vector<float>> directions;
  for (const auto& gradient : gradients) {
    directions.push_back(randomFloats(gradient.size(), 77 + static_cast<unsigned>(directions.size())));
    for (size_t i = 0; i < gradient.size(); ++i) {
      sum += double{gradient[i]} * directions.back()[i];
      magnitude += std::abs(double{gradient[i]} * directions.back()[i]);
    }
  }
  const auto along = [&](double step) {
    std::vector<Doubles> moved = exact;
    for (size_t t = 0; t < moved.size(); ++t) {
      for (size_t i = 0; i < moved[t].size(); ++i) moved[t][i] += step * directions[t][i];
    }
    const Doubles out = block64(p, moved, &steepest);
    double loss = 0;
    for (size_t i = 0; i < out.size(); ++i) loss += out[i] * grad_output[i];
    return loss;
  };
  const auto difference = [&](double step) { return (along(step) - along(-step)) / (2 * step); };
  const double step = 1e-4 / (steepest * steepest);
  // Extrapolation removes the third derivative.
  const double slope = (4 * difference(step) - difference(2 * step)) / 3;
  // Roundings of thousands of terms largely cancel. This is twenty times the largest difference in those inputs.
  expectNear(sum, slope, 0.1 * share * magnitude, "the slope of the gradients", 0);
}

}  // namespace
}  // namespace wasm_attention
