// Both passes of norms, which share the inlined computation of a row's moments.
//
// Versions of a row's moments tried (ms in a step of training of 8.2 ms, 4096 rows of 64; Sapphire Rapids, Node 20):
//   mean, the mean's rounding error and variance in three passes         0.24
//   the last two in one pass, one chain of sums each                     0.21 to 0.31
//   the same with two chains                                             0.11   <- this
// Versions of the backward pass tried (speed of the layer, 4096 rows of 256; the same machine):
//   one thread of the module for one thread                              1   <- this
//   one thread of the module for several threads                         0.87
//   two threads, by columns and by rows                                  0.72; within an encoder layer no gain
// Today: npm run bench -- --work training
#include "layers/norm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "attention.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/running_sum.h"
#include "layers/dropout.h"
#include "simd/f32x4.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

/// Two chains, because each sum depends on the previous one.
float sumOf(const float* x, int count) {
  f32x4 even{}, odd{};
  int i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    even += load(x + i);
    odd += load(x + i + kLanes);
  }
  if (i + kLanes <= count) {
    even += load(x + i);
    i += kLanes;
  }
  float total = sum(even + odd);
  for (; i < count; ++i) total += x[i];
  return total;
}

struct Deviations {
  float sum, squares;
};

Deviations deviationsOf(const float* x, int count, float mean) {
  const auto from = [mean](auto v) { return v - mean; };
  // Both in one pass: the mean's rounding error is small beside the deviations, so subtracting its square loses no
  // digits.
  const auto square = [](auto v) { return v * v; };
  f32x4 sums[2] = {}, squares[2] = {};
  int i = 0;
  const auto add = [&](int chain) {
    const f32x4 d = from(load(x + i));
    sums[chain] += d;
    squares[chain] += square(d);
    i += kLanes;
  };
  while (i + 2 * kLanes <= count) {
    add(0);
    add(1);
  }
  if (i + kLanes <= count) add(0);
  Deviations d{sum(sums[0] + sums[1]), sum(squares[0] + squares[1])};
  for (; i < count; ++i) {
    d.sum += from(x[i]);
    d.squares += square(from(x[i]));
  }
  return d;
}

// The number of elements of a row that are summed at once, in eight lanes.
constexpr int kPiece = 2 * kLanes * 512;

Moments momentsFrom(float mean, Deviations d, float n, float eps) {
  const float rest = d.sum / n;
  const float variance = std::max(d.squares / n - rest * rest, 0.0f);
  return {mean, rest, 1.0f / std::sqrt(variance + eps)};
}

/// The moments of a longer row.
[[gnu::noinline]] Moments longMoments(const float* x, int dim, float eps) {
  double total = 0, sum = 0, squares = 0;
  for (int i = 0; i < dim; i += kPiece) total += sumOf(x + i, std::min(dim - i, kPiece));
  const float mean = static_cast<float>(total / dim);
  for (int i = 0; i < dim; i += kPiece) {
    const Deviations d = deviationsOf(x + i, std::min(dim - i, kPiece), mean);
    sum += d.sum;
    squares += d.squares;
  }
  return momentsFrom(mean, {static_cast<float>(sum), static_cast<float>(squares)}, static_cast<float>(dim), eps);
}

float squaresOf(const float* x, int count) {
  constexpr int kChains = 4;  // as in sumOf
  f32x4 sums[kChains] = {};
  int i = 0;
  for (; i + kChains * kLanes <= count; i += kChains * kLanes) {
    for (int chain = 0; chain < kChains; ++chain) {
      const f32x4 v = load(x + i + chain * kLanes);
      sums[chain] += v * v;
    }
  }
  for (; i + kLanes <= count; i += kLanes) sums[0] += load(x + i) * load(x + i);
  float total = sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < count; ++i) total += x[i] * x[i];
  return total;
}

template <Norm kNorm>
Moments momentsOf(const float* x, int dim, float eps) {
  if constexpr (kNorm == Norm::kRms) {
    double squares = 0;
    for (int i = 0; i < dim; i += kPiece) squares += squaresOf(x + i, std::min(dim - i, kPiece));
    return {0, 0, 1.0f / std::sqrt(static_cast<float>(squares / dim) + eps)};
  }
  if (dim > kPiece) return longMoments(x, dim, eps);
  const float n = static_cast<float>(dim);
  const float mean = sumOf(x, dim) / n;
  return momentsFrom(mean, deviationsOf(x, dim, mean), n, eps);
}

/// Whether squares overflow or underflow float32.
bool isExtreme(const Moments& m) { return !(m.scale > 0 && m.scale < 1e15f); }

/// The moments of such a row, and its normalised elements unless `out` is null.
[[gnu::noinline]] Moments normExtremeRow(Norm norm, const float* x, const float* weight, const float* bias, float* out,
                                         int dim, float eps) {
  double total = 0, squares = 0;
  if (norm == Norm::kLayer) total = std::accumulate(x, x + dim, 0.0);
  const double mean = total / dim;
  for (int i = 0; i < dim; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double scale = 1 / std::sqrt(squares / dim + eps);
  for (int i = 0; out && i < dim; ++i) {
    const float y = static_cast<float>((x[i] - mean) * scale);
    out[i] = (weight ? y * weight[i] : y) + (bias ? bias[i] : 0);
  }
  const float rounded = static_cast<float>(mean);
  return {rounded, static_cast<float>(mean - rounded), static_cast<float>(scale)};
}

// The cost of an element, in multiplications.
constexpr double kNormWork = 12;

template <Norm kNorm>
void normRowsOf(const float* x, const float* weight, const float* bias, float* out, Moments* moments, int rows, int dim,
                float eps) {
  for (int row = 0; row < rows; ++row, x += dim, out += dim) {
    Moments m = momentsOf<kNorm>(x, dim, eps);
    const bool extreme = isExtreme(m);
    if (extreme) m = normExtremeRow(kNorm, x, weight, bias, out, dim, eps);
    if (moments) moments[row] = m;
    if (extreme) continue;
    int i = 0;
    if constexpr (kNorm == Norm::kRms) {
      for (; i + kLanes <= dim; i += kLanes) store(out + i, load(x + i) * m.scale * load(weight + i));
      for (; i < dim; ++i) out[i] = x[i] * m.scale * weight[i];
    } else {
      for (; i + kLanes <= dim; i += kLanes) {
        const f32x4 y = m.normalise(load(x + i));
        const f32x4 weighed = weight ? y * load(weight + i) : y;
        store(out + i, bias ? weighed + load(bias + i) : weighed);
      }
      for (; i < dim; ++i) {
        const float y = m.normalise(x[i]);
        out[i] = (weight ? y * weight[i] : y) + (bias ? bias[i] : 0);
      }
    }
  }
}

}  // namespace

void normRows(Norm norm, const float* x, const float* weight, const float* bias, float* out, Moments* moments, int rows,
              int dim, float eps) {
  const auto normalise = norm == Norm::kRms ? normRowsOf<Norm::kRms> : normRowsOf<Norm::kLayer>;
  parallelParts(rows, 1, kNormWork * rows * dim, [&](int row, int count) {
    const size_t from = static_cast<size_t>(row) * dim;
    normalise(x + from, weight, bias, out + from, moments ? moments + row : nullptr, count, dim, eps);
  });
}

void norm(const NormArgs& a) {
  if (a.weights <= 1) return normRows(a.norm, a.x, a.weight, a.bias, a.out, nullptr, a.rows, a.dim, a.eps);
  for (int row = 0; row < a.rows; ++row) {
    const size_t at = static_cast<size_t>(row) * a.dim;
    const float* const weight = a.weight + static_cast<size_t>(row % a.weights) * a.dim;
    normRows(a.norm, a.x + at, weight, nullptr, a.out + at, nullptr, 1, a.dim, a.eps);
  }
}

namespace {

[[gnu::noinline]] Moments momentsOf(Norm norm, const float* x, int dim, float eps) {
  const Moments m = norm == Norm::kRms ? momentsOf<Norm::kRms>(x, dim, eps) : momentsOf<Norm::kLayer>(x, dim, eps);
  return isExtreme(m) ? normExtremeRow(norm, x, nullptr, nullptr, nullptr, dim, eps) : m;
}

[[gnu::noinline]] void normRunBackward(Norm norm, const float* grad_out, const float* x, const Moments* moments,
                                       const float* weight, float* grad_x, float* grad_weight, float* grad_bias,
                                       int rows, int dim, float eps) {
  const float n = static_cast<float>(dim);
  for (int row = 0; row < rows; ++row, grad_out += dim, x += dim, grad_x += dim) {
    const Moments m = moments ? moments[row] : momentsOf(norm, x, dim, eps);
    // y is the normalised x, g the gradient there: grad_x = scale * (g - mean(g) - y * mean(g * y)), for kRms without
    // mean(g).
    const auto y4 = [&](int i) { return m.normalise(load(x + i)); };
    const auto y1 = [&](int i) { return m.normalise(x[i]); };
    const auto g4 = [&](int i) { return weight ? load(grad_out + i) * load(weight + i) : load(grad_out + i); };
    const auto g1 = [&](int i) { return weight ? grad_out[i] * weight[i] : grad_out[i]; };
    double runs_g = 0, runs_gy = 0;
    f32x4 sums_g{}, sums_gy{};
    int i = 0;
    for (;;) {
      for (const int end = endOfRun(i, dim); i + kLanes <= end; i += kLanes) {
        const f32x4 y = y4(i);
        const f32x4 g = g4(i);
        sums_g += g;
        sums_gy += g * y;
        if (!weight) continue;
        store(grad_weight + i, load(grad_weight + i) + load(grad_out + i) * y);
        if (grad_bias) store(grad_bias + i, load(grad_bias + i) + load(grad_out + i));
      }
      if (i + kLanes > dim) break;
      runs_g += sum(sums_g);
      runs_gy += sum(sums_gy);
      sums_g = sums_gy = f32x4{};
    }
    float sum_g = sumOfRuns(runs_g, sum(sums_g)), sum_gy = sumOfRuns(runs_gy, sum(sums_gy));
    for (; i < dim; ++i) {
      const float y = y1(i);
      sum_g += g1(i);
      sum_gy += g1(i) * y;
      if (!weight) continue;
      grad_weight[i] += grad_out[i] * y;
      if (grad_bias) grad_bias[i] += grad_out[i];
    }
    const float mean_g = norm == Norm::kRms ? 0 : sum_g / n, mean_gy = sum_gy / n;
    i = 0;
    for (; i + kLanes <= dim; i += kLanes) store(grad_x + i, (g4(i) - mean_g - y4(i) * mean_gy) * m.scale);
    for (; i < dim; ++i) grad_x[i] = (g1(i) - mean_g - y1(i) * mean_gy) * m.scale;
  }
}

}  // namespace

int64_t normRowsBackwardScratch(int64_t rows, int dim) {
  Cutter cut(nullptr);
  RunningSum(cut, dim, rows);
  RunningSum(cut, dim, rows);
  return cut.used();
}

void normRowsBackward(Norm norm, const float* grad_out, const float* x, const Moments* moments, const float* weight,
                      float* grad_x, float* grad_weight, float* grad_bias, float* scratch, int rows, int dim,
                      float eps) {
  Cutter cut(scratch);
  RunningSum weights(cut, dim, rows), biases(cut, dim, rows);
  weights.start(weight ? grad_weight : nullptr, dim);
  biases.start(weight ? grad_bias : nullptr, dim);
  for (int row = 0; row < rows; row += kRun) {
    const size_t at = static_cast<size_t>(row) * dim;
    const int count = std::min(rows - row, kRun);
    normRunBackward(norm, grad_out + at, x + at, moments ? moments + row : nullptr, weight, grad_x + at, weights.to(),
                    biases.to(), count, dim, eps);
    weights.added(count);
    biases.added(count);
  }
  weights.finish();
  biases.finish();
}

int64_t normBackwardScratch(const NormGradArgs& a) { return a.weight ? normRowsBackwardScratch(a.rows, a.dim) : 0; }

void normBackward(const NormGradArgs& a, float* scratch) {
  normRowsBackward(a.norm, a.gradient, a.x, nullptr, a.weight, a.gradient, a.gradWeight, a.gradBias, scratch, a.rows,
                   a.dim, a.eps);
}

}  // namespace wasm_attention
