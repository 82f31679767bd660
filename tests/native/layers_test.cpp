// The layers' kernels on memory of exactly the stated size, so that AddressSanitizer sees any access outside. Gradients
// are compared with finite differences here; tests/layers compares all results with float64.
// The file is a little longer than 200 lines, because it has a test for each of nine kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "attention.h"
#include "linear_layers.h"
#include "random.h"

namespace wasm_attention {
namespace {

double dot(const Floats& a, const Floats& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

/// The gradient of `loss` at x by central differences, which have three digits because of float32's roundings.
void expectGradient(const Floats& gradient, Floats x, const std::function<double(const Floats&)>& loss) {
  constexpr float kStep = 1.0f / 64;
  for (size_t i = 0; i < x.size(); ++i) {
    const float at = x[i];
    x[i] = at + kStep;
    const double above = loss(x);
    x[i] = at - kStep;
    const double below = loss(x);
    x[i] = at;
    ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), 5e-3 * (1 + std::abs(gradient[i]))) << i;
  }
}

TEST(Linear, PacksAWeightInParts) {
  for (const WeightType type : {WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8}) {
    for (const int inputs : {1, 2, 3, 5, 8, 33, 170}) {
      for (const int outputs : {1, 7, 8, 9, 16, 17, 31, 41}) {
        const Floats weight = randomFloats(static_cast<size_t>(inputs) * outputs, 1);
        const Floats whole = packedOf(weight, inputs, outputs, type);
        for (const int some : {1, 5, 8, 24}) {
          if (type == WeightType::kFloat32 && some % 8 != 0) continue;
          Floats parts(whole.size(), type == WeightType::kFloat32 ? NAN : 0);
          for (int first = 0; first < outputs; first += some) {
            // On memory of exactly the part's size.
            const int count = std::min(some, outputs - first);
            const Floats rows(weight.begin() + first * inputs, weight.begin() + (first + count) * inputs);
            packWeight(rows.data(), parts.data(), inputs, outputs, first, count, type);
          }
          ASSERT_EQ(std::memcmp(parts.data(), whole.data(), whole.size() * sizeof(float)), 0)
              << outputs << "x" << inputs << ", " << some << " at a time";
        }
      }
    }
  }
}

TEST(Linear, HasItsGradients) {
  for (const auto& [rows, inputs, outputs] :
       {std::array{1, 1, 1}, {3, 5, 2}, {4, 4, 4}, {9, 3, 13}, {2, 8, 7}, {520, 2, 3}}) {
    const Floats x = randomFloats(size_t(rows) * inputs, 1), weight = randomFloats(size_t(outputs) * inputs, 2);
    const Floats bias = randomFloats(outputs, 3), g = randomFloats(size_t(rows) * outputs, 4);
    const LinearGradients found = linearGradients(x, weight, g, rows, inputs, outputs);
    const auto at = [&, i = inputs, o = outputs](const Floats& x1, const Floats& w1, const Floats& b1) {
      return dot(linearOf(x1, packedOf(w1, i, o), &b1, i, o), g);
    };
    expectGradient(found.x, x, [&](const Floats& v) { return at(v, weight, bias); });
    expectGradient(found.weight, weight, [&](const Floats& v) { return at(x, v, bias); });
    expectGradient(found.bias, bias, [&](const Floats& v) { return at(x, weight, v); });
  }
}

TEST(FeedForward, HasItsGradients) {
  const int rows = 3, width = 5, hidden_width = 6;
  for (const int choice : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    const auto activation = static_cast<Activation>(choice / 2);
    const bool gated = choice % 2;
    const int inner_width = gated ? 2 * hidden_width : hidden_width;
    const float dropout = activation == Activation::kGelu ? 0.0f : 0.4f;
    const Floats x = randomFloats(rows * width, 1), g = randomFloats(rows * width, 2);
    const Floats weight1 = randomFloats(inner_width * width, 3), weight2 = randomFloats(width * hidden_width, 4);
    const Floats bias2 = randomFloats(width, 5);
    // Half of the hidden units are on and half are off, all far from relu's kink, where finite differences are wrong.
    Floats bias1 = randomFloats(inner_width, 6);
    if (activation == Activation::kRelu) {
      for (int i = 0; i < hidden_width; ++i) bias1[i] += i % 2 ? 10 : -10;
    }
    Floats hidden(rows * inner_width, NAN), out(rows * width, NAN);
    const auto at = [&](const Floats& x1, const Floats& w1, const Floats& w2) {
      const FeedForwardNetwork network{rows, width,  hidden_width, activation, 5,    dropout,
                                       &w1,  &bias1, &w2,          &bias2,     gated};
      out = network.forward(x1, &hidden);
      return dot(out, g);
    };
    at(x, weight1, weight2);
    const FeedForwardNetwork network{rows,     width,  hidden_width, activation, 5,    dropout,
                                     &weight1, &bias1, &weight2,     &bias2,     gated};
    const FeedForwardGradients found = network.backward(x, Floats(hidden), g);
    expectGradient(found.x, x, [&](const Floats& v) { return at(v, weight1, weight2); });
    expectGradient(found.weight1, weight1, [&](const Floats& v) { return at(x, v, weight2); });
    expectGradient(found.weight2, weight2, [&](const Floats& v) { return at(x, weight1, v); });
  }
}

TEST(Norm, HasItsGradients) {
  for (const Norm kind : {Norm::kLayer, Norm::kRms}) {
    for (const int dim : {1, 3, 4, 9, 17, 35}) {
      const int rows = 3;
      const Floats x = randomFloats(size_t(rows) * dim, 1), g = randomFloats(size_t(rows) * dim, 2);
      const Floats weight = randomFloats(dim, 3), bias = randomFloats(kind == Norm::kLayer ? dim : 0, 4);
      const auto at = [&](const Floats& x1, const Floats& w1, const Floats& b1) {
        Floats out(x.size(), NAN), in_place = x1;
        norm({x1.data(), w1.data(), b1.data(), out.data(), rows, dim, kind, 0.1f});
        norm({in_place.data(), w1.data(), b1.data(), in_place.data(), rows, dim, kind, 0.1f});
        EXPECT_EQ(in_place, out);
        return dot(out, g);
      };
      Floats grad_x = g, grad_weight(dim), grad_bias(bias.size());
      normBackward(
          {x.data(), weight.data(), grad_x.data(), grad_weight.data(), dataOrNull(grad_bias), rows, dim, kind, 0.1f},
          nullptr);
      expectGradient(grad_x, x, [&](const Floats& v) { return at(v, weight, bias); });
      expectGradient(grad_weight, weight, [&](const Floats& v) { return at(x, v, bias); });
      expectGradient(grad_bias, bias, [&](const Floats& v) { return at(x, weight, v); });
    }
  }
}

TEST(Activations, AreThoseOfAFeedForwardNetwork) {
  for (const int count : {0, 1, 3, 4, 7, 33}) {
    const Floats x = randomFloats(count, 1, 4);
    Floats exact(count, NAN), tanh(count, NAN), silus(count, NAN), in_place = x;
    gelu(x.data(), exact.data(), count, false);
    gelu(x.data(), tanh.data(), count, true);
    silu(x.data(), silus.data(), count);
    silu(in_place.data(), in_place.data(), count);
    EXPECT_EQ(in_place, silus);
    for (int i = 0; i < count; ++i) {
      const double v = x[i], root = std::sqrt(2 / M_PI);
      EXPECT_NEAR(exact[i], v * std::erfc(-v / std::sqrt(2.0)) / 2, 2e-6) << v;
      EXPECT_NEAR(tanh[i], v * (1 + std::tanh(root * (v + 0.044715 * v * v * v))) / 2, 2e-6) << v;
      EXPECT_NEAR(silus[i], v / (1 + std::exp(-v)), 2e-6) << v;
    }
  }
}

TEST(Matmul, MultipliesEachPairOfItsStacks) {
  // Axes of a and of b that are 1 are shared.
  for (const int shared : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) {
    const int rows = 3, depth = 5, cols = 9, outer = 2, inner = 3;
    const int a_outer = shared & 1 ? 1 : outer, a_inner = shared & 2 ? 1 : inner;
    const int b_outer = shared & 4 ? 1 : outer, b_inner = shared & 8 ? 1 : inner;
    const Floats a = randomFloats(size_t(a_outer) * a_inner * rows * depth, 1);
    const Floats b = randomFloats(size_t(b_outer) * b_inner * depth * cols, 2);
    Floats out(size_t(outer) * inner * rows * cols, NAN);
    MatmulArgs args{a.data(), b.data(), out.data(), outer, inner, rows, depth, cols, 0, 0, 0, 0};
    if (a_outer > 1) args.aOuter = a_inner * rows * depth;
    if (a_inner > 1) args.aInner = rows * depth;
    if (b_outer > 1) args.bOuter = b_inner * depth * cols;
    if (b_inner > 1) args.bInner = depth * cols;
    Floats scratch(matmulScratch(args), NAN);
    matmul(args, scratch.data());
    for (size_t i = 0; i < out.size(); ++i) {
      const int col = i % cols, row = i / cols % rows, at = i / (rows * cols);
      const float* left = &a[at / inner * args.aOuter + at % inner * args.aInner + row * depth];
      const float* right = &b[at / inner * args.bOuter + at % inner * args.bInner + col];
      double sum = 0;
      for (int k = 0; k < depth; ++k) sum += double{left[k]} * right[k * cols];
      ASSERT_NEAR(out[i], sum, 1e-5) << shared << ", " << i;
    }
  }
}

TEST(Embedding, AddsGradientsToRows) {
  const int32_t ids[] = {2, 0, 2};
  const Floats g = randomFloats(9, 1);
  Floats grad(9);
  embeddingBackward(g.data(), ids, grad.data(), nullptr, 3, 3, 3);
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(grad[j], g[3 + j]);
    EXPECT_EQ(grad[3 + j], 0);
    EXPECT_EQ(grad[6 + j], g[j] + g[6 + j]);
  }
}

TEST(SoftmaxCrossEntropy, HasItsGradientInPlaceToo) {
  for (const int classes : {1, 3, 4, 7}) {
    const int32_t targets[] = {0, -1, classes - 1};
    const Floats logits = randomFloats(3 * size_t(classes), 1);
    Floats grad(logits.size(), NAN), in_place = logits;
    const double loss = softmaxCrossEntropy(logits.data(), targets, grad.data(), 3, classes);
    EXPECT_EQ(softmaxCrossEntropy(in_place.data(), targets, in_place.data(), 3, classes), loss);
    EXPECT_EQ(in_place, grad);
    expectGradient(grad, logits, [&](const Floats& v) {
      Floats unused(v.size());
      return softmaxCrossEntropy(v.data(), targets, unused.data(), 3, classes);
    });
  }
}

TEST(Adam, DoesTheSameToAnElementWhereverItStands) {
  const Floats ones(7, 1), g(7, 0.5f);
  Floats parameter = ones, mean(7), square(7);
  for (int step = 0; step < 3; ++step) {
    adam(parameter.data(), g.data(), mean.data(), square.data(), 7, 0.9, 0.999, 0.01, 0.1, 1e-8, 0.1);
  }
  for (const float x : parameter) EXPECT_EQ(x, parameter[0]);
  EXPECT_LT(parameter[0], 1);
  Floats scaled{3, 4};
  EXPECT_EQ(sumOfSquares(scaled.data(), 2), 25);
  scaleInPlace(scaled.data(), 2, 0.5);
  EXPECT_EQ(scaled, (Floats{1.5f, 2}));
}

}  // namespace
}  // namespace wasm_attention
