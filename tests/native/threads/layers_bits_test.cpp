// What layers are made of gives the same bits on any number of threads, at sizes around the vector width and the parts of a loop.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "additive_tensors.h"
#include "attention.h"
#include "layers/dropout.h"
#include "layers/layer_norm.h"
#include "random.h"
#include "threads/pool.h"

namespace wasm_attention {
namespace {

using Floats = std::vector<float>;
using Results = std::vector<Floats>;

void expectSameBits(const std::string& what, const std::function<Results()>& compute) {
  const Results alone = with(1, compute);
  for (const Floats& result : alone) {
    for (const float x : result) ASSERT_TRUE(std::isfinite(x)) << what;
  }
  for (int threads : {2, 3, 4}) ASSERT_EQ(with(threads, compute), alone) << what << ", " << threads << " threads";
}

std::string sizes(std::initializer_list<int> all) {
  std::string text;
  for (const int n : all) text += std::to_string(n) + " ";
  return text;
}

TEST(Threads, ChangeNoBitOfAWeightsGradient) {
  for (int rows : {1, 7, 300}) {
    for (int inputs : {1, 15, 33, 130}) {
      for (int outputs : {1, 17, 66}) {
        const Floats x = randomFloats(rows * inputs, 1), weight = randomFloats(outputs * inputs, 2);
        const Floats g = randomFloats(rows * outputs, 3);
        expectSameBits(sizes({rows, inputs, outputs}), [&] {
          Floats scratch(linearBackwardScratch(rows, inputs, outputs)), grad_x(x.size());
          Floats grad_weight = randomFloats(weight.size(), 4), grad_bias = randomFloats(outputs, 5);
          linearBackward(g.data(), x.data(), weight.data(), scratch.data(), grad_x.data(), grad_weight.data(),
                         grad_bias.data(), rows, inputs, outputs);
          return Results{grad_x, grad_weight, grad_bias};
        });
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfAFeedForwardNetwork) {
  for (const Activation activation : {Activation::kRelu, Activation::kGelu, Activation::kGeluTanh}) {
    for (int rows : {1, 5, 300}) {
      for (int hidden_width : {3, 34}) {
        const int width = 18;
        const Floats x = randomFloats(rows * width, 1), g = randomFloats(rows * width, 2);
        const Floats weight1 = randomFloats(hidden_width * width, 3), weight2 = randomFloats(width * hidden_width, 4);
        const Floats bias1 = randomFloats(hidden_width, 5), bias2 = randomFloats(width, 6);
        expectSameBits(sizes({rows, hidden_width}), [&] {
          Floats packed1(packWeightSize(width, hidden_width)), packed2(packWeightSize(hidden_width, width));
          packWeight(weight1.data(), packed1.data(), width, hidden_width);
          packWeight(weight2.data(), packed2.data(), hidden_width, width);
          Floats hidden(rows * hidden_width), out(rows * width), scratch(feedForwardScratch(rows, hidden_width));
          feedForward(x.data(), packed1.data(), bias1.data(), packed2.data(), bias2.data(), hidden.data(),
                      scratch.data(), out.data(), rows, width, hidden_width, activation, 7, 0.3f);
          Floats working(feedForwardBackwardScratch(rows, width, hidden_width)), grad_x(x.size());
          Results grads{Floats(weight1.size()), Floats(bias1.size()), Floats(weight2.size()), Floats(bias2.size())};
          feedForwardBackward(g.data(), x.data(), hidden.data(), weight1.data(), weight2.data(), working.data(),
                              grad_x.data(), grads[0].data(), grads[1].data(), grads[2].data(), grads[3].data(), rows,
                              width, hidden_width, activation, 7, 0.3f);
          grads.insert(grads.end(), {hidden, out, grad_x});
          return grads;
        });
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfANorm) {
  for (int rows : {1, 6, 513, 1030}) {
    for (int dim : {1, 4, 17, 67}) {
      for (const bool affine : {true, false}) {
        for (const bool keeps : {true, false}) {
          const Floats x = randomFloats(rows * dim, 1), g = randomFloats(rows * dim, 2);
          const Floats weight = randomFloats(dim, 3), bias = randomFloats(dim, 4);
          expectSameBits(sizes({rows, dim, affine, keeps}), [&] {
            std::vector<Moments> moments(rows);
            Moments* const kept = keeps ? moments.data() : nullptr;
            Floats out(x.size()), gradient = g, grad_weight = randomFloats(dim, 5), grad_bias = randomFloats(dim, 6);
            normRows(x.data(), affine ? weight.data() : nullptr, bias.data(), out.data(), kept, rows, dim, 1e-5f);
            // In place, as layers do it.
            normRowsBackward(gradient.data(), x.data(), kept, affine ? weight.data() : nullptr, gradient.data(),
                             grad_weight.data(), grad_bias.data(), rows, dim, 1e-5f);
            return Results{out, gradient, grad_weight, grad_bias};
          });
        }
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfDropoutAndSums) {
  for (int rows : {1, 9, 100}) {
    for (int dim : {1, 5, 33}) {
      const Floats x = randomFloats(rows * dim, 1), y = randomFloats(rows * dim, 2);
      expectSameBits(sizes({rows, dim}), [&] {
        Floats dropped(x.size()), added = y, plain = y, copied(x.size());
        dropRows(x.data(), dropped.data(), rows, dim, 3, {11, 0.4f});
        dropRows(x.data(), copied.data(), rows, dim, 3, {11, 0.0f});
        addDropped(x.data(), added.data(), rows, dim, 3, {11, 0.4f});
        addInPlace(x.data(), plain.data(), x.size());
        return Results{dropped, added, plain, copied};
      });
    }
  }
}

TEST(Threads, ChangeNoBitOfAnEmbeddingAndItsStep) {
  for (int count : {1, 40, 200}) {
    for (int dim : {1, 18, 65}) {
      const int table_rows = 7;
      std::vector<int32_t> ids(count);
      for (int i = 0; i < count; ++i) ids[i] = i * 5 % table_rows;
      const Floats table = randomFloats(table_rows * dim, 1), g = randomFloats(count * dim, 2);
      expectSameBits(sizes({count, dim}), [&] {
        Floats out(g.size()), gradient(table.size()), parameter = table, mean(table.size()), square(table.size());
        embedding(ids.data(), table.data(), out.data(), count, dim);
        embeddingBackward(g.data(), ids.data(), gradient.data(), count, dim);
        adam(parameter.data(), gradient.data(), mean.data(), square.data(), static_cast<int>(table.size()), 0.9, 0.999,
             0.01, 0.03, 1e-8, 0.1);
        return Results{out, gradient, parameter, mean, square};
      });
    }
  }
}

TEST(Threads, ChangeNoBitOfTurnedHeads) {
  for (int tokens : {1, 64, 65, 200}) {
    const int batch = 2, heads = 3, width = 12, rotary_width = 8;
    const Floats gradient = randomFloats(batch * tokens * heads * width, 1);
    const Floats table = randomFloats(batch * tokens * rotary_width, 2);
    for (const bool interleaved : {false, true}) {
      for (const int table_batch : {0, tokens * rotary_width}) {
        expectSameBits(sizes({tokens, interleaved, table_batch}), [&] {
          Floats turned = gradient;
          rotateHeadsBackward(turned.data(), table.data(), table_batch, batch, tokens, heads, width, rotary_width,
                              interleaved);
          return Results{turned};
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
      wasm_attention::bind(args, inputs);  // not std::bind
      std::vector<int32_t> valid;
      for (int i = 0; i < args.batch * args.queries; ++i) valid.push_back(i * 3 % (keys + 1));
      args.valid = valid.data();
      const Floats g = randomFloats(args.batch * args.queries * args.valueWidth, 20);
      expectSameBits(sizes({keys, hiddens}), [&] {
        AdditiveAttentionArgs forward = args;
        Floats scratch(additiveAttentionScratch(args)), output(g.size());
        Floats weights(args.batch * args.queries * keys);
        forward.scratch = scratch.data();
        forward.output = output.data();
        forward.weights = weights.data();
        additiveAttention(forward);
        Results found{output, weights};
        Floats working(additiveAttentionBackwardScratch(args));
        forward.scratch = working.data();
        AdditiveAttentionGradArgs back{};
        back.attention = forward;
        back.gradOutput = g.data();
        AdditiveTensors<float> gradients;
        for (const size_t count : additiveCounts(args)) gradients.emplace_back(count);
        bindGradients(back, gradients);
        additiveAttentionBackward(back);
        found.insert(found.end(), gradients.begin(), gradients.end());
        return found;
      });
    }
  }
}

TEST(Threads, ChangeNoBitOfConvolutionsAndRecurrentLayers) {
  for (int length : {5, 70, 600}) {
    for (int width : {3, 16, 33}) {
      const int batch = 2, kernel = 3;
      const Floats x = randomFloats(batch * width * length, 1, 0.5f), bias = randomFloats(width, 3);
      const Floats taps = randomFloats(width * width * kernel, 2), square = randomFloats(width * width, 4, 0.1f);
      expectSameBits(sizes({length, width}), [&] {
        Floats scratch(conv1dScratch(width, width, length, kernel, 1)), out(x.size());
        conv1d(x.data(), taps.data(), bias.data(), scratch.data(), out.data(), batch, width, width, length, kernel, 1,
               1, 1, 1);
        Floats working(rnnScratch(batch, width, width)), states(x.size());
        rnn(x.data(), square.data(), square.data(), bias.data(), nullptr, nullptr, working.data(), states.data(), batch,
            length, width, width, false);
        return Results{out, states};
      });
    }
  }
}

}  // namespace
}  // namespace wasm_attention
