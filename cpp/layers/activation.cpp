#include "layers/activation.h"

#include <cstring>

#include "kernels/parallel.h"
#include "simd/normal.h"

namespace wasm_attention {
namespace {

constexpr float kTwiceTwoOverPiRoot = 1.595769121605730712f;
constexpr float kCubic = 0.044715f;

/// s(x) = (1 + tanh(u)) / 2 and the derivative of x * s(x), with u = sqrt(2 / pi) * (x + 0.044715 * x^3) (Hendrycks and
/// Gimpel 2016). Computed as 1 / (1 + e^-2u), because 1 + tanh(u) loses most digits for negative x.
struct Gate {
  f32x4 value, derivative;
};
Gate gate(f32x4 x) {
  // Beyond 10 the value is exactly 0 or 1, and the cube of a large x would overflow.
  const f32x4 limited = min(max(x, splat(-10.0f)), splat(10.0f));
  const f32x4 square = limited * limited;
  const f32x4 u2 = kTwiceTwoOverPiRoot * limited * (1.0f + kCubic * square);
  const f32x4 e = exp(-u2);
  const f32x4 value = select(x < splat(-10.0f), splat(0.0f), 1.0f / (1.0f + e));
  const f32x4 slope = kTwiceTwoOverPiRoot * (1.0f + 3.0f * kCubic * square) * (e * value * value);
  return {value, value + limited * slope};
}

struct Point {
  f32x4 value, slope;
};

// All of these keep NaN.
Point reluPoint(f32x4 x) {
  return {select(x < splat(0.0f), splat(0.0f), x), select(x <= splat(0.0f), splat(0.0f), splat(1.0f))};
}
Point geluPoint(f32x4 x) {
  const Normal n = normal(x);
  return {x * n.cdf, n.cdf + x * n.density};
}
Point geluTanhPoint(f32x4 x) {
  const Gate g = gate(x);
  return {x * g.value, g.derivative};
}

Point sigmoidPoint(f32x4 x) {
  const f32x4 value = 1.0f / (1.0f + exp(-x));
  return {value, value * (1.0f - value)};
}
/// x * s(factor * x).
Point gatedPoint(f32x4 x, float factor) {
  const Point gate = sigmoidPoint(factor * x);
  // A factor of x itself would overflow where the slope of the gate is 0.
  return {x * gate.value, gate.value + factor * (x * gate.slope)};
}

/// Applies a function to each element of a multiple of four; `gradient` may be null.
template <typename F>
void map(const float* x, float* values, float* gradient, size_t count, F function) {
  for (size_t i = 0; i < count; i += kLanes) {
    const Point p = function(load(x + i));
    store(values + i, p.value);
    if (gradient) store(gradient + i, load(gradient + i) * p.slope);
  }
}

/// `activate` for a multiple of four elements.
void activateVectors(const float* x, float* values, float* gradient, size_t count, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return map(x, values, gradient, count, reluPoint);
    case Activation::kGelu:
      return map(x, values, gradient, count, geluPoint);
    case Activation::kGeluTanh:
      return map(x, values, gradient, count, geluTanhPoint);
    case Activation::kSilu:
    case Activation::kQuickGelu: {
      const float factor = activation == Activation::kSilu ? 1.0f : 1.702f;
      return map(x, values, gradient, count, [factor](f32x4 each) { return gatedPoint(each, factor); });
    }
    case Activation::kSigmoid:
      return map(x, values, gradient, count, sigmoidPoint);
  }
}

}  // namespace

void activate(const float* x, float* values, float* gradient, size_t count, Activation activation) {
  const size_t whole = count / kLanes * kLanes;
  activateVectors(x, values, gradient, whole, activation);
  if (whole == count) return;
  float rest[kLanes] = {}, slopes[kLanes] = {};
  const size_t bytes = (count - whole) * sizeof(float);
  std::memcpy(rest, x + whole, bytes);
  if (gradient) std::memcpy(slopes, gradient + whole, bytes);
  activateVectors(rest, rest, slopes, kLanes, activation);
  std::memcpy(values + whole, rest, bytes);
  if (gradient) std::memcpy(gradient + whole, slopes, bytes);
}

namespace {

void activateShared(const float* x, float* out, int count, Activation activation) {
  parallelParts(count, kLanes, kActivationWork * count,
                [&](int i, int size) { activate(x + i, out + i, nullptr, static_cast<size_t>(size), activation); });
}

}  // namespace

void gelu(const float* x, float* out, int count, bool tanh) {
  activateShared(x, out, count, tanh ? Activation::kGeluTanh : Activation::kGelu);
}

void silu(const float* x, float* out, int count) { activateShared(x, out, count, Activation::kSilu); }

}  // namespace wasm_attention
