#include "attention_oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/workspace.h"

namespace wasm_attention {
namespace {

// A tolerance is the sum of the errors of all steps in float32:
//  - kRounding, half an ulp, for each operation; for a sum of n terms n times that, relative to the sum of magnitudes;
//  - kExponential and kExponentialOfExponent, the relative error that simd/exp.h states;
//  - kHyperbolic, the relative error that simd/tanh.h states.
// An error d of a score multiplies the weight by e^d, which is nearly 1 + d.
constexpr double kRounding = std::numeric_limits<float>::epsilon() / 2;
constexpr double kExponential = 1.5e-7;
constexpr double kExponentialOfExponent = 7.5e-8 + kRounding;
constexpr double kHyperbolic = 3e-7;
constexpr double kSmallest = 0x1p-110;  // smaller exponentials become 0

/// A number, and the allowed error of the kernel's result.
struct Bounded {
  double value = 0, error = 0;
};

/// scale * a . b
Bounded product(const float* a, const float* b, int width, double scale) {
  double sum = 0, size = 0;
  for (int e = 0; e < width; ++e) {
    const double term = double{a[e]} * b[e];
    sum += term;
    size += std::abs(term);
  }
  // The roundings of scale * a, of the products, and of `width` additions.
  return {scale * sum, (width + 2) * kRounding * std::abs(scale) * size};
}

template <typename T>
const T* rowOf(const T* base, Strides strides, int b, int h, int i) {
  return base + ptrdiff_t{b} * strides.batch + ptrdiff_t{h} * strides.head + ptrdiff_t{i} * strides.row;
}

int64_t positionOf(const AttentionArgs& a, int b, int i) {
  if (a.packed) return a.packed[i].position;
  return int64_t{i} + (a.offsets ? a.offsets[b] : 0);
}

double biasOf(const AttentionArgs& a, int b, int h, int i, int j) {
  const float* row = rowOf(a.bias, a.biasStrides, b, h, i);
  if (a.biasStep == 0) return row[0];
  return j < a.biasColumns ? row[ptrdiff_t{j} * a.biasStep] : -INFINITY;
}

const float* relativeRow(const AttentionArgs& a, const float* tables, int head_stride, int clip, int width, int b,
                         int h, int i, int j) {
  const int64_t distance = std::clamp<int64_t>(j - positionOf(a, b, i), -clip, clip);
  return tables + ptrdiff_t{h} * head_stride + (distance + clip) * width;
}

/// The score of one key. Writes the scores after scaling and after the softcap to `stages`.
Bounded scoreOf(const AttentionArgs& a, int b, int h, int i, int j, Bounded (&stages)[2]) {
  const float* query = rowOf(a.query, a.queryStrides, b, h, i);
  const float* key = rowOf(a.key, a.keyStrides, b, h / (a.heads / a.kvHeads), j);
  Bounded score = stages[0] = product(query, key, a.width, a.scale);
  if (a.softcap > 0) {
    // The slope of tanh is at most 1. Its argument and the inverse of the softcap are rounded.
    score.error += 2 * kRounding * std::abs(score.value);
    score.value = a.softcap * std::tanh(score.value / a.softcap);
    score.error += (kHyperbolic + kRounding) * std::abs(score.value);
  }
  stages[1] = score;
  // The kernel may add these in any order. Each addition rounds a partial sum, which is at most the sum of magnitudes.
  double size = std::abs(score.value);
  int additions = 0;
  const auto add = [&](double term, double error) {
    score.value += term;
    score.error += error;
    size += std::abs(term);
    ++additions;
  };
  if (a.bias) add(biasOf(a, b, h, i, j), 0);
  if (a.alibiSlopes) {
    const double term = -double{a.alibiSlopes[h]} * (positionOf(a, b, i) - j);
    add(term, kRounding * std::abs(term));
  }
  if (a.relativeKeys) {
    const float* row = relativeRow(a, a.relativeKeys, a.relativeKeysHead, a.relativeKeysClip, a.width, b, h, i, j);
    const Bounded term = product(query, row, a.width, a.scale);
    add(term.value, term.error);
  }
  if (additions > 0) score.error += additions * kRounding * size;
  return score;
}

/// C. Wellons' lowbias32.
uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

bool isDropped(const AttentionArgs& a, size_t row, int j) {
  const uint32_t step = 0x9e3779b9u;
  const uint32_t bits = mix(mix(mix(a.seed + step) ^ static_cast<uint32_t>(row)) + static_cast<uint32_t>(j) * step);
  return bits < a.dropout * 4294967296.0;
}

/// Computes one row of the results; `row` is its index over all batches and heads.
void attend(const AttentionArgs& a, int b, int h, int i, size_t row, ExpectedAttention& result) {
  double* weights = result.weights.data() + row * a.keys;
  double* errors = result.weightsTolerance.data() + row * a.keys;
  std::vector<int> seen;
  std::vector<Bounded> scores(a.keys);
  const double sink = a.sinks ? a.sinks[h] : -INFINITY;
  double max = sink;
  for (int j = 0; j < a.keys; ++j) {
    Bounded stages[2];
    scores[j] = scoreOf(a, b, h, i, j, stages);
    const bool sees = attentionSees(a, b, h, i, j);
    if (a.scoresStage != ScoresStage::kNone) {
      const Bounded hidden{-INFINITY, 0};
      const Bounded stage = a.scoresStage == ScoresStage::kScaled       ? stages[0]
                            : a.scoresStage == ScoresStage::kSoftcapped ? stages[1]
                            : sees                                      ? scores[j]
                                                                        : hidden;
      result.scores[row * a.keys + j] = stage.value;
      result.scoresTolerance[row * a.keys + j] = stage.error + kSmallest;
    }
    if (!sees) continue;
    seen.push_back(j);
    max = std::fmax(max, scores[j].value);
  }
  if (seen.empty()) {
    result.logSumExp[row] = sink;
    return;
  }

  double sum = std::exp(sink - max);
  for (int j : seen) sum += weights[j] = std::exp(scores[j].value - max);
  // The kernel multiplies its running sum by an exponential for each block of keys.
  const double count = static_cast<double>(seen.size()) + (a.sinks ? 1 : 0);
  const double blocks = 1 + a.keys / kKeyBlock;
  double sum_error = (count + 2 * blocks) * kRounding + blocks * kExponential;
  if (sink > -INFINITY) {
    sum_error += std::exp(sink - max) / sum * (kExponential + (max - sink) * kExponentialOfExponent);
  }
  for (int j : seen) {
    weights[j] /= sum;
    const double exponent = std::abs(scores[j].value - max);
    errors[j] = scores[j].error + kExponential + exponent * kExponentialOfExponent;
    sum_error += weights[j] * errors[j];
  }
  result.logSumExp[row] = max + std::log(sum);
  result.logSumExpTolerance[row] =
      sum_error + 2 * kRounding * (std::abs(max) + std::abs(std::log(sum)) + std::abs(result.logSumExp[row]));
  for (int j : seen) {
    // The output's corrections for each block, the division, and dropout.
    errors[j] += sum_error + blocks * kExponential + 6 * kRounding;
    if (a.dropout > 0) weights[j] = isDropped(a, row, j) ? 0 : weights[j] / (1 - double{a.dropout});
  }

  const double smallest = kSmallest / (1 - double{a.dropout});
  double* output = result.output.data() + row * a.valueWidth;
  double* output_error = result.outputTolerance.data() + row * a.valueWidth;
  const double roundings = count + 2 * blocks + 4 + (a.relativeValues ? 2 * a.relativeValuesClip + 1 : 0);
  for (int j : seen) {
    const float* value = rowOf(a.value, a.valueStrides, b, h / (a.heads / a.kvHeads), j);
    const float* relative = a.relativeValues ? relativeRow(a, a.relativeValues, a.relativeValuesHead,
                                                           a.relativeValuesClip, a.valueWidth, b, h, i, j)
                                             : nullptr;
    for (int e = 0; e < a.valueWidth; ++e) {
      const double added = relative ? relative[e] : 0;
      const double size = std::abs(value[e]) + std::abs(added);
      output[e] += weights[j] * (value[e] + added);
      output_error[e] += (weights[j] * (errors[j] + roundings * kRounding) + smallest) * size;
    }
    errors[j] = errors[j] * weights[j] + smallest;
  }
}

}  // namespace

bool attentionSees(const AttentionArgs& a, int b, int h, int i, int j) {
  const int64_t position = positionOf(a, b, i);
  if (a.packed && (j < a.packed[i].begin || j >= a.packed[i].end)) return false;
  if (a.validLens && j >= a.validLens[b * a.validBatch + i * a.validRow]) return false;
  if (a.windowLeft >= 0 && j < position - a.windowLeft) return false;
  if (a.windowRight >= 0 && j > position + a.windowRight) return false;
  if (a.bias && biasOf(a, b, h, i, j) == -INFINITY) return false;
  if (!a.mask) return true;
  const uint8_t* mask = rowOf(a.mask, a.maskStrides, b, h, i);
  if (a.maskStep == 0) return mask[0] != 0;
  return j < a.maskColumns && mask[j] != 0;
}

ExpectedAttention attentionOracle(const AttentionArgs& a) {
  const size_t rows = size_t(a.batch) * a.heads * a.queries;
  ExpectedAttention result;
  for (auto* v : {&result.output, &result.outputTolerance}) v->assign(rows * a.valueWidth, 0.0);
  for (auto* v : {&result.weights, &result.weightsTolerance, &result.scores, &result.scoresTolerance})
    v->assign(rows * a.keys, 0.0);
  for (auto* v : {&result.logSumExp, &result.logSumExpTolerance}) v->assign(rows, 0.0);
  size_t row = 0;
  for (int b = 0; b < a.batch; ++b) {
    for (int h = 0; h < a.heads; ++h) {
      for (int i = 0; i < a.queries; ++i) attend(a, b, h, i, row++, result);
    }
  }
  return result;
}

}  // namespace wasm_attention
