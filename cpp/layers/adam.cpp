// Versions tried (ms of 768 x 768 numbers; Sapphire Rapids, Node 20):
//   one thread       0.524
//   two threads      0.350   <- this
// The sum of squares stays on one thread, because its order is part of the result.
#include "attention.h"
#include "kernels/parallel.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

struct Coefficients {
  float beta1, rest1, beta2, rest2, stepSize, rootCorrection, eps, weightDecay;
};

/// One step of four elements.
void step(const Coefficients& k, f32x4& parameter, f32x4 gradient, f32x4& mean, f32x4& square) {
  gradient += parameter * k.weightDecay;
  mean = mean * k.beta1 + gradient * k.rest1;
  square = square * k.beta2 + gradient * gradient * k.rest2;
  parameter -= mean * k.stepSize / (sqrt(square) / k.rootCorrection + k.eps);
}

/// Takes the coefficients by value, so that the compiler knows that stores to a parameter do not change them.
void stepPart(Coefficients k, float* parameter, const float* gradient, float* mean, float* square, int count) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    f32x4 p = load(parameter + i), m = load(mean + i), s = load(square + i);
    step(k, p, load(gradient + i), m, s);
    store(parameter + i, p);
    store(mean + i, m);
    store(square + i, s);
  }
  for (; i < count; ++i) {
    // Also as a vector, so that an element's result does not depend on its place.
    f32x4 p = splat(parameter[i]), m = splat(mean[i]), s = splat(square[i]);
    step(k, p, splat(gradient[i]), m, s);
    parameter[i] = p[0];
    mean[i] = m[0];
    square[i] = s[0];
  }
}

// The cost of an element, in multiplications.
constexpr double kAdamWork = 24;

}  // namespace

void adam(float* parameter, const float* gradient, float* mean, float* square, int count, double beta1, double beta2,
          double step_size, double root_correction, double eps, double weight_decay) {
  const Coefficients k{static_cast<float>(beta1),     static_cast<float>(1 - beta1),
                       static_cast<float>(beta2),     static_cast<float>(1 - beta2),
                       static_cast<float>(step_size), static_cast<float>(root_correction),
                       static_cast<float>(eps),       static_cast<float>(weight_decay)};
  constexpr int kFloats = 16;  // a cache line
  parallelParts(count, kFloats, kAdamWork * count, [&](int first, int size) {
    stepPart(k, parameter + first, gradient + first, mean + first, square + first, size);
  });
}

double sumOfSquares(const float* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(x[i]) * x[i];
  return sum;
}

void scaleInPlace(float* x, int count, double factor) {
  const float scale = static_cast<float>(factor);
  for (int i = 0; i < count; ++i) x[i] *= scale;
}

}  // namespace wasm_attention
