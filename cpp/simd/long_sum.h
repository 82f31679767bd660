// Sums of any length in float32. Rounding takes up to 1e-5 of a sum of some hundred terms, and several percent of one
// of millions. So terms are added in runs. The runs' sums are added in float64, or where they are vectors with
// compensation: what each addition loses is made up for by the next one (Kahan 1965).
#pragma once

#include "simd/f32x4.h"

namespace wasm_attention {

/// Terms of a run, and elements of one that is added up in vectors.
constexpr int kRun = 128;
constexpr int kRunElements = kRun * kLanes;

/// A row's sum from that of its last run and those of the runs before; of a row of one run it is that run's, to the
/// bit.
inline float sumOfRuns(double before, float last) { return before == 0 ? last : static_cast<float>(before + last); }

/// Where the run ends that begins with element `begin` of `count`.
inline int endOfRun(int begin, int count) { return count - begin < kRunElements ? count : begin + kRunElements; }

/// Four sums of runs.
struct LongSum {
  f32x4 sum{}, lost{};

  // Not inline, for the sake of the wasm's size: once in a run it costs nothing.
  void add(f32x4 run);
  void scale(f32x4 factor) {
    sum *= factor;
    lost *= factor;
  }
};

/// sums[i] += run[i] of `count` elements; `lost` belongs to the sums, and is zeros at first.
void addRun(const float* run, float* sums, float* lost, int count);

}  // namespace wasm_attention
