// The encoder layer's two passes on memory of exactly the stated size: AddressSanitizer sees a step beyond it. Gradients are
// held against finite differences here, outputs against PyTorch in tests/layers.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "attention.h"
#include "random.h"

namespace wasm_attention {
namespace {

using Floats = std::vector<float>;

constexpr int kBatch = 2, kTokens = 3, kHeads = 2, kHeadWidth = 4, kWidth = kHeads * kHeadWidth, kHidden = 6;

struct Case {
  bool preNorm;
  float dropout;
  bool bias;
  bool rotary;
};

class Encoder {
 public:
  explicit Encoder(const Case& c) : c_(c) {
    const std::array<size_t, 12> sizes{
        3 * kWidth * kWidth, 3 * kWidth, kWidth * kWidth, kWidth, kHidden * kWidth, kHidden,
        kWidth * kHidden,    kWidth,     kWidth,          kWidth, kWidth,           kWidth};
    for (size_t i = 0; i < sizes.size(); ++i) {
      const bool linear_bias = i < 8 && i % 2 == 1;
      parameters.push_back(linear_bias && !c.bias ? Floats() : randomFloats(sizes[i], 10 + i, 0.7f));
    }
    table_ = randomFloats(kTokens * kHeadWidth, 30);
  }

  /// Runs both passes; the gradients of x and of the parameters.
  std::vector<Floats> backward(const Floats& x, const Floats& g) {
    TransformerEncoderLayerArgs args = pass(x, true);
    TransformerEncoderLayerGradArgs grads{};
    Floats scratch(transformerEncoderLayerBackwardScratch(args), NAN), gradient = g;
    args.attention.scratch = scratch.data();
    args.output = nullptr;
    std::vector<Floats> found{{}};
    for (const Floats& p : parameters) found.push_back(Floats(p.size()));
    grads.layer = args;
    grads.gradient = gradient.data();
    for (size_t i = 0; i < parameters.size(); ++i) pointers(grads.gradients)[i] = dataOf(found[i + 1]);
    transformerEncoderLayerBackward(grads);
    found[0] = gradient;
    return found;
  }

  const Floats& forward(const Floats& x, bool training = true) {
    pass(x, training);
    return output_;
  }

  std::vector<Floats> parameters;

 private:
  static float* dataOf(Floats& v) { return v.empty() ? nullptr : v.data(); }
  static float** pointers(EncoderParameters& p) { return &p.inWeight; }

  TransformerEncoderLayerArgs pass(const Floats& x, bool training) {
    TransformerEncoderLayerArgs args{};
    AttentionArgs& a = args.attention;
    a.batch = kBatch;
    a.heads = a.kvHeads = kHeads;
    a.queries = a.keys = kTokens;
    a.width = a.valueWidth = kHeadWidth;
    a.windowLeft = a.windowRight = -1;
    a.scale = 0.5f;
    a.seed = 9;
    a.dropout = training ? c_.dropout : 0;
    if (c_.rotary) args.rotation = {table_.data(), 0, table_.data(), kHeadWidth, 0};
    for (size_t i = 0; i < parameters.size(); ++i) pointers(args.parameters)[i] = dataOf(parameters[i]);
    const auto pack = [](const Floats& weight, Floats& packed, int inputs, int outputs) {
      packed.assign(packWeightSize(inputs, outputs), NAN);
      packWeight(weight.data(), packed.data(), inputs, outputs);
      return packed.data();
    };
    args.packedIn = pack(parameters[0], packed_[0], kWidth, 3 * kWidth);
    args.packedOut = pack(parameters[2], packed_[1], kWidth, kWidth);
    args.packed1 = pack(parameters[4], packed_[2], kWidth, kHidden);
    args.packed2 = pack(parameters[6], packed_[3], kHidden, kWidth);
    args.hiddenWidth = kHidden;
    args.activation = Activation::kGelu;
    args.preNorm = c_.preNorm;
    args.training = training;
    Floats scratch(transformerEncoderLayerScratch(args), NAN);
    kept_.assign(transformerEncoderLayerKept(args), NAN);
    output_.assign(x.size(), NAN);
    std::copy(x.begin(), x.end(), kept_.begin());
    a.scratch = scratch.data();
    args.kept = kept_.data();
    args.output = output_.data();
    transformerEncoderLayer(args);
    return args;
  }

  Case c_;
  Floats table_, kept_, output_;
  std::array<Floats, 4> packed_;
};

double dot(const Floats& a, const Floats& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

TEST(TransformerEncoderLayer, HasItsGradients) {
  for (const Case& c :
       {Case{false, 0, true, false}, {true, 0, true, true}, {false, 0.4f, true, true}, {true, 0.4f, false, false}}) {
    Encoder encoder(c);
    Floats x = randomFloats(kBatch * kTokens * kWidth, 1);
    const Floats g = randomFloats(x.size(), 2);
    const std::vector<Floats> gradients = encoder.backward(x, g);
    const auto expect = [&](Floats& values, const Floats& gradient) {
      constexpr float kStep = 1.0f / 128;
      for (size_t i = 0; i < values.size(); ++i) {
        const float at = values[i];
        values[i] = at + kStep;
        const double above = dot(encoder.forward(x), g);
        values[i] = at - kStep;
        const double below = dot(encoder.forward(x), g);
        values[i] = at;
        // Third derivatives times 1e-5, and roundings of 48 outputs over 1e-2.
        ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), 5e-3 * (1 + std::abs(gradient[i]))) << i;
      }
    };
    expect(x, gradients[0]);
    for (size_t p = 0; p < encoder.parameters.size(); ++p) {
      SCOPED_TRACE(p);
      expect(encoder.parameters[p], gradients[p + 1]);
    }
  }
}

TEST(TransformerEncoderLayer, KeepsNothingOutsideTraining) {
  for (const bool pre_norm : {false, true}) {
    Encoder encoder({pre_norm, 0, true, true});
    const Floats x = randomFloats(kBatch * kTokens * kWidth, 1);
    const Floats trained = encoder.forward(x, true);
    EXPECT_EQ(encoder.forward(x, false), trained);
  }
}

}  // namespace
}  // namespace wasm_attention
