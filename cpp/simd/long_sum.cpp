#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

inline LongSum plus(LongSum total, f32x4 run) {
  const f32x4 y = run - total.compensation;
  const f32x4 next = total.sum + y;
  // The compensation of infinity would be NaN, and make the sum NaN.
  const i32x4 finite = next - next == f32x4{};
  return {next, select(finite, (next - total.sum) - y, f32x4{})};
}

}  // namespace

void LongSum::add(f32x4 run) { *this = plus(*this, run); }

void addRun(const float* run, float* sums, float* compensation, int count) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const LongSum total = plus({load(sums + i), load(compensation + i)}, load(run + i));
    store(sums + i, total.sum);
    store(compensation + i, total.compensation);
  }
  for (; i < count; ++i) {
    const LongSum total = plus({splat(sums[i]), splat(compensation[i])}, splat(run[i]));
    sums[i] = total.sum[0];
    compensation[i] = total.compensation[0];
  }
}

}  // namespace wasm_attention
