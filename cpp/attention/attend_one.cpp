// Versions tried (µs for 8 heads of width 8 over 4 of keys, 100 keys; Sapphire Rapids, Node 20):
//   scaledDotProductAttention, which packs keys into panels   12.6
//   a dot product for each key, four at a time                 1.9   <- this
// Today: npm run bench -- --work story
#include "attention/attend_one.h"

#include <algorithm>
#include <cstring>

#include "attention/cache_rows.h"
#include "attention/visible.h"
#include "kernels/parallel.h"
#include "kernels/softmax_row.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

constexpr int kKeys = 4;    // keys whose dot products are computed together
constexpr int kTile = 128;  // rows of a cache that are widened at a time

/// out[i] = q . k[i] for four keys, a stride apart.
f32x4 dotFour(const float* q, const float* k, ptrdiff_t stride, int width) {
  f32x4 s0{}, s1{}, s2{}, s3{};
  int e = 0;
  for (; e + kLanes <= width; e += kLanes) {
    const f32x4 x = load(q + e);
    s0 += x * load(k + e);
    s1 += x * load(k + stride + e);
    s2 += x * load(k + 2 * stride + e);
    s3 += x * load(k + 3 * stride + e);
  }
  const f32x4 a = __builtin_shufflevector(s0, s1, 0, 4, 1, 5) + __builtin_shufflevector(s0, s1, 2, 6, 3, 7);
  const f32x4 b = __builtin_shufflevector(s2, s3, 0, 4, 1, 5) + __builtin_shufflevector(s2, s3, 2, 6, 3, 7);
  f32x4 sums = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
  for (; e < width; ++e) {
    const f32x4 column{k[e], k[stride + e], k[2 * stride + e], k[3 * stride + e]};
    sums += q[e] * column;
  }
  return sums;
}

float scoreOf(const float* q, const float* k, int width) {
  float sum = 0;
  for (int e = 0; e < width; ++e) sum += q[e] * k[e];
  return sum;
}

/// out (width) += the sum of p[i] * v[i] over `count` values, a stride apart.
void mixRow(const float* p, const float* v, ptrdiff_t stride, int count, float* out, int width) {
  constexpr int kAtOnce = 8;
  int e = 0;
  for (; e + kAtOnce * kLanes <= width; e += kAtOnce * kLanes) {
    f32x4 sums[kAtOnce];
    for (int j = 0; j < kAtOnce; ++j) sums[j] = load(out + e + j * kLanes);
    for (int i = 0; i < count; ++i) {
      const float* const row = v + i * stride + e;
      for (int j = 0; j < kAtOnce; ++j) sums[j] += p[i] * load(row + j * kLanes);
    }
    for (int j = 0; j < kAtOnce; ++j) store(out + e + j * kLanes, sums[j]);
  }
  for (; e + kLanes <= width; e += kLanes) {
    f32x4 even = load(out + e), odd{};
    int i = 0;
    for (; i + 2 <= count; i += 2) {
      even += p[i] * load(v + i * stride + e);
      odd += p[i + 1] * load(v + (i + 1) * stride + e);
    }
    if (i < count) even += p[i] * load(v + i * stride + e);
    store(out + e, even + odd);
  }
  for (; e < width; ++e) {
    float sum = out[e];
    for (int i = 0; i < count; ++i) sum += p[i] * v[i * stride + e];
    out[e] = sum;
  }
}

struct Rows {
  const float* data;
  ptrdiff_t stride;
};

/// The rows as float32: in place, or widened into `tile`.
Rows floatsOf(Rows rows, int count, int width, WeightType type, float* tile) {
  if (type == WeightType::kFloat32) return rows;
  unpackCacheRows(rows.data, rows.stride, count, width, type, tile);
  return {tile, width};
}

/// The mask of a head's only query.
struct Mask {
  const uint8_t* bytes;
  int step, columns;

  Mask(const AttentionArgs& a, int b, int h)
      : bytes(a.mask), step(a.maskStep), columns(a.maskStep == 0 ? a.keys : a.maskColumns) {
    if (bytes) bytes += b * ptrdiff_t{a.maskStrides.batch} + h * ptrdiff_t{a.maskStrides.head};
  }

  bool hides(int key) const { return bytes && (key >= columns || !bytes[key * step]); }

  /// The keys without hidden ones at their ends. Without any between them, nothing is hidden from here on.
  Interval trim(Interval keys) {
    while (keys.begin < keys.end && hides(keys.begin)) ++keys.begin;
    while (keys.begin < keys.end && hides(keys.end - 1)) --keys.end;
    const int count = std::max(0, keys.end - keys.begin);
    if (bytes && step == 1 && !std::memchr(bytes + keys.begin, 0, count)) bytes = nullptr;
    return keys;
  }

  /// The first key from `key` on, and before `end`, that is hidden or not, as `hidden` says; or `end`.
  int next(int key, int end, bool hidden) const {
    if (!bytes) return hidden ? end : key;
    while (key < end && hides(key) != hidden) ++key;
    return key;
  }
};

}  // namespace

bool isOneQuery(const AttentionArgs& a) {
  const bool has_terms = a.bias || a.relativeKeys || a.relativeValues || a.alibiSlopes || a.sinks || a.softcap != 0;
  const bool has_masks = a.validLens || a.packed || a.dropout != 0;
  return a.queries == 1 && !has_terms && !has_masks && !a.scores && !a.logSumExp;
}

bool isFloat32(const AttentionArgs& a) {
  return a.keyType == WeightType::kFloat32 && a.valueType == WeightType::kFloat32;
}

int64_t attendOneScratch(const AttentionArgs& a) {
  const int64_t tile = isFloat32(a) ? 0 : int64_t{kTile} * std::max(a.width, a.valueWidth);
  return threadCount() * (a.keys + tile);
}

void attendOne(const AttentionArgs& a, float* scratch) {
  const int group = a.heads / a.kvHeads;
  const int64_t own = attendOneScratch(a) / threadCount();
  const double work = 2.0 * a.batch * a.heads * a.keys * a.width;
  parallelFor(a.batch * a.heads, work, [&](int i, int thread) {
    const int b = i / a.heads, h = i % a.heads;
    Mask mask(a, b, h);
    const auto [first, end] = mask.trim(visibleKeys(a, b, 0));
    const int count = std::max(0, end - first);
    const int step = isFloat32(a) ? count : kTile;
    const float* const q =
        a.query + static_cast<ptrdiff_t>(b) * a.queryStrides.batch + static_cast<ptrdiff_t>(h) * a.queryStrides.head;
    const ptrdiff_t key_row = a.keyStrides.row, value_row = a.valueStrides.row;
    const float* const keys = a.key + static_cast<ptrdiff_t>(b) * a.keyStrides.batch +
                              static_cast<ptrdiff_t>(h / group) * a.keyStrides.head + first * key_row;
    const float* const values = a.value + static_cast<ptrdiff_t>(b) * a.valueStrides.batch +
                                static_cast<ptrdiff_t>(h / group) * a.valueStrides.head + first * value_row;
    float* const p = scratch + thread * own;
    float* const tile = p + a.keys;
    for (int at = 0; at < count; at += step) {
      const int rows = std::min(step, count - at);
      const auto [k, row] = floatsOf({keys + at * key_row, key_row}, rows, a.width, a.keyType, tile);
      float* const scores = p + at;
      int j = 0;
      for (; j + kKeys <= rows; j += kKeys) store(scores + j, dotFour(q, k + j * row, row, a.width) * a.scale);
      for (; j < rows; ++j) scores[j] = scoreOf(q, k + j * row, a.width) * a.scale;
      for (j = 0; mask.bytes && j < rows; ++j) {
        if (mask.hides(first + at + j)) scores[j] = -kInfinity;
      }
    }
    const float most = largest(p, count);
    const float total = exponentials(p, most == -kInfinity ? 0.0f : most, p, count);
    scaleRow(p, count, total == 0 ? 0.0f : 1 / total);
    float* const out =
        a.output + static_cast<ptrdiff_t>(b) * a.outputStrides.batch + static_cast<ptrdiff_t>(h) * a.outputStrides.head;
    std::fill(out, out + a.valueWidth, 0.0f);
    for (int at = 0; at < count; at += step) {
      const int rows = std::min(step, count - at);
      const auto [v, row] = floatsOf({values + at * value_row, value_row}, rows, a.valueWidth, a.valueType, tile);
      // Hidden values may be NaN.
      for (int from = 0; from < rows;) {
        const int begin = mask.next(first + at + from, first + at + rows, false) - first - at;
        const int stop = mask.next(first + at + begin, first + at + rows, true) - first - at;
        mixRow(p + at + begin, v + begin * row, row, stop - begin, out, a.valueWidth);
        from = stop;
      }
    }
    if (a.weights) {
      float* const weights = a.weights + static_cast<size_t>(i) * a.keys;
      std::fill(weights, weights + a.keys, 0.0f);
      std::copy(p, p + count, weights + first);
    }
  });
}

}  // namespace wasm_attention
