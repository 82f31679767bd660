#include "layers/activation.h"

#include <cstring>

#include "simd/normal.h"

namespace wasm_attention {
namespace {

constexpr float kTwiceTwoOverPiRoot = 1.595769121605730712f;
constexpr float kCubic = 0.044715f;

/// s(x) = (1 + tanh(u)) / 2 and the derivative of x * s(x), u = sqrt(2 / pi) * (x + 0.044715 * x^3) (Hendrycks and Gimpel 2016), as
/// 1 / (1 + e^-2u): with the tangent, most digits cancel where x is negative.
struct Gate {
  f32x4 value, derivative;
};
Gate gate(f32x4 x) {
  // Beyond 10 the value is 0 or 1 to the last bit; without limits the cube of a large x would overflow.
  f32x4 limited = max(x, splat(-10.0f));
  limited = select(limited > splat(10.0f), splat(10.0f), limited);
  const f32x4 square = limited * limited;
  const f32x4 u2 = kTwiceTwoOverPiRoot * limited * (1.0f + kCubic * square);
  const f32x4 e = exp(-u2);
  const f32x4 value = select(x < splat(-10.0f), splat(0.0f), 1.0f / (1.0f + e));
  const f32x4 slope = kTwiceTwoOverPiRoot * (1.0f + 3.0f * kCubic * square) * (e * value * value);
  return {value, value + limited * slope};
}

// NaN stays NaN in each.
struct Relu {
  static f32x4 value(f32x4 x) { return select(x < splat(0.0f), splat(0.0f), x); }
  static f32x4 slope(f32x4 x) { return select(x <= splat(0.0f), splat(0.0f), splat(1.0f)); }
};
struct Gelu {
  static f32x4 value(f32x4 x) { return x * normal(x).below; }
  static f32x4 slope(f32x4 x) {
    const Normal n = normal(x);
    return n.below + x * n.density;
  }
};
struct GeluTanh {
  static f32x4 value(f32x4 x) { return x * gate(x).value; }
  static f32x4 slope(f32x4 x) { return gate(x).derivative; }
};

/// step(a, b) of each pair of a[i] and b[i], four at a time, to out[i].
template <typename Step>
void map(const float* a, const float* b, float* out, size_t count, Step step) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, step(load(a + i), load(b + i)));
  if (i == count) return;
  float rest_a[kLanes] = {}, rest_b[kLanes] = {};
  const size_t bytes = (count - i) * sizeof(float);
  std::memcpy(rest_a, a + i, bytes);
  std::memcpy(rest_b, b + i, bytes);
  store(rest_a, step(load(rest_a), load(rest_b)));
  std::memcpy(out + i, rest_a, bytes);
}

template <typename Function>
void forward(const float* x, float* out, size_t count) {
  map(x, x, out, count, [](f32x4 v, f32x4) { return Function::value(v); });
}

template <typename Function>
void backward(const float* x, float* gradient, size_t count) {
  map(x, gradient, gradient, count, [](f32x4 v, f32x4 g) { return g * Function::slope(v); });
}

}  // namespace

void activate(const float* x, float* out, size_t count, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return forward<Relu>(x, out, count);
    case Activation::kGelu:
      return forward<Gelu>(x, out, count);
    case Activation::kGeluTanh:
      return forward<GeluTanh>(x, out, count);
  }
}

void activateBackward(const float* x, float* gradient, size_t count, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return backward<Relu>(x, gradient, count);
    case Activation::kGelu:
      return backward<Gelu>(x, gradient, count);
    case Activation::kGeluTanh:
      return backward<GeluTanh>(x, gradient, count);
  }
}

}  // namespace wasm_attention
