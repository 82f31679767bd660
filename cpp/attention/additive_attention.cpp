// Processes one query at a time, so that working memory is linear in L and S.
#include "attention/additive_attention.h"

#include "kernels/gemm.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "simd/long_sum.h"
#include "simd/tanh.h"

namespace wasm_attention {
namespace {

/// out (rows, padded) = x * weight^T.
void project(const float* x, const float* packed, float* out, int rows, int inputs, int hiddens, int padded) {
  std::fill_n(out, static_cast<size_t>(rows) * padded, 0.0f);
  gemm(x, inputs, packed, nullptr, out, padded, rows, hiddens, inputs);
}

/// additiveScores; a template, because testing `tanhs` in the loop would cost time.
template <bool kKeep>
void scoreKeys(const float* query, const float* key, const float* vector, float* scores, float* tanhs, int keys,
               int padded) {
  for (int j = 0; j < keys; ++j, key += padded) {
    f32x4 sums{};
    for (int d = 0; d < padded; d += kLanes) {
      const f32x4 t = tanh(load(query + d) + load(key + d));
      if constexpr (kKeep) store(tanhs + d, t);
      sums += load(vector + d) * t;
    }
    if constexpr (kKeep) tanhs += padded;
    scores[j] = sum(sums);
  }
}

/// output = the sum of weights[j] * value[j] over `keys` rows (keys, width).
/// scratch  (2 * width)
void mixRows(const float* weights, const float* value, float* output, float* scratch, int keys, int width) {
  float* const compensation = scratch + width;
  std::fill_n(output, width, 0.0f);
  std::fill_n(compensation, width, 0.0f);
  for (int j = 0; j < keys;) {
    std::fill_n(scratch, width, 0.0f);
    for (const int end = std::min(keys - j, kRun) + j; j < end; ++j, value += width) {
      addScaled(weights[j], value, scratch, width);
    }
    addRun(scratch, output, compensation, width);
  }
}

int64_t mixScratch(const AdditiveAttentionArgs& args) { return 2 * roundUp(int64_t{args.valueWidth}, kLanes); }

}  // namespace

[[gnu::noinline]] AdditiveWorkspace cutAdditive(const AdditiveAttentionArgs& args, Cutter& cut) {
  AdditiveWorkspace work;
  const int64_t padded = roundUp(int64_t{args.hiddens}, kLanes);
  work.packedQuery = cut.take(packedSize(args.queryWidth, args.hiddens));
  work.packedKey = cut.take(packedSize(args.keyWidth, args.hiddens));
  work.vector = cut.take(padded);
  work.query = cut.take(args.queries * padded);
  work.key = cut.take(args.keys * padded);
  return work;
}

[[gnu::noinline]] void prepareAdditive(const AdditiveAttentionArgs& args, const AdditiveWorkspace& work) {
  const int padded = paddedHiddens(args);
  wakeThreads(kTanhWork * args.batch * args.queries * args.keys * padded);
  packTransposed(args.weightQuery, args.queryWidth, args.hiddens, work.packedQuery);
  packTransposed(args.weightKey, args.keyWidth, args.hiddens, work.packedKey);
  std::fill(std::copy_n(args.weightVector, args.hiddens, work.vector), work.vector + padded, 0.0f);
}

int64_t additiveAttentionScratch(const AdditiveAttentionArgs& args) {
  Cutter cut(nullptr);
  cutAdditive(args, cut);
  cut.take(mixScratch(args) * threadCount());
  return cut.used();
}

int visibleKeys(const AdditiveAttentionArgs& args, int b) {
  int most = 0;
  for (int i = 0; i < args.queries; ++i) most = std::max(most, visibleKeys(args, b, i));
  return most;
}

void projectAdditive(const AdditiveAttentionArgs& args, const AdditiveWorkspace& work, int b, int keys) {
  const int padded = paddedHiddens(args);
  project(args.query + static_cast<size_t>(b) * args.queries * args.queryWidth, work.packedQuery, work.query,
          args.queries, args.queryWidth, args.hiddens, padded);
  project(args.key + static_cast<size_t>(b) * args.keys * args.keyWidth, work.packedKey, work.key, keys, args.keyWidth,
          args.hiddens, padded);
}

void additiveScores(const float* query, const float* key, const float* vector, float* scores, float* tanhs, int keys,
                    int padded) {
  if (tanhs) {
    scoreKeys<true>(query, key, vector, scores, tanhs, keys, padded);
  } else {
    scoreKeys<false>(query, key, vector, scores, tanhs, keys, padded);
  }
}

void additiveAttention(const AdditiveAttentionArgs& args, float* scratch) {
  Cutter cut(scratch);
  const AdditiveWorkspace work = cutAdditive(args, cut);
  float* const mixing = cut.take(mixScratch(args) * threadCount());
  prepareAdditive(args, work);
  const int padded = paddedHiddens(args);
  for (int b = 0; b < args.batch; ++b) {
    projectAdditive(args, work, b, visibleKeys(args, b));
    const float* const values = args.value + static_cast<size_t>(b) * args.keys * args.valueWidth;
    const double cost = static_cast<double>(args.queries) * args.keys * (kTanhWork * padded + args.valueWidth);
    parallelFor(args.queries, cost, [&](int i, int thread) {
      const size_t row = static_cast<size_t>(b) * args.queries + i;
      float* const weights = args.weights + row * args.keys;
      float* const output = args.output + row * args.valueWidth;
      const int32_t visible = visibleKeys(args, b, i);
      additiveScores(work.query + static_cast<size_t>(i) * padded, work.key, work.vector, weights, nullptr, visible,
                     padded);
      maskedSoftmax(weights, &visible, weights, 1, args.keys);
      mixRows(weights, values, output, mixing + thread * mixScratch(args), visible, args.valueWidth);
    });
  }
}

}  // namespace wasm_attention
