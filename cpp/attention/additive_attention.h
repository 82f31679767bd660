// Shared by both passes of additive attention. Hidden rows are padded with zeros to whole vectors: tanh(0) * 0 adds
// nothing, so no loop over them has a tail.
#pragma once

#include <algorithm>
#include <cstddef>

#include "attention.h"
#include "kernels/cutter.h"
#include "simd/f32x4.h"

namespace wasm_attention {

/// The cost of a hyperbolic tangent, in multiplications.
constexpr double kTanhWork = 16;

/// The width of a padded hidden row.
inline int paddedHiddens(const AdditiveAttentionArgs& args) { return (args.hiddens + kLanes - 1) / kLanes * kLanes; }

/// The forward pass's working memory, with the queries and keys of one sequence.
struct AdditiveWorkspace {
  float *packedQuery, *packedKey;  // Wq and Wk
  float* vector;                   // wv, padded
  float* query;                    // (L, padded): Wq q
  float* key;                      // (S, padded): Wk k
};

AdditiveWorkspace cutAdditive(const AdditiveAttentionArgs& args, Cutter& cut);

/// Packs the weights, and wakes the threads that will share the work.
void prepareAdditive(const AdditiveAttentionArgs& args, const AdditiveWorkspace& work);

/// The number of keys that query i of sequence b sees.
inline int visibleKeys(const AdditiveAttentionArgs& args, int b, int i) {
  return args.valid ? args.valid[static_cast<size_t>(b) * args.queries + i] : args.keys;
}

/// The largest number that any query of sequence b sees.
int visibleKeys(const AdditiveAttentionArgs& args, int b);

/// Projects a sequence's queries and the first `keys` of its keys.
void projectAdditive(const AdditiveAttentionArgs& args, const AdditiveWorkspace& work, int b, int keys);

/// scores[j] = vector . tanh(query + key[j]) for `keys` keys. `tanhs` (keys, padded) keeps the hyperbolic tangents, or
/// is null.
void additiveScores(const float* query, const float* key, const float* vector, float* scores, float* tanhs, int keys,
                    int padded);

/// y += factor * x
inline void addScaled(float factor, const float* x, float* y, int n) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load(y + i) + load(x + i) * factor);
  for (; i < n; ++i) y[i] += x[i] * factor;
}

}  // namespace wasm_attention
