#include <cmath>

#include "attention.h"
#include "simd/exp.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

/// The largest of a row, or -infinity. Skips NaN, which then shows in the exponentials.
float largest(const float* x, int count) {
  f32x4 four = splat(-kInfinity);
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) four = max(four, load(x + i));
  float most = max(four);
  for (; i < count; ++i) most = x[i] > most ? x[i] : most;
  return most;
}

/// out = e^(x - shift); returns the sum.
float exponentials(const float* x, float shift, float* out, int count) {
  double runs = 0;
  f32x4 sums{};
  int i = 0;
  for (;;) {
    for (const int end = endOfRun(i, count); i + kLanes <= end; i += kLanes) {
      const f32x4 e = exp(load(x + i) - shift);
      sums += e;
      store(out + i, e);
    }
    if (i + kLanes > count) break;
    runs += sum(sums);
    sums = f32x4{};
  }
  float total = sumOfRuns(runs, sum(sums));
  for (; i < count; ++i) total += out[i] = exp(splat(x[i] - shift))[0];
  return total;
}

}  // namespace

double softmaxCrossEntropy(const float* logits, const int32_t* targets, float* grad_logits, int rows, int classes) {
  int counted = 0;
  for (int row = 0; row < rows; ++row) counted += targets[row] >= 0;
  double loss = 0;
  for (int row = 0; row < rows; ++row, logits += classes, grad_logits += classes) {
    const int target = targets[row];
    if (target < 0) {
      for (int i = 0; i < classes; ++i) grad_logits[i] = 0;
      continue;
    }
    const float most = largest(logits, classes);
    const double below =
        static_cast<double>(most) - logits[target];  // now, because the gradient may overwrite the logit
    const float total = exponentials(logits, most, grad_logits, classes);
    loss += static_cast<double>(std::log(total)) + below;
    const float scale = 1.0f / (total * static_cast<float>(counted));
    int i = 0;
    for (; i + kLanes <= classes; i += kLanes) store(grad_logits + i, load(grad_logits + i) * scale);
    for (; i < classes; ++i) grad_logits[i] *= scale;
    grad_logits[target] -= 1.0f / static_cast<float>(counted);
  }
  return loss / counted;
}

}  // namespace wasm_attention
