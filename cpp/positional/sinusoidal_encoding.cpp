// A recurrence over the positions: sin((p+1)w) = 2cos(w)·sin(pw) - sin((p-1)w), and the same for the cosine. It takes 4
// operations for a pair; a rotation by w takes 6. The error after n steps is n²·1e-16, so it starts again after
// kAnchorRows rows, at 7e-12; float32 rounds at 3e-8.
//
// Versions tried (ms of the kernel for 1000 x 512 / 10000 x 1024 in pieces of 512 KB; copies into the caller's array
// add 0.05 and 1.5; Sapphire Rapids, Node 20):
//   libm's sin and cos of every angle                         3.78 / 93.6
//   sinCos of every angle                                     0.96 / 19.6
//   rotation, 2 frequencies in registers, rows inside         0.30 / 6.8
//   rotation, 4 frequencies in registers, rows inside         0.18 / 3.7
//   recurrence, 4 frequencies in registers, rows inside       0.15 / 3.4
//   rotation, rows outside one at a time, states in memory    0.17 / 4.3
//   rotation, rows outside 4 at a time                        0.14 / 3.4
//   rotation, rows outside 8 at a time                        0.15 / 4.3
//   recurrence, rows outside 8 at a time                      0.12 / 2.8
//   recurrence, rows outside 4 at a time                      0.12 / 2.5   <- this
// Today: npm run bench -- --work table-1000,table-10000
#include <algorithm>
#include <cassert>

#include "attention.h"
#include "positional/frequencies.h"

namespace wasm_attention {
namespace {

constexpr int kAnchorRows = 256;
constexpr int kStateVectors = 5;  // sin and cos, sin and cos of the previous row, 2cos(w)

/// sin w0, cos w0, sin w1, …
struct Interleaved {
  explicit Interleaved(int) {}
  static int sine(int j) { return 2 * j; }
  static int cosine(int j) { return 2 * j + 1; }
  static void put(float* row, int j, f64x2 sin, f64x2 cos) { storeFloatsInterleaved(row + 2 * j, sin, cos); }
};

/// All sines, then all cosines.
struct Concatenated {
  const int sines;
  explicit Concatenated(int dim) : sines((dim + 1) / 2) {}
  static int sine(int j) { return j; }
  int cosine(int j) const { return sines + j; }
  void put(float* row, int j, f64x2 sin, f64x2 cos) const { storeFloats(row + j, sin, row + sines + j, cos); }
};

/// The number of frequencies that can be written as whole vectors: both lanes have a sine and a cosine in the row.
int wholePairs(int dim) { return dim / 4 * 2; }

/// `put` for the rest of the row, where a sine or cosine may have no column.
template <class Layout>
void putLast(const Layout& layout, float* row, int dim, int j, f64x2 sin, f64x2 cos) {
  for (int lane = 0; lane < 2; ++lane, ++j) {
    if (2 * j < dim) row[layout.sine(j)] = static_cast<float>(sin[lane]);
    if (2 * j + 1 < dim) row[layout.cosine(j)] = static_cast<float>(cos[lane]);
  }
}

/// The state at `position`: sines and cosines there and at the position before, and the factor of the recurrence.
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

/// Writes `kRows` rows and advances the state.
template <int kRows, class Layout>
void advance(const Layout& layout, double* state, float* out, int dim) {
  const int whole = wholePairs(dim);
  for (int j = 0; 2 * j < dim; j += 2, state += 2 * kStateVectors) {
    f64x2 sin = load(state), cos = load(state + 2), sin_before = load(state + 4), cos_before = load(state + 6);
    const f64x2 factor = load(state + 8);
    float* row = out;
    for (int i = 0; i < kRows; ++i, row += dim) {
      if (j < whole) {
        layout.put(row, j, sin, cos);
      } else {
        putLast(layout, row, dim, j, sin, cos);
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

template <class Layout>
void encodeRange(const double* frequencies, double* scratch, float* out, int rows, int dim, double offset) {
  const Layout layout(dim);
  const size_t width = dim;
  for (int start = 0; start < rows; start += kAnchorRows) {
    anchor(frequencies, scratch, dim, offset + start);
    const int end = std::min(rows, start + kAnchorRows);
    int i = start;
    for (; i + 4 <= end; i += 4) advance<4>(layout, scratch, out + i * width, dim);
    for (; i < end; ++i) advance<1>(layout, scratch, out + i * width, dim);
  }
}

template <class Layout>
void encodeList(const double* frequencies, const double* positions, float* out, int rows, int dim) {
  const Layout layout(dim);
  for (int i = 0; i < rows; ++i, out += dim) {
    for (int j = 0; 2 * j < dim; j += 2) {
      const SinCos pair = sinCosAt(loadFrequencies(frequencies, dim, j), positions[i]);
      if (j < wholePairs(dim)) {
        layout.put(out, j, pair.sin, pair.cos);
      } else {
        putLast(layout, out, dim, j, pair.sin, pair.cos);
      }
    }
  }
}

template <class Layout>
void encode(const SinusoidalArgs& a, double* scratch) {
  if (a.positions) return encodeList<Layout>(a.frequencies, a.positions, a.out, a.rows, a.dim);
  encodeRange<Layout>(a.frequencies, scratch, a.out, a.rows, a.dim, a.offset);
}

}  // namespace

int64_t sinusoidalEncodingScratch(const SinusoidalArgs& args) {
  return args.positions ? 0 : kStateVectors * int64_t{frequencyCount(args.dim)};
}

void sinusoidalEncoding(const SinusoidalArgs& args, double* scratch) {
  assert(args.dim > 0);
  (args.concatenated ? encode<Concatenated> : encode<Interleaved>)(args, scratch);
}

}  // namespace wasm_attention
