// Versions tried (µs of a head of 1024 rows of 64 in a core's cache, halves / neighbours; copying it in and out takes
// 9; Sapphire Rapids, Node 20):
//   one vector at a time                   14.4 / 15.2
//   four vectors at a time                 12.4 / 14.5
//   two vectors of two heads at a time     9.9 / 11.5   <- this
// Today: npm run bench -- --work rotary-12x1024
#include <algorithm>
#include <cassert>
#include <cstring>

#include "attention.h"
#include "kernels/parallel.h"
#include "positional/frequencies.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

// The number of rows at a time, whose sines and cosines stay in L1 while all heads use them.
constexpr int kRowBlock = 64;

/// Rotates pairs (a, b) forward or back.
template <bool kBack, typename T>
inline void rotatePair(T a, T b, T sin, T cos, T* rotated_a, T* rotated_b) {
  *rotated_a = kBack ? a * cos + b * sin : a * cos - b * sin;
  *rotated_b = kBack ? b * cos - a * sin : b * cos + a * sin;
}

/// Pairs (j, j + half).
template <bool kBack>
struct Halves {
  static void rotateFour(const float* x, f32x4 sin, f32x4 cos, float* out, int half) {
    f32x4 a, b;
    rotatePair<kBack>(load(x), load(x + half), sin, cos, &a, &b);
    store(out, a);
    store(out + half, b);
  }
  static void rotateOne(const float* x, float sin, float cos, float* out, int half) {
    rotatePair<kBack>(x[0], x[half], sin, cos, out, out + half);
  }
  static constexpr int kStep = 1;  // from one pair's first component to the next pair's
};

/// Pairs (2j, 2j + 1).
template <bool kBack>
struct Neighbours {
  static void rotateFour(const float* x, f32x4 sin, f32x4 cos, float* out, int) {
    const f32x4 low = load(x), high = load(x + kLanes);
    f32x4 a = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    f32x4 b = __builtin_shufflevector(low, high, 1, 3, 5, 7);
    rotatePair<kBack>(a, b, sin, cos, &a, &b);
    store(out, __builtin_shufflevector(a, b, 0, 4, 1, 5));
    store(out + kLanes, __builtin_shufflevector(a, b, 2, 6, 3, 7));
  }
  static void rotateOne(const float* x, float sin, float cos, float* out, int) {
    rotatePair<kBack>(x[0], x[1], sin, cos, out, out + 1);
  }
  static constexpr int kStep = 2;
};

/// One row of each of `kHeads` heads, which lie `stride` apart.
template <class Pairs, int kHeads>
void rotateRow(const float* x, const float* sin, float* out, int half, size_t stride) {
  const float* cos = sin + half;
  int j = 0;
  const auto rotateVector = [&](int j) {
    const f32x4 s = load(sin + j), c = load(cos + j);
    for (int h = 0; h < kHeads; ++h) {
      const size_t at = h * stride + Pairs::kStep * j;
      Pairs::rotateFour(x + at, s, c, out + at, half);
    }
  };
  for (; j + 2 * kLanes <= half; j += 2 * kLanes) {
    rotateVector(j);
    rotateVector(j + kLanes);
  }
  if (j + kLanes <= half) {
    rotateVector(j);
    j += kLanes;
  }
  for (; j < half; ++j) {
    for (int h = 0; h < kHeads; ++h) {
      const size_t at = h * stride + Pairs::kStep * j;
      Pairs::rotateOne(x + at, sin[j], cos[j], out + at, half);
    }
  }
}

/// Rows from <= i < to of each of `kHeads` heads.
template <class Pairs, int kHeads>
void rotateRows(const float* x, const float* table, float* out, const RotaryArgs& n, int from, int to) {
  const size_t rest = out == x ? 0 : sizeof(float) * (n.width - n.rotaryWidth);
  const size_t head = n.strides.head;
  for (int i = from; i < to; ++i) {
    const size_t at = static_cast<size_t>(i) * n.strides.row;
    rotateRow<Pairs, kHeads>(x + at, table + static_cast<size_t>(i) * n.rotaryWidth, out + at, n.rotaryWidth / 2, head);
    if (!rest) continue;
    for (int h = 0; h < kHeads; ++h) {
      const size_t behind = at + h * head + n.rotaryWidth;
      std::memcpy(out + behind, x + behind, rest);
    }
  }
}

/// Rows from <= i < to of all heads of a sequence.
template <class Pairs>
void rotateHeads(const float* x, const float* table, float* out, const RotaryArgs& n, int from, int to) {
  int h = 0;
  for (; h + 2 <= n.heads; h += 2) {
    const size_t at = static_cast<size_t>(h) * n.strides.head;
    rotateRows<Pairs, 2>(x + at, table, out + at, n, from, to);
  }
  if (h < n.heads) {
    const size_t at = static_cast<size_t>(h) * n.strides.head;
    rotateRows<Pairs, 1>(x + at, table, out + at, n, from, to);
  }
}

template <bool kBack>
void rotateSequences(const RotaryArgs& n) {
  assert(n.rotaryWidth > 0 && n.rotaryWidth % 2 == 0 && n.rotaryWidth <= n.width);
  for (int b = 0; b < n.batch; ++b) {
    const ptrdiff_t at = static_cast<ptrdiff_t>(b) * n.strides.batch;
    const float* const table = n.table + static_cast<ptrdiff_t>(b) * n.tableBatch;
    parallelParts(n.rows, kRowBlock, 8.0 * n.rows * n.heads * n.rotaryWidth, [&](int first, int count) {
      for (int from = first; from < first + count; from += kRowBlock) {
        const int to = std::min(first + count, from + kRowBlock);
        (n.interleaved ? rotateHeads<Neighbours<kBack>> : rotateHeads<Halves<kBack>>)(n.x + at, table, n.out + at, n,
                                                                                      from, to);
      }
    });
  }
}

}  // namespace

namespace {

SinusoidalArgs encodingOf(const RotaryTableArgs& a) {
  SinusoidalArgs encoding{};
  encoding.offset = a.offset;
  encoding.frequencies = a.frequencies;
  encoding.positions = a.positions;
  encoding.out = a.out;
  encoding.rows = a.rows;
  encoding.dim = a.dim;
  encoding.concatenated = 1;
  return encoding;
}

/// The sines and cosines of positions with several axes.
void encodeAxes(const RotaryTableArgs& a) {
  const int half = a.dim / 2;
  for (int i = 0; i < a.rows; ++i) {
    float* const sines = a.out + static_cast<size_t>(i) * a.dim;
    const auto positionOf = [&](int j) { return a.positions[static_cast<size_t>(a.axes[j]) * a.rows + i]; };
    for (int j = 0; j < half; j += 2) {
      const bool two = j + 1 < half;
      const Frequencies w = loadFrequencies(a.frequencies, a.dim, j);
      const f64x2 at{positionOf(j), two ? positionOf(j + 1) : 0};
      const SinCos pair = sinCos(w.high * at, w.low * at);
      for (int lane = 0; lane <= two; ++lane) {
        sines[j + lane] = static_cast<float>(pair.sin[lane]);
        sines[half + j + lane] = static_cast<float>(pair.cos[lane]);
      }
    }
  }
}

}  // namespace

int64_t rotaryTableScratch(const RotaryTableArgs& args) {
  return args.axes ? 0 : sinusoidalEncodingScratch(encodingOf(args));
}

void rotaryTable(const RotaryTableArgs& args, double* scratch) {
  if (args.axes) {
    encodeAxes(args);
  } else {
    sinusoidalEncoding(encodingOf(args), scratch);
  }
  if (args.amplitude == 1) return;
  const size_t count = static_cast<size_t>(args.rows) * args.dim;
  for (size_t i = 0; i < count; ++i) args.out[i] *= static_cast<float>(args.amplitude);
}

void rotaryEmbedding(const RotaryArgs& args) { rotateSequences<false>(args); }

void rotaryEmbeddingBackward(const RotaryArgs& args) { rotateSequences<true>(args); }

}  // namespace wasm_attention
