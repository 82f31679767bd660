// Every kind of step against plain loops in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "attention.h"
#include "attention/cache_rows.h"
#include "expect_attention.h"
#include "layer_oracles.h"
#include "layers/dropout.h"
#include "linear_layers.h"
#include "positions.h"
#include "random.h"
#include "step_list.h"

namespace wasm_attention {
namespace {

constexpr double kEps = 1.2e-7;  // float32's
const int kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33};

template <typename Args>
void runStep(StepAction action, const Args& args, int past = 0) {
  StepList().append(action, args).run(past);
}

TEST(RunSteps, EmbedsFromTablesAndPackedWeights) {
  for (const int width : kSizes) {
    for (const int all : {1, 5, 8, 9, 20}) {
      const Floats table = randomFloats(static_cast<size_t>(all) * width, 2);
      const Floats packed = packedOf(table, width, all);
      const std::vector<int32_t> ids{all - 1, 0, all / 2, all - 1};
      for (const bool is_packed : {false, true}) {
        Floats out(ids.size() * width, NAN);
        runStep(StepAction::kEmbedding,
                EmbeddingArgs{ids.data(), is_packed ? packed.data() : table.data(), out.data(),
                              static_cast<int>(ids.size()), width, is_packed ? all : 0, WeightType::kFloat32});
        for (size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i], table[ids[i / width] * width + i % width]) << all << "x" << width << " at " << i;
        }
      }
    }
  }
}

TEST(RunSteps, AddsWithAndWithoutDropout) {
  for (const int width : kSizes) {
    const Floats x = randomFloats(3 * width, 1), y = randomFloats(3 * width, 2);
    for (const float dropout : {0.0f, 0.4f}) {
      Floats out(3 * width, NAN), in_place = y, dropped = y;
      runStep(StepAction::kAdd, AddArgs{x.data(), y.data(), out.data(), 3, width, 7, dropout});
      runStep(StepAction::kAdd, AddArgs{x.data(), in_place.data(), in_place.data(), 3, width, 7, dropout});
      dropRows(y.data(), dropped.data(), 3, width, 0, {7, dropout});
      for (int i = 0; i < 3 * width; ++i) ASSERT_EQ(out[i], x[i] + dropped[i]);
      ASSERT_EQ(in_place, out);
    }
  }
}

TEST(RunSteps, MapsLinearly) {
  for (const int inputs : kSizes) {
    for (const int outputs : kSizes) {
      for (const bool has_bias : {false, true}) {
        const Floats x = randomFloats(3 * inputs, 1), weight = randomFloats(static_cast<size_t>(inputs) * outputs, 2);
        const Floats packed = packedOf(weight, inputs, outputs), bias = randomFloats(has_bias ? outputs : 0, 3);
        Floats out(3 * outputs, NAN);
        runStep(StepAction::kLinear, LinearArgs{x.data(), packed.data(), has_bias ? bias.data() : nullptr, out.data(),
                                                3, inputs, outputs, WeightType::kFloat32});
        const Doubles expected = linear64(doubles(x), doubles(weight), doubles(bias), inputs, outputs);
        // `inputs` + 1 terms below 1, each rounded once.
        for (int i = 0; i < 3 * outputs; ++i) ASSERT_NEAR(out[i], expected[i], kEps * (inputs + 1));
      }
    }
  }
}

TEST(RunSteps, NormalisesRows) {
  constexpr float kNormEps = 1e-5f;
  for (const int width : kSizes) {
    const Floats x = randomFloats(3 * width, 1, 2), weight = randomFloats(width, 2), bias = randomFloats(width, 3);
    for (const Norm norm : {Norm::kLayer, Norm::kRms}) {
      Floats out(3 * width, NAN);
      runStep(StepAction::kNorm, NormArgs{x.data(), weight.data(), bias.data(), out.data(), 3, width, norm, kNormEps});
      double steepest = 0;
      const Doubles expected =
          norm64(doubles(x), doubles(weight), doubles(bias), norm == Norm::kRms, kNormEps, &steepest);
      // Each sum has `width` terms, and the division multiplies the mean's error by 1 / deviation.
      for (int i = 0; i < 3 * width; ++i) {
        ASSERT_NEAR(out[i], expected[i], kEps * (width + 8) * 2 * (norm == Norm::kRms ? 1 : steepest));
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
      runStep(StepAction::kFeedForward, args);
      const Doubles expected =
          feedForward64(doubles(x), doubles(weight1), {}, doubles(weight2), {}, width, hidden, true, Activation::kSilu);
      // Gates and values are sums of `width` terms below 1.
      const double tolerance = kEps * (width + hidden + 8) * hidden * width * width;
      for (int i = 0; i < rows * width; ++i) ASSERT_NEAR(out[i], expected[i], tolerance);
    }
  }
}

TEST(RunSteps, NormalisesRowsWithoutABias) {
  constexpr float kNormEps = 1e-5f;
  for (const int width : {2, 5, 8, 33}) {
    const Floats x = randomFloats(3 * width, 1, 2), weight = randomFloats(width, 2), zeros(width, 0.0f);
    Floats out(3 * width, NAN), with_zeros(3 * width, NAN);
    runStep(StepAction::kNorm,
            NormArgs{x.data(), weight.data(), nullptr, out.data(), 3, width, Norm::kLayer, kNormEps});
    runStep(StepAction::kNorm,
            NormArgs{x.data(), weight.data(), zeros.data(), with_zeros.data(), 3, width, Norm::kLayer, kNormEps});
    ASSERT_EQ(out, with_zeros);
  }
}

TEST(RunSteps, NormalisesRowsWithSeveralWeightsInTurn) {
  constexpr float kNormEps = 1e-5f;
  const int weights = 3, rows = 2 * weights;
  for (const int width : kSizes) {
    const Floats x = randomFloats(static_cast<size_t>(rows) * width, 1, 2), weight = randomFloats(weights * width, 2);
    for (const Norm norm : {Norm::kLayer, Norm::kRms}) {
      Floats out(x.size(), NAN), alone(x.size(), NAN);
      runStep(StepAction::kNorm,
              NormArgs{x.data(), weight.data(), nullptr, out.data(), rows, width, norm, kNormEps, weights});
      for (int row = 0; row < rows; ++row) {
        runStep(StepAction::kNorm, NormArgs{x.data() + row * width, weight.data() + row % weights * width, nullptr,
                                            alone.data() + row * width, 1, width, norm, kNormEps});
      }
      ASSERT_EQ(out, alone);
    }
  }
}

TEST(RunSteps, AppliesActivations) {
  for (const int width : kSizes) {
    for (const bool gated : {false, true}) {
      const Floats x = randomFloats((gated ? 4 : 2) * width, 1, 5);
      Floats silu(2 * width, NAN);
      FeedForwardArgs args{};
      args.hidden = const_cast<float*>(x.data());
      args.out = silu.data();
      args.rows = 2;
      args.hiddenWidth = width;
      args.gated = gated;
      args.activation = Activation::kSilu;
      runStep(StepAction::kActivate, args);
      for (int i = 0; i < 2 * width; ++i) {
        const float* const gate = &x[gated ? i / width * 2 * width + i % width : i];
        const double value = gated ? gate[width] : 1;
        // 5 roundings of up to 5 * 5.
        ASSERT_NEAR(silu[i], activate64(Activation::kSilu, *gate).value * value, kEps * 25 * 5);
      }
    }
  }
}

// Hooks between the steps of a feed-forward network rely on this.
TEST(RunSteps, ComputesFeedForwardStepByStepToTheBit) {
  const int width = 37, hiddens = 45;
  for (const WeightType type : {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8, WeightType::kInt8Fine}) {
    for (const bool gated : {false, true}) {
      const int inner = gated ? 2 * hiddens : hiddens;
      const Floats bias1 = randomFloats(inner, 3), bias2 = randomFloats(width, 4);
      const Floats packed1 = packedOf(randomFloats(size_t(inner) * width, 5), width, inner, type);
      const Floats packed2 = packedOf(randomFloats(size_t(width) * hiddens, 6), hiddens, width, type);
      for (const int rows : {1, 2, 128, 129, 261}) {
        const Floats x = randomFloats(size_t(rows) * width, 7);
        Floats hidden(size_t(rows) * inner, NAN), active(size_t(rows) * hiddens, NAN), out(x.size(), NAN), once = out;
        const FeedForwardArgs all{x.data(),         packed1.data(), bias1.data(), packed2.data(), bias2.data(), nullptr,
                                  once.data(),      rows,           width,        hiddens,        gated,        type,
                                  Activation::kGelu};
        FeedForwardArgs activation = all;
        activation.hidden = hidden.data();
        activation.out = active.data();
        const LinearArgs up{x.data(), packed1.data(), bias1.data(), hidden.data(), rows, width, inner, type};
        const LinearArgs down{active.data(), packed2.data(), bias2.data(), out.data(), rows, hiddens, width, type};
        runStep(StepAction::kFeedForward, all);
        StepList()
            .append(StepAction::kLinear, up)
            .append(StepAction::kActivate, activation)
            .append(StepAction::kLinear, down)
            .run();
        ASSERT_EQ(out, once) << rows << " rows, gated " << gated << ", type " << static_cast<int>(type);
      }
    }
  }
}

TEST(RunSteps, ScalesAndCaps) {
  const float factor = 1.7f;
  for (const int width : kSizes) {
    const Floats x = randomFloats(3 * width, 1, 5);
    for (const float softcap : {0.0f, 1.0f, 3.0f}) {
      Floats out(x.size(), NAN), in_place = x;
      runStep(StepAction::kScale, ScaleArgs{x.data(), out.data(), 3, width, factor, softcap});
      runStep(StepAction::kScale, ScaleArgs{in_place.data(), in_place.data(), 3, width, factor, softcap});
      for (size_t i = 0; i < x.size(); ++i) {
        const double scaled = double{factor} * x[i];
        // 3 roundings, and those of tanh (simd/tanh.h), of up to 9.
        ASSERT_NEAR(out[i], softcap > 0 ? softcap * std::tanh(scaled / softcap) : scaled, kEps * 9 * 6);
      }
      ASSERT_EQ(in_place, out);
    }
  }
}

TEST(RunSteps, ComputesRotaryTablesAfterThePastAndRotatesByThem) {
  const int batch = 2, tokens = 3, heads = 2, width = 10, past = 7;
  for (const int rotary : {2, 4, 8}) {
    std::vector<double> frequencies(sinusoidalFrequenciesSize(rotary));
    sinusoidalFrequencies(frequencies.data(), rotary, 10000);
    for (const bool own : {false, true}) {
      const std::vector<double> positions{5, 0, 3, 2, 9, 4};
      const int rows = own ? batch * tokens : tokens;
      Floats table(rows * rotary, NAN), x = randomFloats(batch * tokens * heads * width, 1);
      RotaryTableArgs angles{};
      angles.offset = 100;
      angles.amplitude = 1;
      angles.frequencies = frequencies.data();
      angles.positions = own ? positions.data() : nullptr;
      angles.out = table.data();
      angles.rows = rows;
      angles.dim = rotary;
      const RotaryArgs turn{x.data(),
                            table.data(),
                            x.data(),
                            batch,
                            heads,
                            tokens,
                            width,
                            rotary,
                            sideBySide(tokens, heads, width),
                            own ? tokens * rotary : 0,
                            0};
      Doubles expected = doubles(x);
      StepList().append(StepAction::kRotaryTable, angles).append(StepAction::kRotary, turn).run(past);
      ASSERT_EQ(table,
                tableOfRotations(frequencies, own ? positions : std::vector<double>(), rows, rotary, 100 + past, 1));
      rotate64(expected.data(), turn);
      for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], kEps * 2) << i;
    }
  }
}

// cache_rows_test.cpp compares appendTokens with its definition.
TEST(RunSteps, AppendsHeadsToTheCache) {
  const int batch = 2, tokens = 3, heads = 2, width = 5, capacity = 9, past = 3, length = 1;
  const Floats x = randomFloats(batch * tokens * heads * width, 1);
  for (const WeightType type : {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8}) {
    Floats cache(batch * heads * capacity * cacheRowSize(width, type), -7), expected = cache;
    runStep(StepAction::kAppend,
            AppendArgs{x.data(), cache.data(), batch, tokens, heads, width, length, capacity, type}, past);
    appendTokens(x.data(), heads * width, batch, tokens,
                 {expected.data(), length + past, capacity, heads, width, type});
    ASSERT_EQ(std::memcmp(cache.data(), expected.data(), cache.size() * sizeof(float)), 0);
  }
}

TEST(RunSteps, HasWorkingMemoryForAllItsSteps) {
  for (const bool attends_first : {false, true}) {
    AttentionProblem problem({2, 4, 2, 20, 40, 8, 8}, {}, 1);
    const Floats x = randomFloats(3 * 33, 1), weight = randomFloats(33 * 65, 2), packed = packedOf(weight, 33, 65);
    Floats out(3 * 65, NAN);
    const LinearArgs linear{x.data(), packed.data(), nullptr, out.data(), 3, 33, 65, WeightType::kFloat32};
    std::fill(problem.output.begin(), problem.output.end(), NAN);
    StepList steps;
    if (attends_first) steps.append(StepAction::kAttention, problem.args());
    steps.append(StepAction::kLinear, linear);
    if (!attends_first) steps.append(StepAction::kAttention, problem.args());
    steps.run();
    expectAgreement(problem);
    ASSERT_EQ(out, linearOf(x, packed, nullptr, 33, 65));
  }
}

TEST(RunSteps, AttendsToThePast) {
  for (const int queries : {1, 2, 9}) {
    for (const int past : {0, 1, 6, 40}) {
      AttentionChoices choices;
      choices.weights = true;
      AttentionProblem problem({2, 4, 2, queries, past + queries, 8, 8}, choices, 1);
      AttentionArgs args = problem.args();
      args.keys = queries;
      runStep(StepAction::kAttention, args, past);
      expectAgreement(problem);
    }
  }
}

TEST(RunSteps, TakesTheSoftmaxOfChangedScores) {
  const int batch = 2, heads = 3;
  const Floats sinks = {0.5f, -INFINITY, 200};
  for (const int queries : {1, 4, 9}) {
    for (const int past : {0, 5}) {
      for (const float* const sink : {static_cast<const float*>(nullptr), sinks.data()}) {
        const int keys = past + queries, rows = batch * heads * queries;
        Floats x = randomFloats(rows * keys, 1, 3);
        std::fill_n(x.begin(), keys, -INFINITY);
        x[keys] = -INFINITY;
        Floats out(x.size(), NAN);
        runStep(StepAction::kSoftmax, SoftmaxArgs{x.data(), out.data(), batch, heads, queries, queries, sink}, past);
        for (int row = 0; row < rows; ++row) {
          double total = sink ? std::exp(double(sinks[row / queries % heads])) : 0;
          for (int k = 0; k < keys; ++k) total += std::exp(double(x[row * keys + k]));
          for (int k = 0; k < keys; ++k) {
            const double expected = total == 0 ? 0 : std::exp(double(x[row * keys + k])) / total;
            ASSERT_NEAR(out[row * keys + k], expected, kEps * (keys + 8));
          }
        }
      }
    }
  }
}

TEST(RunSteps, MixesValuesByChangedWeights) {
  for (const WeightType type : {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8}) {
    for (const int queries : {1, 3}) {
      const int past = 4, keys = past + queries, batch = 2, heads = 4, width = 7;
      AttentionProblem problem({batch, heads, 2, queries, keys, 3, width}, {}, 1);
      Floats weights = randomFloats(static_cast<size_t>(batch) * heads * queries * keys, 9);
      // No query sees the first key, so its values may be anything.
      for (size_t i = 0; i < weights.size(); i += keys) weights[i] = 0;
      for (int kv = 0; kv < batch * 2; ++kv) problem.value[kv * keys * width] = NAN;
      std::fill(problem.output.begin(), problem.output.end(), NAN);
      const int row = static_cast<int>(cacheRowSize(width, type)), rows = batch * 2 * keys;
      Floats cache(rows * row);
      for (int i = 0; i < rows; ++i) packCacheRow(&problem.value[i * width], width, type, &cache[i * row]);
      unpackCacheRows(cache.data(), row, rows, width, type, problem.value.data());
      AttentionArgs args = problem.args();
      args.keys = queries;
      args.weights = weights.data();
      args.value = cache.data();
      args.valueStrides = {2 * keys * row, keys * row, row};
      args.keyType = args.valueType = type;
      runStep(StepAction::kMixValues, args, past);
      for (int i = 0; i < batch * heads * queries; ++i) {
        const int head = i / queries, b = head / heads, kv = b * 2 + head % heads / 2;
        for (int e = 0; e < width; ++e) {
          double sum = 0;
          for (int k = 1; k < keys; ++k) {
            sum += double(weights[i * keys + k]) * problem.value[(kv * keys + k) * width + e];
          }
          ASSERT_NEAR(problem.outputAt(b, head % heads, i % queries, e), sum, kEps * 2 * keys * 2);  // values up to 2
        }
      }
    }
  }
}

TEST(RunSteps, SetsAHeadToZero) {
  const Floats before = randomFloats(4 * 12, 1);
  Floats x = before;
  runStep(StepAction::kZeroHead, ZeroHeadArgs{x.data() + 6, 4, 3, 12});
  for (int i = 0; i < 4 * 12; ++i) ASSERT_EQ(x[i], i % 12 >= 6 && i % 12 < 9 ? 0 : before[i]);
}

}  // namespace
}  // namespace wasm_attention
