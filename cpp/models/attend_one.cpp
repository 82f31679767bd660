// Versions tried (µs for 8 heads of width 8 over 4 of keys, 100 keys; Sapphire Rapids, Node 20):
//   scaledDotProductAttention, which packs keys into panels   12.6
//   a dot product for each key, four at a time                 1.9   <- this
// Today: npm run bench -- --work story
#include "models/attend_one.h"

#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/softmax_row.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

constexpr int kKeys = 4;  // whose dot products are summed up together

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

float dot(const float* q, const float* k, int width) {
  float sum = 0;
  for (int e = 0; e < width; ++e) sum += q[e] * k[e];
  return sum;
}

/// out (width) = the sum of p[i] * v[i] over `count` values, a stride apart.
void mixRow(const float* p, const float* v, ptrdiff_t stride, int count, float* out, int width) {
  constexpr int kAtOnce = 8;
  int e = 0;
  for (; e + kAtOnce * kLanes <= width; e += kAtOnce * kLanes) {
    f32x4 sums[kAtOnce]{};
    for (int i = 0; i < count; ++i) {
      const float* const row = v + i * stride + e;
      for (int j = 0; j < kAtOnce; ++j) sums[j] += p[i] * load(row + j * kLanes);
    }
    for (int j = 0; j < kAtOnce; ++j) store(out + e + j * kLanes, sums[j]);
  }
  for (; e + kLanes <= width; e += kLanes) {
    f32x4 even{}, odd{};
    int i = 0;
    for (; i + 2 <= count; i += 2) {
      even += p[i] * load(v + i * stride + e);
      odd += p[i + 1] * load(v + (i + 1) * stride + e);
    }
    if (i < count) even += p[i] * load(v + i * stride + e);
    store(out + e, even + odd);
  }
  for (; e < width; ++e) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += p[i] * v[i * stride + e];
    out[e] = sum;
  }
}

}  // namespace

bool isOneQuery(const AttentionArgs& a) {
  const bool has_terms = a.bias || a.relativeKeys || a.relativeValues || a.alibiSlopes || a.sinks || a.softcap != 0;
  const bool has_masks = a.mask || a.validLens || a.packed || a.dropout != 0;
  return a.queries == 1 && !has_terms && !has_masks && !a.scores && !a.logSumExp;
}

int64_t attendOneScratch(const AttentionArgs& a) { return int64_t{threadCount()} * a.keys; }

void attendOne(const AttentionArgs& a, float* scratch) {
  const int group = a.heads / a.kvHeads;
  const double work = 2.0 * a.batch * a.heads * a.keys * a.width;
  parallelFor(a.batch * a.heads, work, [&](int i, int thread) {
    const int b = i / a.heads, h = i % a.heads;
    const int position = a.offsets ? a.offsets[b] : 0;
    const int first = a.windowLeft < 0 ? 0 : std::max(0, position - a.windowLeft);
    const int end = a.windowRight < 0 ? a.keys : std::min(a.keys, position + a.windowRight + 1);
    const int count = std::max(0, end - first);
    const float* const q =
        a.query + static_cast<ptrdiff_t>(b) * a.queryStrides.batch + static_cast<ptrdiff_t>(h) * a.queryStrides.head;
    const ptrdiff_t key_row = a.keyStrides.row, value_row = a.valueStrides.row;
    const float* const keys = a.key + static_cast<ptrdiff_t>(b) * a.keyStrides.batch +
                              static_cast<ptrdiff_t>(h / group) * a.keyStrides.head + first * key_row;
    const float* const values = a.value + static_cast<ptrdiff_t>(b) * a.valueStrides.batch +
                                static_cast<ptrdiff_t>(h / group) * a.valueStrides.head + first * value_row;
    float* const p = scratch + static_cast<ptrdiff_t>(thread) * a.keys;
    int k = 0;
    for (; k + kKeys <= count; k += kKeys) store(p + k, dotFour(q, keys + k * key_row, key_row, a.width) * a.scale);
    for (; k < count; ++k) p[k] = dot(q, keys + k * key_row, a.width) * a.scale;
    const float most = largest(p, count);
    const float total = exponentials(p, most == -kInfinity ? 0.0f : most, p, count);
    scaleRow(p, count, total == 0 ? 0.0f : 1 / total);
    float* const out =
        a.output + static_cast<ptrdiff_t>(b) * a.outputStrides.batch + static_cast<ptrdiff_t>(h) * a.outputStrides.head;
    mixRow(p, values, value_row, count, out, a.valueWidth);
    if (a.weights) {
      float* const weights = a.weights + static_cast<size_t>(i) * a.keys;
      std::fill(weights, weights + a.keys, 0.0f);
      std::copy(p, p + count, weights + first);
    }
  });
}

}  // namespace wasm_attention
