// Every action of a model's pass, against plain loops in float64. It is long because there are 15.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention.h"
#include "expect_attention.h"
#include "random.h"

namespace wasm_attention {
namespace {

using Floats = std::vector<float>;

constexpr double kEps = 1.2e-7;  // float32's
const int kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33};

Step stepOf(StepAction action, int rows, int inputs, int outputs = 0) {
  Step step{};
  step.action = action;
  step.rows = rows;
  step.inputs = inputs;
  step.outputs = outputs;
  return step;
}

void runAll(const std::vector<Step>& steps, int past = 0) {
  RunStepsArgs args{};
  args.steps = steps.data();
  args.count = static_cast<int>(steps.size());
  args.past = past;
  Floats scratch(runStepsScratch(args), NAN);
  runSteps(args, scratch.data());
}

Floats packedOf(const Floats& weight, int inputs, int outputs) {
  Floats packed(packWeightSize(inputs, outputs), NAN);
  packWeight(weight.data(), packed.data(), inputs, outputs);
  return packed;
}

TEST(PackWeightRows, PacksAWeightInParts) {
  for (const int inputs : {1, 2, 3, 5, 8, 33}) {
    for (const int outputs : {1, 7, 8, 9, 16, 17, 31, 40}) {
      const Floats weight = randomFloats(static_cast<size_t>(inputs) * outputs, 1);
      const Floats whole = packedOf(weight, inputs, outputs);
      for (const int some : {8, 16, 24}) {
        Floats packed(whole.size(), NAN);
        for (int first = 0; first < outputs; first += some) {
          // On memory of exactly the part's size.
          const int count = std::min(some, outputs - first);
          const Floats rows(weight.begin() + first * inputs, weight.begin() + (first + count) * inputs);
          packWeightRows(rows.data(), packed.data(), inputs, outputs, first, count, WeightType::kFloat32);
        }
        ASSERT_EQ(packed, whole) << outputs << "x" << inputs << ", " << some << " at a time";
      }
    }
  }
}

TEST(RunSteps, GathersRowsOfTablesAndOfPackedWeights) {
  for (const int width : kSizes) {
    for (const int all : {1, 5, 8, 9, 20}) {
      const Floats table = randomFloats(static_cast<size_t>(all) * width, 2);
      const Floats packed = packedOf(table, width, all);
      const std::vector<int32_t> ids{all - 1, 0, all / 2, all - 1};
      for (const bool is_packed : {false, true}) {
        Floats out(ids.size() * width, NAN);
        Step step = stepOf(StepAction::kGather, static_cast<int>(ids.size()), width);
        step.x = reinterpret_cast<const float*>(ids.data());
        step.weight = is_packed ? packed.data() : table.data();
        step.option = is_packed ? all : 0;
        step.out = out.data();
        runAll({step});
        for (size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i], table[ids[i / width] * width + i % width]) << all << "x" << width << " at " << i;
        }
      }
    }
  }
}

TEST(RunSteps, Adds) {
  for (const int width : kSizes) {
    const Floats x = randomFloats(3 * width, 1), y = randomFloats(3 * width, 2);
    Floats out(3 * width, NAN);
    Step step = stepOf(StepAction::kAdd, 3, width);
    step.x = x.data();
    step.y = y.data();
    step.out = out.data();
    runAll({step});
    for (int i = 0; i < 3 * width; ++i) ASSERT_EQ(out[i], x[i] + y[i]);
  }
}

TEST(RunSteps, MapsLinearly) {
  for (const int inputs : kSizes) {
    for (const int outputs : kSizes) {
      for (const bool has_bias : {false, true}) {
        const Floats x = randomFloats(3 * inputs, 1), weight = randomFloats(static_cast<size_t>(inputs) * outputs, 2);
        const Floats packed = packedOf(weight, inputs, outputs), bias = randomFloats(outputs, 3);
        Floats out(3 * outputs, NAN);
        Step step = stepOf(StepAction::kLinear, 3, inputs, outputs);
        step.x = x.data();
        step.weight = packed.data();
        step.bias = has_bias ? bias.data() : nullptr;
        step.out = out.data();
        runAll({step});
        for (int i = 0; i < 3 * outputs; ++i) {
          double sum = has_bias ? bias[i % outputs] : 0;
          for (int k = 0; k < inputs; ++k) {
            sum += double(x[i / outputs * inputs + k]) * weight[i % outputs * inputs + k];
          }
          ASSERT_NEAR(out[i], sum, kEps * (inputs + 1));  // as many terms below 1, each rounded once
        }
      }
    }
  }
}

TEST(RunSteps, NormalisesRows) {
  constexpr float kNormEps = 1e-5f;
  for (const int width : kSizes) {
    const Floats x = randomFloats(3 * width, 1, 2), weight = randomFloats(width, 2), bias = randomFloats(width, 3);
    Floats normed(3 * width, NAN), scaled(3 * width, NAN);
    Step layer = stepOf(StepAction::kLayerNorm, 3, width), rms = stepOf(StepAction::kRmsNorm, 3, width);
    for (Step* step : {&layer, &rms}) {
      step->x = x.data();
      step->weight = weight.data();
      step->eps = kNormEps;
    }
    layer.bias = bias.data();
    layer.out = normed.data();
    rms.out = scaled.data();
    runAll({layer, rms});
    for (int row = 0; row < 3; ++row) {
      double mean = 0, squares = 0, variance = 0;
      for (int i = 0; i < width; ++i) mean += double(x[row * width + i]) / width;
      for (int i = 0; i < width; ++i) {
        const double value = x[row * width + i];
        squares += value * value / width;
        variance += (value - mean) * (value - mean) / width;
      }
      for (int i = 0; i < width; ++i) {
        const int at = row * width + i;
        // Each sum has `width` terms, and the division enlarges the mean's error by 1 / deviation.
        const double deviation = std::sqrt(variance + kNormEps);
        ASSERT_NEAR(normed[at], (x[at] - mean) / deviation * weight[i] + bias[i], kEps * (width + 8) * 2 / deviation);
        ASSERT_NEAR(scaled[at], x[at] / std::sqrt(squares + kNormEps) * weight[i], kEps * (width + 8) * 2);
      }
    }
  }
}

TEST(RunSteps, FeedsForwardThroughGates) {
  for (const int width : {1, 4, 9}) {
    for (const int hidden : {1, 8, 17}) {
      const int rows = 3, inner = 2 * hidden;
      const Floats x = randomFloats(rows * width, 1);
      const Floats weight1 = randomFloats(inner * width, 2), weight2 = randomFloats(width * hidden, 3);
      const Floats packed1 = packedOf(weight1, width, inner), packed2 = packedOf(weight2, hidden, width);
      Floats out(rows * width, NAN);
      FeedForwardArgs args{};
      args.x = x.data();
      args.packed1 = packed1.data();
      args.packed2 = packed2.data();
      args.out = out.data();
      args.rows = rows;
      args.width = width;
      args.hiddenWidth = hidden;
      args.gated = 1;
      args.activation = Activation::kSilu;
      Step step = stepOf(StepAction::kFeedForward, 0, 0);
      step.args = &args;
      runAll({step});
      for (int row = 0; row < rows; ++row) {
        std::vector<double> units(inner);
        for (int u = 0; u < inner; ++u) {
          for (int k = 0; k < width; ++k) units[u] += double(x[row * width + k]) * weight1[u * width + k];
        }
        for (int i = 0; i < width; ++i) {
          double sum = 0, scale = 0;
          for (int h = 0; h < hidden; ++h) {
            const double let_through = units[h] / (1 + std::exp(-units[h])) * units[hidden + h];
            sum += let_through * weight2[i * hidden + h];
            scale += width * width;  // gate and value are sums of `width` terms below 1
          }
          ASSERT_NEAR(out[row * width + i], sum, kEps * (width + hidden + 8) * scale);
        }
      }
    }
  }
}

TEST(RunSteps, AppliesActivationsAndTheHyperbolicTangent) {
  for (const int width : kSizes) {
    const Floats x = randomFloats(2 * width, 1, 5);
    Floats silu(x.size(), NAN), tangent(x.size(), NAN);
    Step first = stepOf(StepAction::kActivate, 2, width), second = stepOf(StepAction::kTanh, 2, width);
    first.option = static_cast<int>(Activation::kSilu);
    first.x = second.x = x.data();
    first.out = silu.data();
    second.out = tangent.data();
    runAll({first, second});
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(silu[i], x[i] / (1 + std::exp(-double(x[i]))), kEps * 5 * 4);  // 4 roundings of up to 5
      ASSERT_NEAR(tangent[i], std::tanh(double(x[i])), kEps * 4);
    }
  }
}

TEST(RunSteps, MakesRotaryTablesBehindThePastAndRotatesByThem) {
  const int batch = 2, tokens = 3, heads = 2, width = 10, past = 7;
  std::vector<double> frequencies(sinusoidalFrequenciesSize(8));
  for (const int rotary : {2, 4, 8}) {
    sinusoidalFrequencies(frequencies.data(), rotary, 10000);
    for (const bool own : {false, true}) {
      const std::vector<double> positions{5, 0, 3, 2, 9, 4};
      const int table_rows = own ? batch * tokens : tokens;
      Floats table(table_rows * rotary, NAN), x = randomFloats(batch * tokens * heads * width, 1);
      const Floats before = x;
      RotaryTableArgs args{};
      args.offset = 100;
      args.amplitude = 1;
      args.frequencies = frequencies.data();
      args.positions = own ? positions.data() : nullptr;
      args.out = table.data();
      args.rows = table_rows;
      args.dim = rotary;
      Step angles = stepOf(StepAction::kRotaryTable, 0, 0);
      angles.args = &args;
      Step turn = stepOf(StepAction::kRotate, batch * tokens, width, heads);
      turn.y = table.data();
      turn.out = x.data();
      turn.batch = batch;
      turn.stride = rotary;
      turn.option = own ? tokens * rotary : 0;
      runAll({angles, turn}, past);
      for (int token = 0; token < batch * tokens; ++token) {
        const double position = own ? positions[token] : 100 + past + token % tokens;
        for (int h = 0; h < heads; ++h) {
          const int row = (token * heads + h) * width;
          for (int e = 0; e < width; ++e) {
            if (e >= rotary) {
              ASSERT_EQ(x[row + e], before[row + e]);
              continue;
            }
            const int pair = e % (rotary / 2);
            const double angle = position * std::pow(10000.0, -2.0 * pair / rotary);
            const double a = before[row + pair], b = before[row + pair + rotary / 2];
            const double expected =
                e < rotary / 2 ? a * std::cos(angle) - b * std::sin(angle) : b * std::cos(angle) + a * std::sin(angle);
            ASSERT_NEAR(x[row + e], expected, kEps * 8) << "token " << token << ", component " << e;
          }
        }
      }
    }
  }
}

TEST(RunSteps, AppendsHeadsToTheCache) {
  const int batch = 2, tokens = 3, heads = 2, width = 5, capacity = 9, past = 4;
  const Floats x = randomFloats(batch * tokens * heads * width, 1);
  Floats cache(batch * heads * capacity * width, -7);
  Step step = stepOf(StepAction::kAppend, batch * tokens, width, heads);
  step.x = x.data();
  step.out = cache.data();
  step.batch = batch;
  step.stride = capacity;
  runAll({step}, past);
  for (int b = 0; b < batch; ++b) {
    for (int h = 0; h < heads; ++h) {
      for (int t = 0; t < capacity; ++t) {
        for (int e = 0; e < width; ++e) {
          const bool is_new = t >= past && t < past + tokens;
          const int from = ((b * tokens + t - past) * heads + h) * width + e;
          ASSERT_EQ(cache[((b * heads + h) * capacity + t) * width + e], is_new ? x[from] : -7);
        }
      }
    }
  }
}

TEST(RunSteps, AttendsToThePast) {
  for (const int queries : {1, 2, 9}) {
    for (const int past : {0, 1, 6, 40}) {
      AttentionChoices choices;
      choices.weights = true;
      AttentionProblem problem({2, 4, 2, queries, past + queries, 8, 8}, choices, 1);
      AttentionArgs args = problem.args();
      args.keys = 0;  // not known when the step is made
      Step step = stepOf(StepAction::kAttend, 0, 0);
      step.args = &args;
      runAll({step}, past);
      expectAgreement(problem);
    }
  }
}

TEST(RunSteps, TakesTheSoftmaxOfChangedScores) {
  for (const int queries : {1, 4, 9}) {
    for (const int past : {0, 5}) {
      const int keys = past + queries;
      Floats x = randomFloats(6 * keys, 1, 3);
      x[0] = -INFINITY;
      Floats out(x.size(), NAN);
      Step step = stepOf(StepAction::kSoftmax, 6, queries);
      step.x = x.data();
      step.out = out.data();
      runAll({step}, past);
      for (int row = 0; row < 6; ++row) {
        double total = 0;
        for (int k = 0; k < keys; ++k) total += std::exp(double(x[row * keys + k]));
        for (int k = 0; k < keys; ++k) {
          const double expected = total == 0 ? 0 : std::exp(double(x[row * keys + k])) / total;
          ASSERT_NEAR(out[row * keys + k], expected, kEps * (keys + 8));
        }
      }
    }
  }
}

TEST(RunSteps, MixesValuesByChangedWeights) {
  for (const int queries : {1, 3}) {
    const int past = 4, keys = past + queries, batch = 2, heads = 4, width = 7;
    AttentionProblem problem({batch, heads, 2, queries, keys, 3, width}, {}, 1);
    Floats weights = randomFloats(static_cast<size_t>(batch) * heads * queries * keys, 9);
    // No query sees the first key, whose values may be anything.
    for (size_t i = 0; i < weights.size(); i += keys) weights[i] = 0;
    for (int kv = 0; kv < batch * 2; ++kv) problem.value[kv * keys * width] = NAN;
    std::fill(problem.output.begin(), problem.output.end(), NAN);
    AttentionArgs args = problem.args();
    args.keys = 0;
    Step step = stepOf(StepAction::kMix, 0, 0);
    step.x = weights.data();
    step.args = &args;
    runAll({step}, past);
    for (int i = 0; i < batch * heads * queries; ++i) {
      const int head = i / queries, b = head / heads, kv = b * 2 + head % heads / 2;
      for (int e = 0; e < width; ++e) {
        double sum = 0;
        for (int k = 1; k < keys; ++k)
          sum += double(weights[i * keys + k]) * problem.value[(kv * keys + k) * width + e];
        ASSERT_NEAR(problem.outputAt(b, head % heads, i % queries, e), sum, kEps * 2 * keys * 2);  // values up to 2
      }
    }
  }
}

TEST(RunSteps, SilencesAHead) {
  const Floats before = randomFloats(4 * 12, 1);
  Floats x = before;
  Step step = stepOf(StepAction::kSilence, 4, 3);
  step.out = x.data() + 6;
  step.stride = 12;
  runAll({step});
  for (int i = 0; i < 4 * 12; ++i) ASSERT_EQ(x[i], i % 12 >= 6 && i % 12 < 9 ? 0 : before[i]);
}

}  // namespace
}  // namespace wasm_attention
