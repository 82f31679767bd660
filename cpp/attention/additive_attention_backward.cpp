// Processes one query at a time and recomputes its weights and tangents, so that memory is linear in L and S.
//
// Versions tried on two threads (speed relative to one; 4 sequences, 64 queries, 256 keys, 64 hidden units; Sapphire
// Rapids, Node 20):
//   threads share the tangents by keys                          1.13   <- this
//   they also share the gradients at the tangents, by columns   0.6: the sums' cache lines move between cores
#include "attention/additive_attention.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/running_sum.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

LinearGradArgs projection(int rows, int inputs, int hiddens) {
  LinearGradArgs linear{};
  linear.rows = rows;
  linear.inputs = inputs;
  linear.outputs = hiddens;
  return linear;
}

int64_t linearScratch(const AdditiveAttentionArgs& args) {
  return std::max(linearBackwardScratch(projection(args.queries, args.queryWidth, args.hiddens)),
                  linearBackwardScratch(projection(args.keys, args.keyWidth, args.hiddens)));
}

/// The forward pass's working memory, and that of the backward pass.
struct GradWorkspace : AdditiveWorkspace {
  float* gradQuery;     // (L, padded): gradients of Wq q
  float* gradKey;       // (S, padded)
  float* tanhs;         // (S, padded), of one query
  float* weights;       // (S)
  float* gradScores;    // (S)
  float* gradVector;    // (padded), of one query
  float* totalVector;   // (padded), of all queries
  float* runs;          // (2 * padded): a run of keys' sums for the gradients of the query and the vector
  float* compensation;  // (3 * padded): the compensation of these two sums and of the total vector
  float* linear;        // linearBackward's
  // Sums over a sequence's queries: gradKey and the values' gradients; over sequences: the weights' gradients.
  RunningSum keySum, valueSum, weightQuerySum, weightKeySum;

  GradWorkspace(const AdditiveAttentionArgs& args, Cutter& cut)
      : AdditiveWorkspace(cutAdditive(args, cut)),
        keySum(cut, args.keys * roundUp(int64_t{args.hiddens}, kLanes), args.queries),
        valueSum(cut, int64_t{args.keys} * args.valueWidth, args.queries),
        // Queries that see no key split a sequence into several products.
        weightQuerySum(cut, int64_t{args.hiddens} * args.queryWidth,
                       int64_t{args.batch} * (args.valid ? args.queries : 1)),
        weightKeySum(cut, int64_t{args.hiddens} * args.keyWidth, args.batch) {
    const int64_t padded = roundUp(int64_t{args.hiddens}, kLanes);
    gradQuery = cut.take(args.queries * padded);
    gradKey = cut.take(args.keys * padded);
    tanhs = cut.take(args.keys * padded);
    weights = cut.take(args.keys);
    gradScores = cut.take(args.keys);
    gradVector = cut.take(padded);
    totalVector = cut.take(padded);
    runs = cut.take(2 * padded);
    compensation = cut.take(3 * padded);
    linear = cut.take(linearScratch(args));
  }
};

// Threads share a query's keys in parts of this size.
constexpr int kKeysOfACacheLine = 16;

float dot(const float* a, const float* b, int n) {
  double runs = 0;
  f32x4 sums{};
  int i = 0;
  for (;;) {
    for (const int end = endOfRun(i, n); i + kLanes <= end; i += kLanes) sums += load(a + i) * load(b + i);
    if (i + kLanes > n) break;
    runs += sum(sums);
    sums = f32x4{};
  }
  float total = sumOfRuns(runs, sum(sums));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

/// The gradients of one query's scores, weights * (grad_weights - sum(weights * grad_weights)); adds to the values'
/// gradients.
void backThroughSoftmax(const float* grad_output, const float* value, const GradWorkspace& work, int visible,
                        int value_width) {
  float* const grad_value = work.valueSum.to();
  for (int j = 0; j < visible; ++j) {
    const size_t row = static_cast<size_t>(j) * value_width;
    work.gradScores[j] = dot(grad_output, value + row, value_width);
    addScaled(work.weights[j], grad_output, grad_value + row, value_width);
  }
  const float mean = dot(work.weights, work.gradScores, visible);
  for (int j = 0; j < visible; ++j) work.gradScores[j] = work.weights[j] * (work.gradScores[j] - mean);
}

/// Turns the gradients of one query's scores into those of its hidden row, the keys' hidden rows and the vector.
void backThroughTanh(const GradWorkspace& work, float* grad_query, int visible, int padded) {
  float* const run_query = work.runs;
  float* const grad_keys = work.keySum.to();
  float* const run_vector = work.runs + padded;
  std::fill_n(grad_query, padded, 0.0f);
  std::fill_n(work.gradVector, padded, 0.0f);
  std::fill_n(work.compensation, 2 * padded, 0.0f);
  for (int j = 0; j < visible;) {
    std::fill_n(work.runs, 2 * padded, 0.0f);
    for (const int end = std::min(visible - j, kRun) + j; j < end; ++j) {
      const float g = work.gradScores[j];
      const float* const tanhs = work.tanhs + static_cast<size_t>(j) * padded;
      float* const grad_key = grad_keys + static_cast<size_t>(j) * padded;
      for (int d = 0; d < padded; d += kLanes) {
        const f32x4 t = load(tanhs + d);
        const f32x4 slope = g * (1.0f - t * t);
        store(run_query + d, load(run_query + d) + slope);
        store(grad_key + d, load(grad_key + d) + slope * load(work.vector + d));
        store(run_vector + d, load(run_vector + d) + g * t);
      }
    }
    addRun(run_query, grad_query, work.compensation, padded);
    addRun(run_vector, work.gradVector, work.compensation + padded, padded);
  }
  for (int d = 0; d < padded; d += kLanes) store(grad_query + d, load(grad_query + d) * load(work.vector + d));
  // Each query is summed first, then all queries: shorter sums round less.
  addRun(work.gradVector, work.totalVector, work.compensation + 2 * padded, padded);
}

/// Removes the padding of (rows, padded), in place.
void compact(float* x, int rows, int width, int padded) {
  for (int i = 1; i < rows; ++i) {
    const float* const from = x + static_cast<size_t>(i) * padded;
    std::copy(from, from + width, x + static_cast<size_t>(i) * width);
  }
}

/// The backward pass of both projections of sequence b. It skips keys that no query sees and queries that see no key:
/// they may hold NaN, and 0 * NaN would make the weights' gradients NaN.
void backThroughProjections(const AdditiveAttentionGradArgs& args, GradWorkspace& work, int b, int keys) {
  const AdditiveAttentionArgs& forward = args.attention;
  const int hiddens = forward.hiddens;
  compact(work.gradQuery, forward.queries, hiddens, paddedHiddens(forward));
  compact(work.gradKey, keys, hiddens, paddedHiddens(forward));
  const size_t key = static_cast<size_t>(b) * forward.keys * forward.keyWidth;
  if (keys > 0) {
    LinearGradArgs linear = projection(keys, forward.keyWidth, hiddens);
    linear.gradOut = work.gradKey;
    linear.x = forward.key + key;
    linear.weight = forward.weightKey;
    linear.gradX = args.gradKey + key;
    linear.gradWeight = work.weightKeySum.to();
    linearBackward(linear, work.linear);
    work.weightKeySum.added();
  }
  for (int i = 0; i < forward.queries;) {
    const int first = i;
    while (i < forward.queries && visibleKeys(forward, b, i) > 0) ++i;
    if (i == first) {
      ++i;
      continue;
    }
    const size_t query = (static_cast<size_t>(b) * forward.queries + first) * forward.queryWidth;
    LinearGradArgs linear = projection(i - first, forward.queryWidth, hiddens);
    linear.gradOut = work.gradQuery + static_cast<size_t>(first) * hiddens;
    linear.x = forward.query + query;
    linear.weight = forward.weightQuery;
    linear.gradX = args.gradQuery + query;
    linear.gradWeight = work.weightQuerySum.to();
    linearBackward(linear, work.linear);
    work.weightQuerySum.added();
  }
}

void clear(const AdditiveAttentionGradArgs& args) {
  const AdditiveAttentionArgs& sizes = args.attention;
  const size_t queries = static_cast<size_t>(sizes.batch) * sizes.queries;
  const size_t keys = static_cast<size_t>(sizes.batch) * sizes.keys;
  const size_t hiddens = sizes.hiddens;
  std::fill_n(args.gradQuery, queries * sizes.queryWidth, 0.0f);
  std::fill_n(args.gradKey, keys * sizes.keyWidth, 0.0f);
  std::fill_n(args.gradValue, keys * sizes.valueWidth, 0.0f);
  std::fill_n(args.gradWeightQuery, hiddens * sizes.queryWidth, 0.0f);
  std::fill_n(args.gradWeightKey, hiddens * sizes.keyWidth, 0.0f);
}

}  // namespace

int64_t additiveAttentionBackwardScratch(const AdditiveAttentionGradArgs& args) {
  Cutter cut(nullptr);
  GradWorkspace(args.attention, cut);
  return cut.used();
}

void additiveAttentionBackward(const AdditiveAttentionGradArgs& args, float* scratch) {
  const AdditiveAttentionArgs& forward = args.attention;
  Cutter cut(scratch);
  GradWorkspace work(forward, cut);
  prepareAdditive(forward, work);
  const int padded = paddedHiddens(forward);
  clear(args);
  std::fill_n(work.totalVector, padded, 0.0f);
  std::fill_n(work.compensation + 2 * padded, padded, 0.0f);
  work.weightQuerySum.start(args.gradWeightQuery, forward.hiddens * forward.queryWidth);
  work.weightKeySum.start(args.gradWeightKey, forward.hiddens * forward.keyWidth);
  const float* grad_output = args.gradOutput;
  for (int b = 0; b < forward.batch; ++b) {
    const int keys = visibleKeys(forward, b);
    const size_t values = static_cast<size_t>(b) * forward.keys * forward.valueWidth;
    projectAdditive(forward, work, b, keys);
    std::fill_n(work.gradKey, static_cast<size_t>(keys) * padded, 0.0f);
    work.keySum.start(work.gradKey, keys * padded);
    work.valueSum.start(args.gradValue + values, keys * forward.valueWidth);
    for (int i = 0; i < forward.queries; ++i, grad_output += forward.valueWidth) {
      const int visible = visibleKeys(forward, b, i);
      const size_t row = static_cast<size_t>(i) * padded;
      parallelParts(visible, kKeysOfACacheLine, kTanhWork * visible * padded, [&](int first, int count) {
        const size_t from = static_cast<size_t>(first) * padded;
        additiveScores(work.query + row, work.key + from, work.vector, work.weights + first, work.tanhs + from, count,
                       padded);
      });
      maskedSoftmax(work.weights, nullptr, work.weights, 1, visible);
      backThroughSoftmax(grad_output, forward.value + values, work, visible, forward.valueWidth);
      backThroughTanh(work, work.gradQuery + row, visible, padded);
      work.keySum.added();
      work.valueSum.added();
    }
    work.keySum.finish();
    work.valueSum.finish();
    backThroughProjections(args, work, b, keys);
  }
  work.weightQuerySum.finish();
  work.weightKeySum.finish();
  std::copy_n(work.totalVector, forward.hiddens, args.gradWeightVector);
}

}  // namespace wasm_attention
