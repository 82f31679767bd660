// Attention's gradients, additive attention, convolutions, RNNs and blocks give the same bits on any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "additive_tensors.h"
#include "attention.h"
#include "attention_problem.h"
#include "block_layer.h"
#include "random.h"
#include "sequence_layers.h"
#include "threads/bits.h"

namespace wasm_attention {
namespace {

TEST(Threads, ChangeNoBitOfAttentionGradients) {
  for (int queries : {1, 33, 129}) {
    for (int keys : {7, 300}) {
      for (const bool packed : {false, true}) {
        AttentionChoices choices;
        choices.windowRight = 0;
        choices.sinks = true;
        choices.packed = packed;
        const AttentionProblem problem({3, 4, 2, queries, keys, 9, 5}, choices, 5);
        const Floats g = randomFloats(problem.output.size(), 6);
        expectSameBits(sizes({queries, keys, packed}), [&] {
          AttentionGradArgs args{};
          args.attention = problem.args();
          args.gradOutput = g.data();
          Floats query(problem.query.size()), key(problem.key.size()), value(problem.value.size()), sinks(4);
          args.gradQuery = query.data();
          args.gradKey = key.data();
          args.gradValue = value.data();
          args.gradSinks = sinks.data();
          Floats scratch(scaledDotProductAttentionBackwardScratch(args));
          scaledDotProductAttentionBackward(args, scratch.data());
          return Results{query, key, value, sinks};
        });
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfAdditiveAttention) {
  for (int keys : {1, 16, 70}) {
    for (int hiddens : {1, 16, 37}) {
      AdditiveAttentionArgs args{};
      args.batch = 2;
      args.queries = 5;
      args.keys = keys;
      args.queryWidth = 3;
      args.keyWidth = 4;
      args.valueWidth = 19;
      args.hiddens = hiddens;
      AdditiveTensors<float> inputs;
      for (const size_t count : additiveCounts(args)) inputs.push_back(randomFloats(count, 10 + inputs.size()));
      wasm_attention::bindTensors(args, inputs);  // not std::bind
      std::vector<int32_t> valid;
      for (int i = 0; i < args.batch * args.queries; ++i) valid.push_back(i * 3 % (keys + 1));
      args.valid = valid.data();
      const Floats g = randomFloats(args.batch * args.queries * args.valueWidth, 20);
      expectSameBits(sizes({keys, hiddens}), [&] {
        AdditiveAttentionArgs forward = args;
        Floats scratch(additiveAttentionScratch(args)), output(g.size());
        Floats weights(args.batch * args.queries * keys);
        forward.output = output.data();
        forward.weights = weights.data();
        additiveAttention(forward, scratch.data());
        Results found{output, weights};
        AdditiveAttentionGradArgs back{};
        back.attention = forward;
        Floats working(additiveAttentionBackwardScratch(back));
        back.gradOutput = g.data();
        AdditiveTensors<float> gradients;
        for (const size_t count : additiveCounts(args)) gradients.emplace_back(count);
        bindGradients(back, gradients);
        additiveAttentionBackward(back, working.data());
        found.insert(found.end(), gradients.begin(), gradients.end());
        return found;
      });
    }
  }
}

TEST(Threads, ChangeNoBitOfConvolutionsAndRnns) {
  for (int length : {5, 70, 600}) {
    for (int width : {3, 16, 33}) {
      const int batch = 2, kernel = 3;
      const Floats x = randomFloats(batch * width * length, 1, 0.5f), bias = randomFloats(width, 3);
      const Floats taps = randomFloats(width * width * kernel, 2), square = randomFloats(width * width, 4, 0.1f);
      expectSameBits(sizes({length, width}), [&] {
        const Conv1dArgs convolution = conv1dSizes(batch, width, width, length, kernel, 1, 1, 1, 1);
        RnnArgs recurrence = rnnSizes(batch, length, width, width, false);
        recurrence.x = x.data();
        recurrence.weightIh = recurrence.weightHh = square.data();
        recurrence.biasIh = bias.data();
        return Results{runConv1d(convolution, x.data(), taps.data(), bias.data()), runRnn(recurrence)};
      });
    }
  }
}

TEST(Threads, ChangeNoBitOfABlock) {
  // With few sequences, threads share each step; with many, each thread computes some of them, with one or a few rows
  // in its products.
  for (const int batch : {1, 3, 9, 70}) {
    for (const int tokens : {1, 5, 33}) {
      for (const bool modern : {false, true}) {
        // A post-norm decoder layer, and a layer as in language models.
        BlockCase c{modern,         0.2f, true,   modern ? 6 : 0, batch,  tokens,        2, 6, 19,
                    modern ? 1 : 2, 12,   modern, modern,         modern, modern ? 0 : 7};
        if (modern) c.activation = Activation::kSilu;
        BlockLayer layer(c);
        const Floats x = randomFloats(batch * tokens * c.width, 1), g = randomFloats(x.size(), 2);
        expectSameBits(sizes({batch, tokens, modern}), [&] {
          Results results{layer.forward(x)};
          for (Floats& gradient : layer.backward(x, g)) results.push_back(std::move(gradient));
          return results;
        });
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
