#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "attention.h"
#include "attention/attend_one.h"
#include "attention/cache_rows.h"
#include "kernels/parallel.h"
#include "layers/dropout.h"
#include "layers/feed_forward.h"
#include "layers/packed_weight.h"
#include "simd/f32x4.h"
#include "simd/tanh.h"

namespace wasm_attention {
namespace {

constexpr double kSumWork = 1;  // the cost of an element, in multiplications

template <typename Args>
const Args& argsOf(const Step& step) {
  static_assert(sizeof(Step) % alignof(Args) == 0);
  assert(step.bytes >= static_cast<int>(sizeof(Step) + sizeof(Args)));
  return *reinterpret_cast<const Args*>(&step + 1);
}

/// Calls f with each step.
template <typename F>
void forSteps(const RunStepsArgs& args, F f) {
  const char* at = reinterpret_cast<const char*>(args.steps);
  for (const char* const end = at + args.bytes; at < end;) {
    const Step& step = *reinterpret_cast<const Step*>(at);
    f(step);
    at += step.bytes;
  }
}

void add(const AddArgs& a) {
  if (a.dropout > 0) {
    assert(a.out != a.x);
    dropRows(a.y, a.out, a.rows, a.dim, 0, {a.seed, a.dropout});
    return addInPlace(a.x, a.out, static_cast<size_t>(a.rows) * a.dim);
  }
  parallelParts(a.rows, 1, kSumWork * a.rows * a.dim, [&](int first, int count) {
    const size_t end = static_cast<size_t>(first + count) * a.dim;
    size_t i = static_cast<size_t>(first) * a.dim;
    for (; i + kLanes <= end; i += kLanes) store(a.out + i, load(a.x + i) + load(a.y + i));
    for (; i < end; ++i) a.out[i] = a.x[i] + a.y[i];
  });
}

void scale(const ScaleArgs& a) {
  const bool is_capped = a.softcap > 0;
  const float factor = is_capped ? a.factor / a.softcap : a.factor;
  const auto scaled = [&](f32x4 x) { return is_capped ? a.softcap * tanh(x * factor) : x * factor; };
  const size_t count = static_cast<size_t>(a.rows) * a.dim;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(a.out + i, scaled(load(a.x + i)));
  for (; i < count; ++i) a.out[i] = scaled(splat(a.x[i]))[0];
}

RotaryTableArgs rotaryTableAfter(const Step& step, int past) {
  RotaryTableArgs table = argsOf<RotaryTableArgs>(step);
  table.offset += past;
  return table;
}

AttentionArgs attentionAfter(const Step& step, int past) {
  AttentionArgs a = argsOf<AttentionArgs>(step);
  a.keys += past;
  return a;
}

/// scratch  mixScratch() floats
void mixValues(const AttentionArgs& a, float* scratch) {
  const int group = a.heads / a.kvHeads;
  parallelFor(a.batch * a.heads, 1.0 * a.batch * a.heads * a.queries * a.keys * a.valueWidth, [&](int i, int thread) {
    const int b = i / a.heads, h = i % a.heads;
    const float* const values = a.value + static_cast<ptrdiff_t>(b) * a.valueStrides.batch +
                                static_cast<ptrdiff_t>(h / group) * a.valueStrides.head;
    for (int q = 0; q < a.queries; ++q) {
      const float* const weights = a.weights + (static_cast<size_t>(i) * a.queries + q) * a.keys;
      float* const out = a.output + static_cast<ptrdiff_t>(b) * a.outputStrides.batch +
                         static_cast<ptrdiff_t>(h) * a.outputStrides.head +
                         static_cast<ptrdiff_t>(q) * a.outputStrides.row;
      std::fill(out, out + a.valueWidth, 0.0f);
      for (int k = 0; k < a.keys; ++k) {
        if (weights[k] == 0) continue;  // masked values may be NaN
        const float* value = values + static_cast<ptrdiff_t>(k) * a.valueStrides.row;
        if (a.valueType != WeightType::kFloat32) {
          float* const widened = scratch + static_cast<ptrdiff_t>(thread) * a.valueWidth;
          unpackCacheRows(value, 0, 1, a.valueWidth, a.valueType, widened);
          value = widened;
        }
        for (int e = 0; e < a.valueWidth; ++e) out[e] += weights[k] * value[e];
      }
    }
  });
}

void softmax(const SoftmaxArgs& s, int past) {
  const int rows = s.batch * s.heads * s.queries, keys = s.keys + past;
  maskedSoftmax(s.x, nullptr, s.out, rows, keys);
  for (int i = 0; s.sinks && i < rows; ++i) {
    float* const weights = s.out + static_cast<size_t>(i) * keys;
    const int key = static_cast<int>(std::max_element(weights, weights + keys) - weights);
    const float score = s.x[static_cast<size_t>(i) * keys + key], sink = s.sinks[i / s.queries % s.heads];
    if (score == -std::numeric_limits<float>::infinity()) continue;
    const float rest = 1 / (1 + weights[key] * std::exp(sink - score));
    for (int k = 0; k < keys; ++k) weights[k] *= rest;
  }
}

int64_t mixScratch(const AttentionArgs& a) { return int64_t{threadCount()} * a.valueWidth; }

void zeroHead(const ZeroHeadArgs& s) {
  for (int i = 0; i < s.rows; ++i) {
    float* const head = s.head + static_cast<size_t>(i) * s.stride;
    std::fill(head, head + s.width, 0.0f);
  }
}

void append(const AppendArgs& a, int past) {
  appendTokens(a.x, static_cast<ptrdiff_t>(a.heads) * a.width, a.batch, a.tokens,
               {a.cache, a.length + past, a.capacity, a.heads, a.width, a.cacheType});
}

void run(const Step& step, int past, float* scratch) {
  switch (step.action) {
    case StepAction::kEmbedding:
      return embedding(argsOf<EmbeddingArgs>(step));
    case StepAction::kAdd:
      return add(argsOf<AddArgs>(step));
    case StepAction::kLinear:
      return multiplyPacked(argsOf<LinearArgs>(step), scratch);
    case StepAction::kNorm:
      return norm(argsOf<NormArgs>(step));
    case StepAction::kFeedForward:
      return feedForward(argsOf<FeedForwardArgs>(step), scratch);
    case StepAction::kActivate:
      return activateHidden(argsOf<FeedForwardArgs>(step));
    case StepAction::kScale:
      return scale(argsOf<ScaleArgs>(step));
    case StepAction::kRotaryTable:
      return rotaryTable(rotaryTableAfter(step, past), reinterpret_cast<double*>(scratch));
    case StepAction::kRotary:
      return rotaryEmbedding(argsOf<RotaryArgs>(step));
    case StepAction::kAppend:
      return append(argsOf<AppendArgs>(step), past);
    case StepAction::kAttention: {
      const AttentionArgs attention = attentionAfter(step, past);
      return (isOneQuery(attention) ? attendOne : scaledDotProductAttention)(attention, scratch);
    }
    case StepAction::kSoftmax:
      return softmax(argsOf<SoftmaxArgs>(step), past);
    case StepAction::kMixValues:
      return mixValues(attentionAfter(step, past), scratch);
    case StepAction::kZeroHead:
      return zeroHead(argsOf<ZeroHeadArgs>(step));
  }
}

int64_t scratchOf(const Step& step, int past) {
  switch (step.action) {
    case StepAction::kLinear:
      return linearScratch(argsOf<LinearArgs>(step));
    case StepAction::kFeedForward:
      return feedForwardScratch(argsOf<FeedForwardArgs>(step));
    case StepAction::kRotaryTable:
      return 2 * rotaryTableScratch(argsOf<RotaryTableArgs>(step));
    case StepAction::kAttention: {
      const AttentionArgs attention = attentionAfter(step, past);
      return (isOneQuery(attention) ? attendOneScratch : scaledDotProductAttentionScratch)(attention);
    }
    case StepAction::kMixValues:
      return mixScratch(argsOf<AttentionArgs>(step));
    default:
      return 0;
  }
}

/// The products' multiplications with weights.
double workOf(const Step& step) {
  if (step.action == StepAction::kLinear) {
    const auto& a = argsOf<LinearArgs>(step);
    return static_cast<double>(a.rows) * a.inputs * a.outputs;
  }
  if (step.action == StepAction::kFeedForward) {
    const auto& a = argsOf<FeedForwardArgs>(step);
    return static_cast<double>(a.rows) * a.width * a.hiddenWidth * (a.gated ? 3 : 2);
  }
  return 0;
}

}  // namespace

int64_t runStepsScratch(const RunStepsArgs& args) {
  int64_t most = 0;
  forSteps(args, [&](const Step& step) { most = std::max(most, scratchOf(step, args.past)); });
  return most;
}

void runSteps(const RunStepsArgs& args, float* scratch) {
  double work = 0;
  forSteps(args, [&](const Step& step) { work += workOf(step); });
  wakeThreads(work);
  forSteps(args, [&](const Step& step) { run(step, args.past, scratch); });
}

}  // namespace wasm_attention
