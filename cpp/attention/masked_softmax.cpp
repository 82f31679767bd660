// Three passes over a row: its maximum, exponentials and their sum, division.
// Today: npm run bench -- --work softmax,softmax-masked
#include <algorithm>
#include <cassert>

#include "attention.h"
#include "simd/exp.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

/// The first n (1 to 3) floats, then `fill`.
f32x4 loadPart(const float* p, int n, float fill) {
  f32x4 v = splat(fill);
  for (int i = 0; i < n; ++i) v[i] = p[i];
  return v;
}

void storePart(float* p, int n, f32x4 v) {
  for (int i = 0; i < n; ++i) p[i] = v[i];
}

float maximum(const float* x, int n) {
  constexpr int kChains = 4;  // a maximum has to wait only for the one before it in its chain
  f32x4 max[kChains];
  for (f32x4& m : max) m = splat(-kInfinity);
  int i = 0;
  for (; i + kChains * kLanes <= n; i += kChains * kLanes) {
    for (int c = 0; c < kChains; ++c) max[c] = wasm_attention::max(max[c], load(x + i + c * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) max[0] = wasm_attention::max(max[0], load(x + i));
  if (i < n) max[0] = wasm_attention::max(max[0], loadPart(x + i, n - i, -kInfinity));
  return wasm_attention::max(
      wasm_attention::max(wasm_attention::max(max[0], max[1]), wasm_attention::max(max[2], max[3])));
}

void softmaxRow(const float* x, float* out, int n) {
  const float max = maximum(x, n);
  // If all entries are -infinity or NaN, the maximum is -infinity. Subtracting 0 instead gives weights of 0 and keeps NaN.
  const float base = max == -kInfinity ? 0.0f : max;
  double runs = 0;
  f32x4 sums{};
  int i = 0;
  for (;;) {
    for (const int end = endOfRun(i, n); i + kLanes <= end; i += kLanes) {
      const f32x4 p = exp(load(x + i) - base);
      sums += p;
      store(out + i, p);
    }
    if (i + kLanes > n) break;
    runs += sum(sums);
    sums = f32x4{};
  }
  const int rest = n - i;
  if (rest > 0) {
    const f32x4 p = exp(loadPart(x + i, rest, -kInfinity) - base);
    sums += p;
    storePart(out + i, rest, p);
  }
  const float total = sumOfRuns(runs, sum(sums));
  const float scale = total == 0 ? 0.0f : 1 / total;
  for (i = 0; i + kLanes <= n; i += kLanes) store(out + i, load(out + i) * scale);
  if (rest > 0) storePart(out + i, rest, loadPart(out + i, rest, 0.0f) * scale);
}

}  // namespace

void maskedSoftmax(const float* x, const int32_t* valid, float* out, int rows, int cols) {
  for (int i = 0; i < rows; ++i, x += cols, out += cols) {
    const int n = valid ? valid[i] : cols;
    assert(0 <= n && n <= cols);
    softmaxRow(x, out, n);
    std::fill(out + n, out + cols, 0.0f);
  }
}

}  // namespace wasm_attention
