#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention.h"
#include "property.h"
#include "random.h"
#include "sequence_layers.h"

namespace wasm_attention {
namespace {

TEST(Rnn, PropagatesNaNThroughRelu) {
  const float x[] = {NAN}, one[] = {1};
  RnnArgs args = rnnSizes(1, 1, 1, 1, true);
  args.x = x;
  args.weightIh = args.weightHh = one;
  EXPECT_TRUE(std::isnan(runRnn(args)[0]));
}

// The weights are so small that errors do not grow.
PROPERTY(Rnn, AgreesWithFloat64) {
  const int batch = draw.integer(0, 5), length = draw.integer(0, 20), ins = draw.integer(1, 20),
            width = draw.integer(1, 30);
  const bool relu = draw.flag(), has_ih = draw.flag(), has_hh = draw.flag(), has_initial = draw.flag();
  const std::vector<float> x = draw.floats(size_t(batch) * length * ins), wih = draw.floats(size_t(width) * ins);
  const std::vector<float> whh = draw.floats(size_t(width) * width, 0.5f / width);
  const std::vector<float> bih = draw.floats(width), bhh = draw.floats(width), h0 = draw.floats(size_t(batch) * width);
  RnnArgs args = rnnSizes(batch, length, ins, width, relu);
  args.x = x.data();
  args.weightIh = wih.data();
  args.weightHh = whh.data();
  args.biasIh = has_ih ? bih.data() : nullptr;
  args.biasHh = has_hh ? bhh.data() : nullptr;
  args.initial = has_initial ? h0.data() : nullptr;
  const std::vector<float> out = runRnn(args);
  for (int b = 0; b < batch; ++b) {
    std::vector<double> state(width, 0.0);
    if (has_initial) std::copy_n(&h0[size_t(b) * width], width, state.begin());
    for (int t = 0; t < length; ++t) {
      std::vector<double> next(width);
      for (int d = 0; d < width; ++d) {
        Sum sum;
        sum.add(has_ih ? bih[d] : 0);
        sum.add(has_hh ? bhh[d] : 0);
        for (int i = 0; i < ins; ++i) sum.add(double{wih[size_t(d) * ins + i]} * x[(size_t(b) * length + t) * ins + i]);
        for (int i = 0; i < width; ++i) sum.add(whh[size_t(d) * width + i] * state[i]);
        next[d] = relu ? std::max(0.0, sum.value) : std::tanh(sum.value);
        const size_t at = (size_t(b) * length + t) * width + d;
        // The step's own roundings, and 3 ulps of tanh. Each step halves the errors of earlier ones, which add as much.
        expectNear(out[at], next[d], 2 * (8 * (ins + width + 4) + 8) * kHalfUlp * std::max(1.0, std::abs(next[d])),
                   "recurrence", at);
      }
      state = next;
    }
  }
}

}  // namespace
}  // namespace wasm_attention
