// Linear and feed-forward layers for tests, in memory of exactly the right size, filled with NaN.
#pragma once

#include <cmath>
#include <vector>

#include "attention.h"

namespace wasm_attention {

using Floats = std::vector<float>;

/// Null for an empty array: a network without biases has empty gradients for them.
inline float* dataOrNull(Floats& v) { return v.empty() ? nullptr : v.data(); }
inline const float* dataOrNull(const Floats* v) { return v ? v->data() : nullptr; }

/// Packs a weight (outputs, inputs).
inline Floats packedOf(const Floats& weight, int inputs, int outputs, WeightType type = WeightType::kFloat32) {
  Floats packed(packedWeightSize(inputs, outputs, type), type == WeightType::kFloat32 ? NAN : 0);
  if (type == WeightType::kInt8 || type == WeightType::kInt8Fine) {
    Floats sorted(inputs, NAN);
    weighInt8Columns(weight.data(), inputs, outputs, packed.data());
    scaleInt8Columns(packed.data(), inputs, sorted.data());
  }
  packWeight(weight.data(), packed.data(), inputs, outputs, 0, outputs, type);
  return packed;
}

/// The output of a linear layer with a packed weight; `bias` may be null.
inline Floats linearOf(const Floats& x, const Floats& packed, const Floats* bias, int inputs, int outputs,
                       WeightType type = WeightType::kFloat32) {
  const int rows = static_cast<int>(x.size()) / inputs;
  Floats out(static_cast<size_t>(rows) * outputs, NAN);
  const LinearArgs args{x.data(), packed.data(), dataOrNull(bias), out.data(), rows, inputs, outputs, type};
  Floats scratch(linearScratch(args), NAN);
  linear(args, scratch.data());
  return out;
}

struct LinearGradients {
  Floats x, weight, bias;
};

/// Adds to the gradients of weight and bias in `found`, if these are not empty.
inline LinearGradients linearGradients(const Floats& x, const Floats& weight, const Floats& g, int rows, int inputs,
                                       int outputs, LinearGradients found = {}, bool has_bias = true) {
  found.x.assign(x.size(), NAN);
  found.weight.resize(weight.size());
  found.bias.resize(outputs);
  LinearGradArgs args{};
  args.gradOut = g.data();
  args.x = x.data();
  args.weight = weight.data();
  args.gradX = found.x.data();
  args.gradWeight = found.weight.data();
  args.gradBias = has_bias ? found.bias.data() : nullptr;
  args.rows = rows;
  args.inputs = inputs;
  args.outputs = outputs;
  Floats scratch(linearBackwardScratch(args), NAN);
  linearBackward(args, scratch.data());
  return found;
}

struct FeedForwardGradients {
  Floats x, weight1, bias1, weight2, bias2;
};

/// Biases may be null.
struct FeedForwardNetwork {
  int rows, width, hiddenWidth;
  Activation activation;
  uint32_t seed;
  float dropout;
  const Floats *weight1, *bias1, *weight2, *bias2;
  bool gated = false;

  int innerWidth() const { return gated ? 2 * hiddenWidth : hiddenWidth; }

  /// Returns the output; writes what the backward pass reads to `hidden`, unless that is null.
  Floats forward(const Floats& x, Floats* hidden) const {
    const Floats packed1 = packedOf(*weight1, width, innerWidth()), packed2 = packedOf(*weight2, hiddenWidth, width);
    Floats out(x.size(), NAN);
    if (hidden) hidden->assign(static_cast<size_t>(rows) * innerWidth(), NAN);
    FeedForwardArgs args{};
    args.x = x.data();
    args.packed1 = packed1.data();
    args.bias1 = dataOrNull(bias1);
    args.packed2 = packed2.data();
    args.bias2 = dataOrNull(bias2);
    args.hidden = hidden ? hidden->data() : nullptr;
    args.out = out.data();
    setSizes(args);
    Floats scratch(feedForwardScratch(args), NAN);
    feedForward(args, scratch.data());
    return out;
  }

  FeedForwardGradients backward(const Floats& x, const Floats& hidden, const Floats& g) const {
    FeedForwardGradients found{Floats(x.size(), NAN), Floats(weight1->size()), Floats(bias1 ? innerWidth() : 0),
                               Floats(weight2->size()), Floats(bias2 ? width : 0)};
    FeedForwardGradArgs args{};
    args.gradOut = g.data();
    args.x = x.data();
    args.hidden = hidden.data();
    args.weight1 = weight1->data();
    args.weight2 = weight2->data();
    args.gradX = found.x.data();
    args.gradWeight1 = found.weight1.data();
    args.gradBias1 = dataOrNull(found.bias1);
    args.gradWeight2 = found.weight2.data();
    args.gradBias2 = dataOrNull(found.bias2);
    setSizes(args);
    Floats scratch(feedForwardBackwardScratch(args), NAN);
    feedForwardBackward(args, scratch.data());
    return found;
  }

 private:
  template <typename Args>
  void setSizes(Args& args) const {
    args.rows = rows;
    args.width = width;
    args.hiddenWidth = hiddenWidth;
    args.gated = gated;
    args.activation = activation;
    args.seed = seed;
    args.dropout = dropout;
  }
};

}  // namespace wasm_attention
