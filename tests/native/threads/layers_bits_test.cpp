// The layers' kernels give the same bits on any number of threads, at sizes around the vector width and a loop's parts.
#include <gtest/gtest.h>

#include <vector>

#include "attention.h"
#include "layer_oracles.h"
#include "layers/dropout.h"
#include "layers/norm.h"
#include "linear_layers.h"
#include "random.h"
#include "threads/bits.h"

namespace wasm_attention {
namespace {

TEST(Threads, ChangeNoBitOfLinearGradients) {
  for (int rows : {1, 7, 300}) {
    for (int inputs : {1, 15, 33, 130}) {
      for (int outputs : {1, 17, 66}) {
        const Floats x = randomFloats(rows * inputs, 1), weight = randomFloats(outputs * inputs, 2);
        const Floats g = randomFloats(rows * outputs, 3);
        expectSameBits(sizes({rows, inputs, outputs}), [&] {
          const LinearGradients before{{}, randomFloats(weight.size(), 4), randomFloats(outputs, 5)};
          const LinearGradients found = linearGradients(x, weight, g, rows, inputs, outputs, before);
          return Results{found.x, found.weight, found.bias};
        });
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfAFeedForwardNetwork) {
  for (const int choice : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
    const auto activation = static_cast<Activation>(choice / 2);
    const bool gated = choice % 2;
    for (int rows : {1, 5, 300}) {
      for (int hidden_width : {3, 34}) {
        const int width = 18;
        const Floats x = randomFloats(rows * width, 1), g = randomFloats(rows * width, 2);
        const int inner_width = gated ? 2 * hidden_width : hidden_width;
        const Floats weight1 = randomFloats(inner_width * width, 3), weight2 = randomFloats(width * hidden_width, 4);
        const Floats bias1 = randomFloats(inner_width, 5), bias2 = randomFloats(width, 6);
        expectSameBits(sizes({choice, rows, hidden_width}), [&] {
          const FeedForwardNetwork network{rows,     width,  hidden_width, activation, 7,    0.3f,
                                           &weight1, &bias1, &weight2,     &bias2,     gated};
          Floats hidden;
          const Floats out = network.forward(x, &hidden);
          const FeedForwardGradients found = network.backward(x, hidden, g);
          return Results{found.weight1, found.bias1, found.weight2, found.bias2, hidden, out, found.x};
        });
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfANorm) {
  for (int rows : {1, 6, 513, 1030}) {
    for (int dim : {1, 4, 17, 67}) {
      for (const int choice : {0, 1, 2}) {
        const Norm norm = choice == 2 ? Norm::kRms : Norm::kLayer;
        const bool affine = choice > 0;
        for (const bool keeps : {true, false}) {
          const Floats x = randomFloats(rows * dim, 1), g = randomFloats(rows * dim, 2);
          const Floats weight = randomFloats(dim, 3), bias = randomFloats(dim, 4);
          expectSameBits(sizes({rows, dim, choice, keeps}), [&] {
            std::vector<Moments> moments(rows);
            Moments* const kept = keeps ? moments.data() : nullptr;
            Floats out(x.size()), gradient = g, grad_weight = randomFloats(dim, 5), grad_bias = randomFloats(dim, 6);
            normRows(norm, x.data(), affine ? weight.data() : nullptr, bias.data(), out.data(), kept, rows, dim, 1e-5f);
            // In place, as in layers.
            Floats scratch(normRowsBackwardScratch(rows, dim), NAN);
            normRowsBackward(norm, gradient.data(), x.data(), kept, affine ? weight.data() : nullptr, gradient.data(),
                             grad_weight.data(), grad_bias.data(), scratch.data(), rows, dim, 1e-5f);
            return Results{out, gradient, grad_weight, grad_bias};
          });
        }
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfAMatrixProduct) {
  for (int outer : {1, 9}) {
    for (int rows : {1, 5, 130}) {
      for (const bool shares_right : {false, true}) {
        const int depth = 33, cols = 17, inner = 3;
        const Floats a = randomFloats(outer * inner * rows * depth, 1),
                     b = randomFloats(outer * inner * depth * cols, 2);
        expectSameBits(sizes({outer, rows, shares_right}), [&] {
          Floats out(outer * inner * rows * cols, NAN);
          MatmulArgs args{a.data(), b.data(), out.data(), outer, inner, rows, depth, cols, 0, rows * depth, 0, 0};
          if (outer > 1) args.aOuter = inner * rows * depth;
          if (!shares_right) args.bInner = depth * cols;
          if (!shares_right && outer > 1) args.bOuter = inner * depth * cols;
          Floats scratch(matmulScratch(args), NAN);
          matmul(args, scratch.data());
          return Results{out};
        });
      }
    }
  }
}

TEST(Threads, ChangeNoBitOfActivations) {
  for (int count : {1, 30, 5000}) {
    const Floats x = randomFloats(count, 1, 4);
    expectSameBits(sizes({count}), [&] {
      Floats exact(count), tanh(count), silus(count);
      gelu(x.data(), exact.data(), count, false);
      gelu(x.data(), tanh.data(), count, true);
      silu(x.data(), silus.data(), count);
      return Results{exact, tanh, silus};
    });
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

TEST(Threads, ChangeNoBitOfAnEmbeddingAndAdam) {
  for (int count : {1, 40, 200}) {
    for (int dim : {1, 18, 65}) {
      const int table_rows = 7;
      std::vector<int32_t> ids(count);
      for (int i = 0; i < count; ++i) ids[i] = i * 5 % table_rows;
      const Floats table = randomFloats(table_rows * dim, 1), g = randomFloats(count * dim, 2);
      expectSameBits(sizes({count, dim}), [&] {
        Floats out(g.size()), gradient(table.size()), parameter = table, mean(table.size()), square(table.size());
        embedding({ids.data(), table.data(), out.data(), count, dim, 0, WeightType::kFloat32});
        Floats scratch(embeddingBackwardScratch(count, table_rows, dim));
        embeddingBackward(g.data(), ids.data(), gradient.data(), scratch.data(), count, table_rows, dim);
        adam(parameter.data(), gradient.data(), mean.data(), square.data(), static_cast<int>(table.size()), 0.9, 0.999,
             0.01, 0.03, 1e-8, 0.1);
        return Results{out, gradient, parameter, mean, square};
      });
    }
  }
}

TEST(Threads, ChangeNoBitOfRotatedHeads) {
  for (int tokens : {1, 64, 65, 200}) {
    const int batch = 2, heads = 3, width = 12, rotary_width = 8;
    const Floats x = randomFloats(batch * tokens * heads * width, 1);
    const Floats table = randomFloats(batch * tokens * rotary_width, 2);
    for (const bool interleaved : {false, true}) {
      for (const int table_batch : {0, tokens * rotary_width}) {
        expectSameBits(sizes({tokens, interleaved, table_batch}), [&] {
          Floats rotated(x.size(), NAN), back = x;
          RotaryArgs args{x.data(),    table.data(), rotated.data(),
                          batch,       heads,        tokens,
                          width,       rotary_width, sideBySide(tokens, heads, width),
                          table_batch, interleaved};
          rotaryEmbedding(args);
          args.x = args.out = back.data();
          rotaryEmbeddingBackward(args);
          return Results{rotated, back};
        });
      }
    }
  }
}

}  // namespace
}  // namespace wasm_attention
