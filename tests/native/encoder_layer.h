// An encoder layer with its parameters, for tests of its two passes.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "attention.h"
#include "linear_layers.h"
#include "random.h"

namespace wasm_attention {

struct EncoderCase {
  bool preNorm = false;
  float dropout = 0;
  bool bias = true;
  bool rotary = false;
  int batch = 2, tokens = 3, heads = 2, headWidth = 4, hidden = 6;
};

inline int widthOf(const EncoderCase& c) { return c.heads * c.headWidth; }

/// Both passes on memory of exactly the stated size, filled with NaN.
class EncoderLayer {
 public:
  explicit EncoderLayer(const EncoderCase& c) : c_(c) {
    const size_t width = widthOf(c), hidden = c.hidden;
    const std::array<size_t, 12> sizes{3 * width * width, 3 * width, width * width, width, hidden * width, hidden,
                                       width * hidden,    width,     width,         width, width,          width};
    for (size_t i = 0; i < sizes.size(); ++i) {
      const bool linear_bias = i < 8 && i % 2 == 1;
      parameters.push_back(linear_bias && !c.bias ? Floats() : randomFloats(sizes[i], 10 + i, 0.7f));
    }
    table_ = randomFloats(c.tokens * c.headWidth, 30);
  }

  /// Runs both passes; returns the gradients of x and of the parameters.
  std::vector<Floats> backward(const Floats& x, const Floats& g) {
    TransformerEncoderLayerArgs args = pass(x, true);
    TransformerEncoderLayerGradArgs grads{};
    Floats gradient = g;
    args.output = nullptr;
    std::vector<Floats> found{{}};
    for (const Floats& p : parameters) found.push_back(Floats(p.size()));
    grads.layer = args;
    grads.gradient = gradient.data();
    for (size_t i = 0; i < parameters.size(); ++i) pointers(grads.gradients)[i] = dataOf(found[i + 1]);
    Floats scratch(transformerEncoderLayerBackwardScratch(grads), NAN);
    transformerEncoderLayerBackward(grads, scratch.data());
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
    a.batch = c_.batch;
    a.heads = a.kvHeads = c_.heads;
    a.queries = a.keys = c_.tokens;
    a.width = a.valueWidth = c_.headWidth;
    a.windowLeft = a.windowRight = -1;
    a.scale = 0.5f;
    a.seed = 9;
    a.dropout = training ? c_.dropout : 0;
    if (c_.rotary) args.rotation = {table_.data(), 0, table_.data(), 0, c_.headWidth, 0};
    for (size_t i = 0; i < parameters.size(); ++i) pointers(args.parameters)[i] = dataOf(parameters[i]);
    const auto pack = [](const Floats& weight, Floats& packed, int inputs, int outputs) {
      packed.assign(packWeightSize(inputs, outputs), NAN);
      packWeight(weight.data(), packed.data(), inputs, outputs);
      return packed.data();
    };
    const int width = widthOf(c_);
    args.packedIn = pack(parameters[0], packed_[0], width, 3 * width);
    args.packedOut = pack(parameters[2], packed_[1], width, width);
    args.packed1 = pack(parameters[4], packed_[2], width, c_.hidden);
    args.packed2 = pack(parameters[6], packed_[3], c_.hidden, width);
    args.hiddenWidth = c_.hidden;
    args.activation = Activation::kGelu;
    args.preNorm = c_.preNorm;
    args.training = training;
    Floats scratch(transformerEncoderLayerScratch(args), NAN);
    kept_.assign(transformerEncoderLayerKept(args), NAN);
    output_.assign(x.size(), NAN);
    std::copy(x.begin(), x.end(), kept_.begin());
    args.kept = kept_.data();
    args.output = output_.data();
    transformerEncoderLayer(args, scratch.data());
    return args;
  }

  EncoderCase c_;
  Floats table_, kept_, output_;
  std::array<Floats, 4> packed_;
};

}  // namespace wasm_attention
