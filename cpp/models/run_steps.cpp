#include <algorithm>
#include <cstring>

#include "attention.h"
#include "attention/attend_one.h"
#include "attention/cache_rows.h"
#include "kernels/parallel.h"
#include "layers/activation.h"
#include "layers/packed_weight.h"
#include "layers/rotate_heads.h"
#include "simd/f32x4.h"
#include "simd/tanh.h"

namespace wasm_attention {
namespace {

constexpr double kCopies = 1;  // the cost of a float that is copied, in multiplications

/// Rows of a table, which may be a packed weight, by their numbers.
void gather(const Step& s) {
  const auto* ids = reinterpret_cast<const int32_t*>(s.x);
  if (s.option > 0) return unpackWeightRows(ids, s.weight, s.out, s.rows, s.inputs, s.option, s.weightType);
  for (int i = 0; i < s.rows; ++i) {
    std::memcpy(s.out + static_cast<size_t>(i) * s.inputs, s.weight + static_cast<size_t>(ids[i]) * s.inputs,
                s.inputs * sizeof(float));
  }
}

void add(const Step& s) {
  const int width = s.inputs;
  parallelParts(s.rows, 1, kCopies * s.rows * width, [&](int first, int count) {
    const size_t begin = static_cast<size_t>(first) * width, end = begin + static_cast<size_t>(count) * width;
    size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) store(s.out + i, load(s.x + i) + load(s.y + i));
    for (; i < end; ++i) s.out[i] = s.x[i] + s.y[i];
  });
}

void hyperbolicTangent(const Step& s) {
  const size_t count = static_cast<size_t>(s.rows) * s.inputs;
  for (size_t i = 0; i < count; ++i) s.out[i] = tanh(splat(s.x[i]))[0];
}

AttentionArgs attentionAfter(const Step& s, int past) {
  AttentionArgs a = *static_cast<const AttentionArgs*>(s.args);
  a.keys = past + a.queries;
  return a;
}

/// Attention's last product, of weights that have been changed.
/// scratch  mixScratch() floats
void mix(const Step& s, int past, float* scratch) {
  const AttentionArgs a = attentionAfter(s, past);
  const int group = a.heads / a.kvHeads;
  parallelFor(a.batch * a.heads, 1.0 * a.batch * a.heads * a.queries * a.keys * a.valueWidth, [&](int i, int thread) {
    const int b = i / a.heads, h = i % a.heads;
    const float* const values = a.value + static_cast<ptrdiff_t>(b) * a.valueStrides.batch +
                                static_cast<ptrdiff_t>(h / group) * a.valueStrides.head;
    for (int q = 0; q < a.queries; ++q) {
      const float* const weights = s.x + (static_cast<size_t>(i) * a.queries + q) * a.keys;
      float* const out = a.output + static_cast<ptrdiff_t>(b) * a.outputStrides.batch +
                         static_cast<ptrdiff_t>(h) * a.outputStrides.head +
                         static_cast<ptrdiff_t>(q) * a.outputStrides.row;
      std::fill(out, out + a.valueWidth, 0.0f);
      for (int k = 0; k < a.keys; ++k) {
        if (weights[k] == 0) continue;  // what is masked may be NaN
        const float* value = values + static_cast<ptrdiff_t>(k) * a.valueStrides.row;
        if (a.cacheType != WeightType::kFloat32) {
          float* const widened = scratch + static_cast<ptrdiff_t>(thread) * a.valueWidth;
          unpackCacheRows(value, 0, 1, a.valueWidth, a.cacheType, widened);
          value = widened;
        }
        for (int e = 0; e < a.valueWidth; ++e) out[e] += weights[k] * value[e];
      }
    }
  });
}

int64_t mixScratch(const AttentionArgs& a) { return int64_t{threadCount()} * a.valueWidth; }

void silence(const Step& s) {
  for (int i = 0; i < s.rows; ++i) {
    float* const head = s.out + static_cast<size_t>(i) * s.stride;
    std::fill(head, head + s.inputs, 0.0f);
  }
}

void rotate(const Step& s) {
  Rotation rotation{};
  rotation.width = s.stride;
  const HeadRows rows{s.batch, s.rows / s.batch, s.outputs, s.inputs, s.outputs * s.inputs};
  rotateHeads<false>(s.out, rows, s.y, s.option, rotation);
}

void run(const Step& s, int past, float* scratch) {
  switch (s.action) {
    case StepAction::kGather:
      return gather(s);
    case StepAction::kAdd:
      return add(s);
    case StepAction::kLinear:
      return multiplyPacked(s.x, s.inputs, s.weight, s.weightType, s.bias, s.out, s.rows, s.outputs, s.inputs, scratch);
    case StepAction::kLayerNorm:
      return layerNorm(s.x, s.weight, s.bias, s.out, s.rows, s.inputs, s.eps);
    case StepAction::kRmsNorm:
      return rmsNorm(s.x, s.weight, s.out, s.rows, s.inputs, s.eps);
    case StepAction::kFeedForward:
      return feedForward(*static_cast<const FeedForwardArgs*>(s.args), scratch);
    case StepAction::kActivate:
      return activate(s.x, s.out, nullptr, static_cast<size_t>(s.rows) * s.inputs, static_cast<Activation>(s.option));
    case StepAction::kTanh:
      return hyperbolicTangent(s);
    case StepAction::kRotaryTable: {
      RotaryTableArgs table = *static_cast<const RotaryTableArgs*>(s.args);
      table.offset += past;
      return rotaryTable(table, reinterpret_cast<double*>(scratch));
    }
    case StepAction::kRotate:
      return rotate(s);
    case StepAction::kAppend:
      return appendTokens(s.x, s.outputs * s.inputs, s.batch, s.rows / s.batch,
                          {s.out, past, s.stride, s.outputs, s.inputs, s.weightType});
    case StepAction::kAttend: {
      const AttentionArgs attention = attentionAfter(s, past);
      return (isOneQuery(attention) ? attendOne : scaledDotProductAttention)(attention, scratch);
    }
    case StepAction::kSoftmax:
      return maskedSoftmax(s.x, nullptr, s.out, s.rows, past + s.inputs);
    case StepAction::kMix:
      return mix(s, past, scratch);
    case StepAction::kSilence:
      return silence(s);
  }
}

}  // namespace

int64_t runStepsScratch(const RunStepsArgs& args) {
  int64_t most = 0;
  for (int i = 0; i < args.count; ++i) {
    const Step& s = args.steps[i];
    int64_t floats = 0;
    if (s.action == StepAction::kAttend) {
      const AttentionArgs attention = attentionAfter(s, args.past);
      floats = (isOneQuery(attention) ? attendOneScratch : scaledDotProductAttentionScratch)(attention);
    } else if (s.action == StepAction::kMix) {
      floats = mixScratch(*static_cast<const AttentionArgs*>(s.args));
    } else if (s.action == StepAction::kLinear) {
      floats = multiplyPackedScratch(s.rows, s.inputs, s.weightType);
    } else if (s.action == StepAction::kFeedForward) {
      floats = feedForwardScratch(*static_cast<const FeedForwardArgs*>(s.args));
    } else if (s.action == StepAction::kRotaryTable) {
      floats = 2 * rotaryTableScratch(*static_cast<const RotaryTableArgs*>(s.args));
    }
    most = std::max(most, floats);
  }
  return most;
}

void runSteps(const RunStepsArgs& args, float* scratch) {
  for (int i = 0; i < args.count; ++i) run(args.steps[i], args.past, scratch);
}

}  // namespace wasm_attention
