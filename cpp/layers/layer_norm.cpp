// Versions of a row's moments tried (ms in a step of training of 8.2 ms, 4096 rows of 64; Sapphire Rapids, Node 20):
//   mean, the mean's rounding error and variance in three passes         0.24
//   the last two in one pass, one chain of sums each                     0.21 to 0.31
//   the same with two chains                                             0.11   <- this
// Versions of the backward pass tried (speed of the layer, 4096 rows of 256; the same machine):
//   one thread of the module for one thread                              1   <- this
//   one thread of the module for several threads                         0.87
//   two threads, by columns and by rows                                  0.72; within an encoder layer no gain
// Today: npm run bench -- --work training
#include "layers/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "attention.h"
#include "kernels/parallel.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

/// The sum of one(i) for i < count; four(i) gives four neighbours at once. Two chains, because each sum waits for the one before it.
template <typename Four, typename One>
float sumOf(int count, Four four, One one) {
  f32x4 even{}, odd{};
  int i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    even += four(i);
    odd += four(i + kLanes);
  }
  if (i + kLanes <= count) {
    even += four(i);
    i += kLanes;
  }
  float total = sum(even + odd);
  for (; i < count; ++i) total += one(i);
  return total;
}

Moments momentsOf(const float* x, int dim, float eps) {
  const float n = static_cast<float>(dim);
  const float mean = sumOf(
                         dim, [x](int i) { return load(x + i); }, [x](int i) { return x[i]; }) /
                     n;
  const auto from = [mean](auto v) { return v - mean; };
  // Both in one pass: the mean's rounding error is small beside the deviations, so subtracting its square loses no digits.
  const auto square = [](auto v) { return v * v; };
  f32x4 sums[2] = {}, squares[2] = {};
  int i = 0;
  const auto add = [&](int chain) {
    const f32x4 d = from(load(x + i));
    sums[chain] += d;
    squares[chain] += square(d);
    i += kLanes;
  };
  while (i + 2 * kLanes <= dim) {
    add(0);
    add(1);
  }
  if (i + kLanes <= dim) add(0);
  float total = sum(sums[0] + sums[1]), squared = sum(squares[0] + squares[1]);
  for (; i < dim; ++i) {
    total += from(x[i]);
    squared += square(from(x[i]));
  }
  const float rest = total / n;
  const float variance = std::max(squared / n - rest * rest, 0.0f);
  return {mean, rest, 1.0f / std::sqrt(variance + eps)};
}

// The cost of an element, in multiplications.
constexpr double kNormWork = 12;

void normSome(const float* x, const float* weight, const float* bias, float* out, Moments* moments, int rows, int dim,
              float eps) {
  for (int row = 0; row < rows; ++row, x += dim, out += dim) {
    const Moments m = momentsOf(x, dim, eps);
    if (moments) moments[row] = m;
    int i = 0;
    for (; i + kLanes <= dim; i += kLanes) {
      const f32x4 y = m.normalise(load(x + i));
      store(out + i, weight ? y * load(weight + i) + load(bias + i) : y);
    }
    for (; i < dim; ++i) {
      const float y = m.normalise(x[i]);
      out[i] = weight ? y * weight[i] + bias[i] : y;
    }
  }
}

}  // namespace

void normRows(const float* x, const float* weight, const float* bias, float* out, Moments* moments, int rows, int dim,
              float eps) {
  parallelParts(rows, 1, kNormWork * rows * dim, [&](int row, int count) {
    const size_t from = static_cast<size_t>(row) * dim;
    normSome(x + from, weight, bias, out + from, moments ? moments + row : nullptr, count, dim, eps);
  });
}

void layerNorm(const float* x, const float* weight, const float* bias, float* out, int rows, int dim, float eps) {
  normRows(x, weight, bias, out, nullptr, rows, dim, eps);
}

void normRowsBackward(const float* grad_out, const float* x, const Moments* moments, const float* weight, float* grad_x,
                      float* grad_weight, float* grad_bias, int rows, int dim, float eps) {
  const float n = static_cast<float>(dim);
  for (int row = 0; row < rows; ++row, grad_out += dim, x += dim, grad_x += dim) {
    const Moments m = moments ? moments[row] : momentsOf(x, dim, eps);
    // y is the normalised x, g the gradient there: grad_x = scale * (g - mean(g) - y * mean(g * y)).
    const auto y4 = [&](int i) { return m.normalise(load(x + i)); };
    const auto y1 = [&](int i) { return m.normalise(x[i]); };
    const auto g4 = [&](int i) { return weight ? load(grad_out + i) * load(weight + i) : load(grad_out + i); };
    const auto g1 = [&](int i) { return weight ? grad_out[i] * weight[i] : grad_out[i]; };
    f32x4 sums_g{}, sums_gy{};
    int i = 0;
    for (; i + kLanes <= dim; i += kLanes) {
      const f32x4 y = y4(i);
      const f32x4 g = g4(i);
      sums_g += g;
      sums_gy += g * y;
      if (!weight) continue;
      store(grad_weight + i, load(grad_weight + i) + load(grad_out + i) * y);
      store(grad_bias + i, load(grad_bias + i) + load(grad_out + i));
    }
    float sum_g = sum(sums_g), sum_gy = sum(sums_gy);
    for (; i < dim; ++i) {
      const float y = y1(i);
      sum_g += g1(i);
      sum_gy += g1(i) * y;
      if (!weight) continue;
      grad_weight[i] += grad_out[i] * y;
      grad_bias[i] += grad_out[i];
    }
    const float mean_g = sum_g / n, mean_gy = sum_gy / n;
    i = 0;
    for (; i + kLanes <= dim; i += kLanes) store(grad_x + i, (g4(i) - mean_g - y4(i) * mean_gy) * m.scale);
    for (; i < dim; ++i) grad_x[i] = (g1(i) - mean_g - y1(i) * mean_gy) * m.scale;
  }
}

void layerNormBackward(const float* grad_out, const float* x, const float* weight, float* grad_x, float* grad_weight,
                       float* grad_bias, int rows, int dim, float eps) {
  normRowsBackward(grad_out, x, nullptr, weight, grad_x, grad_weight, grad_bias, rows, dim, eps);
}

}  // namespace wasm_attention
