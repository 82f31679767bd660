#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attention.h"
#include "random.h"
#include "sequence_layers.h"

namespace wasm_attention {
namespace {

void check(int batch, int length, int in_width, int width, bool relu, bool biases, bool initial) {
  const std::vector<float> x = randomFloats(size_t(batch) * length * in_width, 1);
  const std::vector<float> weight_ih = randomFloats(size_t(width) * in_width, 2, 0.5f);
  const std::vector<float> weight_hh = randomFloats(size_t(width) * width, 3, 0.5f / width);
  const std::vector<float> bias_ih = randomFloats(width, 4), bias_hh = randomFloats(width, 5);
  const std::vector<float> first = randomFloats(size_t(batch) * width, 6);
  RnnArgs args = rnnSizes(batch, length, in_width, width, relu);
  args.x = x.data();
  args.weightIh = weight_ih.data();
  args.weightHh = weight_hh.data();
  args.biasIh = biases ? bias_ih.data() : nullptr;
  args.biasHh = biases ? bias_hh.data() : nullptr;
  args.initial = initial ? first.data() : nullptr;
  const std::vector<float> out = runRnn(args);
  for (int b = 0; b < batch; ++b) {
    std::vector<double> state(width, 0.0);
    if (initial) state.assign(&first[b * width], &first[b * width] + width);
    for (int t = 0; t < length; ++t) {
      std::vector<double> next(width);
      for (int i = 0; i < width; ++i) {
        double sum = biases ? double(bias_ih[i]) + bias_hh[i] : 0.0;
        for (int k = 0; k < in_width; ++k)
          sum += double(weight_ih[i * in_width + k]) * x[(b * length + t) * in_width + k];
        for (int k = 0; k < width; ++k) sum += double(weight_hh[i * width + k]) * state[k];
        next[i] = relu ? std::fmax(sum, 0.0) : std::tanh(sum);
        // Products of values up to 1, each rounded twice. The recurrent weights are so small that errors do not grow.
        ASSERT_NEAR(out[(b * length + t) * width + i], next[i], 1.2e-7 * (in_width + width + 4) * 2);
      }
      state = next;
    }
  }
}

TEST(Rnn, AgreesWithFloat64AtEverySize) {
  for (const int batch : {1, 2, 3}) {
    for (const int length : {1, 2, 6}) {
      for (const int in_width : {1, 3, 8}) {
        for (const int width : {1, 2, 5, 17}) {
          for (const bool relu : {false, true}) check(batch, length, in_width, width, relu, true, true);
        }
      }
    }
  }
}

TEST(Rnn, WorksWithoutBiasesAndInitialState) {
  check(2, 4, 3, 5, false, false, false);
  check(2, 4, 3, 5, true, false, true);
  check(2, 4, 3, 5, false, true, false);
}

TEST(Rnn, AcceptsEmptySequencesAndBatches) {
  check(2, 0, 3, 5, false, true, true);
  check(0, 3, 3, 5, false, true, true);
}

TEST(Rnn, LetsNaNShowThroughRelu) {
  const float x[] = {NAN}, one[] = {1};
  RnnArgs args = rnnSizes(1, 1, 1, 1, true);
  args.x = x;
  args.weightIh = args.weightHh = one;
  EXPECT_TRUE(std::isnan(runRnn(args)[0]));
}

}  // namespace
}  // namespace wasm_attention
