#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "attention.h"
#include "attention/visible.h"
#include "kernels/dropout.h"

namespace wasm_attention {
namespace {

using Vector = Eigen::Map<Eigen::ArrayXf>;
using ConstVector = Eigen::Map<const Eigen::VectorXf>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One query of one head: where it stands and what it may see.
struct Query {
  int b, h, i, position;
  Interval keys;
};

int clip(int distance, int limit) { return std::clamp(distance, -limit, limit) + limit; }

/// Terms that come after the softcap: bias, ALiBi, Shaw's relative keys; then the mask.
void addTerms(const AttentionArgs& a, const Query& q, const ConstVector& query, float* relative, Vector scores) {
  if (a.bias) {
    const float* bias = a.bias + q.b * a.biasStrides.batch + q.h * a.biasStrides.head + q.i * a.biasStrides.row;
    for (int j = q.keys.begin; j < q.keys.end; ++j) {
      const float term = j < a.biasColumns || a.biasStep == 0 ? bias[j * a.biasStep] : -kInfinity;
      // A bias of -infinity masks: it replaces the score, for NaN - infinity would be NaN.
      scores[j] = term == -kInfinity ? -kInfinity : scores[j] + term;
    }
  }
  if (a.alibiSlopes) {
    for (int j = q.keys.begin; j < q.keys.end; ++j) {
      scores[j] -= a.alibiSlopes[q.h] * static_cast<float>(q.position - j);
    }
  }
  if (a.relativeKeys) {
    const float* table = a.relativeKeys + q.h * a.relativeKeysHead;
    for (int r = 0; r <= 2 * a.relativeKeysClip; ++r) {
      relative[r] = query.dot(ConstVector(table + r * a.width, a.width));
    }
    for (int j = q.keys.begin; j < q.keys.end; ++j) scores[j] += relative[clip(j - q.position, a.relativeKeysClip)];
  }
  if (a.mask) {
    const uint8_t* mask = a.mask + q.b * a.maskStrides.batch + q.h * a.maskStrides.head + q.i * a.maskStrides.row;
    for (int j = q.keys.begin; j < q.keys.end; ++j) {
      const bool may_attend = (j < a.maskColumns || a.maskStep == 0) && mask[j * a.maskStep];
      if (!may_attend) scores[j] = -kInfinity;
    }
  }
  scores.head(q.keys.begin) = -kInfinity;
  scores.tail(a.keys - q.keys.end) = -kInfinity;
}

/// Scores to weights, in place; the log of their sum of exponentials.
float softmax(Vector scores) {
  const float max = scores.size() == 0 ? -kInfinity : scores.maxCoeff();
  if (max == -kInfinity) {
    scores.setZero();
    return -kInfinity;
  }
  scores = (scores - max).exp();
  const float sum = scores.sum();
  scores /= sum;
  return max + std::log(sum);
}

void attendOne(const AttentionArgs& a, Query q) {
  if (q.keys.begin >= q.keys.end) q.keys = {0, 0};
  const int kv_head = q.h / (a.heads / a.kvHeads);
  const float* key = a.key + q.b * a.keyStrides.batch + kv_head * a.keyStrides.head;
  const float* value = a.value + q.b * a.valueStrides.batch + kv_head * a.valueStrides.head;
  const size_t row = (static_cast<size_t>(q.b) * a.heads + q.h) * a.queries + q.i;

  float* scratch = a.scratch;
  Eigen::Map<Eigen::VectorXf> query(scratch, a.width);
  scratch += a.width;
  query =
      a.scale *
      ConstVector(a.query + q.b * a.queryStrides.batch + q.h * a.queryStrides.head + q.i * a.queryStrides.row, a.width);
  float* relative = scratch;
  scratch += 2 * std::max(a.relativeKeysClip, a.relativeValuesClip) + 1;
  Vector scores(scratch, a.keys);

  const bool all = a.scoresStage == ScoresStage::kScaled || a.scoresStage == ScoresStage::kSoftcapped;
  for (int j = all ? 0 : q.keys.begin; j < (all ? a.keys : q.keys.end); ++j) {
    scores[j] = query.dot(ConstVector(key + j * a.keyStrides.row, a.width));
  }
  const auto stage = [&](ScoresStage at) {
    if (a.scoresStage == at) Vector(a.scores + row * a.keys, a.keys) = scores;
  };
  stage(ScoresStage::kScaled);
  if (a.softcap > 0) scores = a.softcap * (scores / a.softcap).tanh();
  stage(ScoresStage::kSoftcapped);
  addTerms(a, q, ConstVector(query.data(), a.width), relative, scores);
  stage(ScoresStage::kMasked);
  const float log_sum_exp = softmax(scores);
  if (a.logSumExp) a.logSumExp[row] = log_sum_exp;

  if (a.dropout > 0) {
    const uint32_t row_key = dropoutRow(a.seed, static_cast<uint32_t>(row));
    const uint32_t threshold = dropoutThreshold(a.dropout);
    const float keep = 1 / (1 - a.dropout);
    for (int j = q.keys.begin; j < q.keys.end; ++j) scores[j] *= dropoutBits(row_key, j) < threshold ? 0 : keep;
  }
  if (a.weights) Vector(a.weights + row * a.keys, a.keys) = scores;

  Eigen::Map<Eigen::VectorXf> output(
      a.output + q.b * a.outputStrides.batch + q.h * a.outputStrides.head + q.i * a.outputStrides.row, a.valueWidth);
  output.setZero();
  for (int j = q.keys.begin; j < q.keys.end; ++j) {
    // A weight of zero skips its value: 0 * NaN would leak what is masked.
    if (scores[j] != 0) output += scores[j] * ConstVector(value + j * a.valueStrides.row, a.valueWidth);
  }
  if (a.relativeValues) {
    const float* table = a.relativeValues + q.h * a.relativeValuesHead;
    for (int j = q.keys.begin; j < q.keys.end; ++j) {
      if (scores[j] == 0) continue;
      const int r = clip(j - q.position, a.relativeValuesClip);
      output += scores[j] * ConstVector(table + r * a.valueWidth, a.valueWidth);
    }
  }
}

}  // namespace

size_t scaledDotProductAttentionScratch(const AttentionArgs& a) {
  return a.width + 2 * std::max(a.relativeKeysClip, a.relativeValuesClip) + 1 + a.keys;
}

void scaledDotProductAttention(const AttentionArgs& a) {
  for (int b = 0; b < a.batch; ++b) {
    for (int h = 0; h < a.heads; ++h) {
      for (int i = 0; i < a.queries; ++i) attendOne(a, {b, h, i, i + queryOffset(a, b), visibleKeys(a, b, i)});
    }
  }
}

}  // namespace wasm_attention
