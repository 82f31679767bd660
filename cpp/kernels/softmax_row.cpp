#include "kernels/softmax_row.h"

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

}  // namespace

float largest(const float* x, int n) {
  constexpr int kChains = 4;  // a maximum depends only on the previous one in its chain
  f32x4 most[kChains];
  for (f32x4& m : most) m = splat(-kInfinity);
  int i = 0;
  for (; i + kChains * kLanes <= n; i += kChains * kLanes) {
    for (int c = 0; c < kChains; ++c) most[c] = max(most[c], load(x + i + c * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) most[0] = max(most[0], load(x + i));
  if (i < n) most[0] = max(most[0], loadPart(x + i, n - i, -kInfinity));
  return max(max(max(most[0], most[1]), max(most[2], most[3])));
}

float exponentials(const float* x, float base, float* out, int n) {
  double runs = 0;
  f32x4 sums{};
  int i = 0;
  for (;;) {
    for (const int end = endOfRun(i, n); i + kLanes <= end; i += kLanes) {
      const f32x4 e = exp(load(x + i) - base);
      sums += e;
      store(out + i, e);
    }
    if (i + kLanes > n) break;
    runs += sum(sums);
    sums = f32x4{};
  }
  const int rest = n - i;
  if (rest > 0) {
    const f32x4 e = exp(loadPart(x + i, rest, -kInfinity) - base);
    sums += e;
    storePart(out + i, rest, e);
  }
  return sumOfRuns(runs, sum(sums));
}

void scaleRow(float* x, int n, float factor) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) store(x + i, load(x + i) * factor);
  if (i < n) storePart(x + i, n - i, loadPart(x + i, n - i, 0.0f) * factor);
}

}  // namespace wasm_attention
