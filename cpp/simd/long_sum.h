// Sums of any length in float32. Rounding errors reach 1e-5 of a sum of a few hundred terms, and several percent of one
// of millions. So terms are added in runs, whose sums are added in float64, or if they are vectors with compensation:
// the next addition makes up for what an addition has lost (Kahan 1965).
#pragma once

#include "simd/f32x4.h"

namespace wasm_attention {

/// The number of terms in a run, and of elements in a run of vectors.
constexpr int kRun = 128;
constexpr int kRunElements = kRun * kLanes;

/// The sum of a row, from those of the previous runs and the last one. The sum of a single run stays the same bits.
inline float sumOfRuns(double before, float last) { return before == 0 ? last : static_cast<float>(before + last); }

/// The end of the run that begins with element `begin` of `count`.
inline int endOfRun(int begin, int count) { return count - begin < kRunElements ? count : begin + kRunElements; }

/// Four sums of runs.
struct LongSum {
  f32x4 sum{}, compensation{};

  // Not inline, to keep the wasm small; it costs nothing once in a run.
  void add(f32x4 run);
  void scale(f32x4 factor) {
    sum *= factor;
    compensation *= factor;
  }
};

/// sums[i] += run[i] for `count` elements; `compensation` is theirs, initially zeros.
void addRun(const float* run, float* sums, float* compensation, int count);

}  // namespace wasm_attention
