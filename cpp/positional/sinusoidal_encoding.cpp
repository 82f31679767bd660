// Versions tried, as wasm under Node 20 on a Sapphire Rapids core, one thread, medians in ms of the kernel alone for
// 1000 x 512 and 10000 x 1024, in pieces of 512 KB (copies into the caller's array add 0.05 and 1.5, the page faults of
// a fresh array of 41 MB another 15):
//
//                                                                        1000 x 512   10000 x 1024
//   libm's sin and cos of every angle                                       3.78          93.6
//   sinCos of every angle                                                   0.96          19.6
//   rotation, 2 frequencies in registers, rows inside                       0.30           6.8
//   rotation, 4 frequencies in registers, rows inside                       0.18           3.7
//   recurrence, 4 frequencies in registers, rows inside                     0.15           3.4
//   rotation, rows outside, one at a time, states in memory                 0.17           4.3
//   rotation, rows outside, 4 at a time                                     0.14           3.4
//   rotation, rows outside, 8 at a time                                     0.15           4.3
//   recurrence, rows outside, 8 at a time                                   0.12           2.8
//   recurrence, rows outside, 4 at a time (this one)                        0.12           2.5
//
// The recurrence is a rotation written with the two rows before: sin((p+1)w) = 2cos(w)·sin(pw) - sin((p-1)w), and the
// same for the cosine. It takes 4 operations for a pair where the product with a rotation takes 6. Its error grows with
// the square of the steps, n²·1e-16, hence the fresh start after kAnchorRows rows: 7e-12, and a float32 has 3e-8.
#include <algorithm>
#include <cassert>

#include "attention.h"
#include "positional/frequencies.h"

namespace wasm_attention {
namespace {

constexpr int kAnchorRows = 256;
constexpr int kStateVectors = 5;  // sin, cos, the two of the row before, 2cos(w)

/// Where the sines and cosines of a row go.
struct Layout {
  int sines, cosines, first_cosine, step;

  Layout(int dim, bool concatenated)
      : sines((dim + 1) / 2), cosines(dim / 2), first_cosine(concatenated ? sines : 1), step(concatenated ? 1 : 2) {}

  /// Frequencies j and j + 1 that both have a cosine: the even part.
  int whole() const { return cosines / 2 * 2; }

  void put(float* row, int j, f64x2 sin, f64x2 cos) const {
    if (step == 2) {
      storeFloatsInterleaved(row + 2 * j, sin, cos);
    } else {
      storeFloats(row + j, sin);
      storeFloats(row + first_cosine + j, cos);
    }
  }

  /// The same at the row's end, where a sine or a cosine may be missing.
  void putLast(float* row, int j, f64x2 sin, f64x2 cos) const {
    for (int lane = 0; lane < 2; ++lane, ++j) {
      if (j < sines) row[j * step] = static_cast<float>(sin[lane]);
      if (j < cosines) row[first_cosine + j * step] = static_cast<float>(cos[lane]);
    }
  }
};

/// Sines and cosines at `position` and one before it, and the factor of the recurrence.
void anchor(const double* frequencies, double* state, int dim, double position) {
  for (int j = 0; j < frequencyCount(dim); j += 2, state += 2 * kStateVectors) {
    const Frequencies w = loadFrequencies(frequencies, dim, j);
    const SinCos here = sinCosAt(w, position);
    const SinCos step = sinCosAt(w, 1.0);
    store(state, here.sin);
    store(state + 2, here.cos);
    store(state + 4, here.sin * step.cos - here.cos * step.sin);
    store(state + 6, here.cos * step.cos + here.sin * step.sin);
    store(state + 8, step.cos + step.cos);
  }
}

/// Writes `kRows` rows and advances the state by as many.
template <int kRows>
void advance(double* state, float* out, int dim, const Layout& layout) {
  const int whole = layout.whole();
  for (int j = 0; j < layout.sines; j += 2, state += 2 * kStateVectors) {
    f64x2 sin = load(state), cos = load(state + 2), sin_before = load(state + 4), cos_before = load(state + 6);
    const f64x2 factor = load(state + 8);
    float* row = out;
    for (int i = 0; i < kRows; ++i, row += dim) {
      if (j < whole) {
        layout.put(row, j, sin, cos);
      } else {
        layout.putLast(row, j, sin, cos);
      }
      const f64x2 sin_next = factor * sin - sin_before, cos_next = factor * cos - cos_before;
      sin_before = sin;
      cos_before = cos;
      sin = sin_next;
      cos = cos_next;
    }
    store(state, sin);
    store(state + 2, cos);
    store(state + 4, sin_before);
    store(state + 6, cos_before);
  }
}

}  // namespace

int sinusoidalEncodingScratch(int dim) { return 2 * kStateVectors * frequencyCount(dim); }

void sinusoidalEncoding(const double* frequencies, double* scratch, float* out, int rows, int dim, double offset,
                        bool concatenated) {
  assert(dim > 0);
  const Layout layout(dim, concatenated);
  const size_t width = dim;
  for (int start = 0; start < rows; start += kAnchorRows) {
    anchor(frequencies, scratch, dim, offset + start);
    const int end = std::min(rows, start + kAnchorRows);
    int i = start;
    for (; i + 4 <= end; i += 4) advance<4>(scratch, out + i * width, dim, layout);
    for (; i < end; ++i) advance<1>(scratch, out + i * width, dim, layout);
  }
}

void sinusoidalEncodingAt(const double* frequencies, const double* positions, float* out, int rows, int dim,
                          bool concatenated) {
  assert(dim > 0);
  const Layout layout(dim, concatenated);
  for (int i = 0; i < rows; ++i, out += dim) {
    for (int j = 0; j < layout.sines; j += 2) {
      const SinCos pair = sinCosAt(loadFrequencies(frequencies, dim, j), positions[i]);
      if (j < layout.whole()) {
        layout.put(out, j, pair.sin, pair.cos);
      } else {
        layout.putLast(out, j, pair.sin, pair.cos);
      }
    }
  }
}

}  // namespace wasm_attention
