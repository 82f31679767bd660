// One query at a time, its weights and hyperbolic tangents computed anew: memory is linear in L and S.
//
// On two threads over one (4 sequences, 64 queries, 256 keys, 64 hidden units; wasm, Node 20, two cores):
//   the tangents shared by keys                                          1.13   <- this
//   and what goes back through them by columns                           0.6: the sums' cache lines go back and forth
#include "attention/additive_attention.h"
#include "kernels/cutter.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"

namespace wasm_attention {
namespace {

/// What the backward pass needs beyond the forward one's memory.
struct GradWorkspace {
  float* gradQuery;    // (L, padded): gradients of Wq q
  float* gradKey;      // (S, padded)
  float* tanhs;        // (S, padded), of one query
  float* weights;      // (S)
  float* gradScores;   // (S)
  float* gradVector;   // (padded), of one query
  float* totalVector;  // (padded), of all
  float* linear;       // linearBackward's
};

/// Sizes of a projection of some rows.
LinearGradArgs projection(int rows, int inputs, int hiddens) {
  LinearGradArgs linear{};
  linear.rows = rows;
  linear.inputs = inputs;
  linear.outputs = hiddens;
  return linear;
}

int64_t linearScratch(const AdditiveAttentionArgs& args) {
  const auto scratch = [&](int rows, int inputs) {
    return linearBackwardScratch(projection(rows, inputs, args.hiddens));
  };
  return std::max(scratch(args.queries, args.queryWidth), scratch(args.keys, args.keyWidth));
}

GradWorkspace place(const AdditiveAttentionArgs& args, float* memory) {
  const size_t padded = paddedHiddens(args);
  GradWorkspace grad;
  grad.gradQuery = memory;
  grad.gradKey = grad.gradQuery + args.queries * padded;
  grad.tanhs = grad.gradKey + args.keys * padded;
  grad.weights = grad.tanhs + args.keys * padded;
  grad.gradScores = grad.weights + args.keys;
  grad.gradVector = grad.gradScores + args.keys;
  grad.totalVector = grad.gradVector + padded;
  grad.linear = grad.totalVector + padded;
  return grad;
}

// Threads take keys, by a cache line of scores.
constexpr int kSharedFloats = 16;

float dot(const float* a, const float* b, int n) {
  f32x4 sums{};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) sums += load(a + i) * load(b + i);
  float total = sum(sums);
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

/// grad_scores = weights * (grad_weights - their mean by these weights); the values' gradients are added to.
void backThroughSoftmax(const float* grad_output, const float* value, const GradWorkspace& grad, float* grad_value,
                        int visible, int value_width) {
  for (int j = 0; j < visible; ++j) {
    const size_t row = static_cast<size_t>(j) * value_width;
    grad.gradScores[j] = dot(grad_output, value + row, value_width);
    addScaled(grad.weights[j], grad_output, grad_value + row, value_width);
  }
  const float mean = dot(grad.weights, grad.gradScores, visible);
  for (int j = 0; j < visible; ++j) grad.gradScores[j] = grad.weights[j] * (grad.gradScores[j] - mean);
}

/// From one query's gradients of scores to those of its hidden row, the keys' hidden rows and the vector.
void backThroughTanh(const float* vector, const GradWorkspace& grad, float* grad_query, int visible, int padded) {
  std::fill_n(grad_query, padded, 0.0f);
  std::fill_n(grad.gradVector, padded, 0.0f);
  for (int j = 0; j < visible; ++j) {
    const float g = grad.gradScores[j];
    const float* const tanhs = grad.tanhs + static_cast<size_t>(j) * padded;
    float* const grad_key = grad.gradKey + static_cast<size_t>(j) * padded;
    for (int d = 0; d < padded; d += kLanes) {
      const f32x4 t = load(tanhs + d);
      const f32x4 slope = g * (1.0f - t * t);
      store(grad_query + d, load(grad_query + d) + slope);
      store(grad_key + d, load(grad_key + d) + slope * load(vector + d));
      store(grad.gradVector + d, load(grad.gradVector + d) + g * t);
    }
  }
  for (int d = 0; d < padded; d += kLanes) {
    store(grad_query + d, load(grad_query + d) * load(vector + d));
    // Summed by query first, then over queries: fewer roundings meet in one number.
    store(grad.totalVector + d, load(grad.totalVector + d) + load(grad.gradVector + d));
  }
}

/// Takes the padding out of (rows, padded), in place.
void compact(float* x, int rows, int width, int padded) {
  for (int i = 1; i < rows; ++i) {
    const float* const from = x + static_cast<size_t>(i) * padded;
    std::copy(from, from + width, x + static_cast<size_t>(i) * width);
  }
}

/// Backward through both projections of sequence b. Rows that nothing attends to, or that attend to nothing, take no part:
/// a gradient of 0 times a NaN in padding would be NaN in the weights' gradients.
void backThroughProjections(const AdditiveAttentionGradArgs& args, const GradWorkspace& grad, int b, int keys) {
  const AdditiveAttentionArgs& forward = args.attention;
  const int hiddens = forward.hiddens;
  compact(grad.gradQuery, forward.queries, hiddens, paddedHiddens(forward));
  compact(grad.gradKey, keys, hiddens, paddedHiddens(forward));
  const size_t key = static_cast<size_t>(b) * forward.keys * forward.keyWidth;
  if (keys > 0) {
    LinearGradArgs linear = projection(keys, forward.keyWidth, hiddens);
    linear.gradOut = grad.gradKey;
    linear.x = forward.key + key;
    linear.weight = forward.weightKey;
    linear.gradX = args.gradKey + key;
    linear.gradWeight = args.gradWeightKey;
    linearBackward(linear, grad.linear);
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
    linear.gradOut = grad.gradQuery + static_cast<size_t>(first) * hiddens;
    linear.x = forward.query + query;
    linear.weight = forward.weightQuery;
    linear.gradX = args.gradQuery + query;
    linear.gradWeight = args.gradWeightQuery;
    linearBackward(linear, grad.linear);
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
  const AdditiveAttentionArgs& forward = args.attention;
  const int64_t rows = 2 + int64_t{forward.queries} + 2 * int64_t{forward.keys};
  return additiveAttentionScratch(forward) + times(rows, roundUp(int64_t{forward.hiddens}, kLanes)) +
         2 * int64_t{forward.keys} + linearScratch(forward);
}

void additiveAttentionBackward(const AdditiveAttentionGradArgs& args, float* scratch) {
  const AdditiveAttentionArgs& forward = args.attention;
  const AdditiveWorkspace work = prepareAdditive(forward, scratch);
  const GradWorkspace grad = place(forward, work.end);
  const int padded = paddedHiddens(forward);
  clear(args);
  std::fill_n(grad.totalVector, padded, 0.0f);
  const float* grad_output = args.gradOutput;
  for (int b = 0; b < forward.batch; ++b) {
    const int keys = visibleKeys(forward, b);
    const size_t values = static_cast<size_t>(b) * forward.keys * forward.valueWidth;
    projectAdditive(forward, work, b, keys);
    std::fill_n(grad.gradKey, static_cast<size_t>(keys) * padded, 0.0f);
    for (int i = 0; i < forward.queries; ++i, grad_output += forward.valueWidth) {
      const int visible = visibleKeys(forward, b, i);
      const size_t row = static_cast<size_t>(i) * padded;
      parallelParts(visible, kSharedFloats, kTanhWork * visible * padded, [&](int first, int count) {
        const size_t from = static_cast<size_t>(first) * padded;
        additiveScores(work.query + row, work.key + from, work.vector, grad.weights + first, grad.tanhs + from, count,
                       padded);
      });
      maskedSoftmax(grad.weights, nullptr, grad.weights, 1, visible);
      backThroughSoftmax(grad_output, forward.value + values, grad, args.gradValue + values, visible,
                         forward.valueWidth);
      backThroughTanh(work.vector, grad, grad.gradQuery + row, visible, padded);
    }
    backThroughProjections(args, grad, b, keys);
  }
  std::copy_n(grad.totalVector, forward.hiddens, args.gradWeightVector);
}

}  // namespace wasm_attention
