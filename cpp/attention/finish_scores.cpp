#include <algorithm>
#include <cstring>

#include "attention/query_block.h"
#include "attention/rows.h"
#include "kernels/pack.h"
#include "simd/tanh.h"

namespace wasm_attention {
namespace {

/// Replaces each vector v of the scores of each key j with f(j, scores, v).
template <typename F>
void forEachVector(const Workspace& w, KeyRange keys, F f) {
  for (int j = keys.from; j < keys.to; ++j) {
    float* row = w.entries + (j - keys.base) * kQueryBlock;
    for (int v = 0; v < kVectors; ++v) store(row + v * kLanes, f(j, load(row + v * kLanes), v));
  }
}

/// The row of a broadcast operand for a lane's query. Lanes beyond the last query get the last query's row.
template <typename T>
const T* operandRow(const T* operand, Strides strides, const QueryBlock& q, int lane) {
  const int i = q.first + std::min(lane, q.count - 1);
  return rowOf(operand, strides, q.b, q.h, i);
}

void addBias(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  const float* rows[kQueryBlock];
  for (int lane = 0; lane < kQueryBlock; ++lane) rows[lane] = operandRow(a.bias, a.biasStrides, q, lane);
  const auto add = [](float* score, f32x4 bias) {
    // A bias of -infinity masks. It replaces the score, because NaN - infinity would be NaN.
    store(score, select(bias == splat(-kInfinity), bias, load(score) + bias));
  };
  for (int j = keys.from; j < keys.to; j += kLanes) {
    float* scores = w.entries + (j - keys.base) * kQueryBlock;
    for (int lane = 0; lane < kQueryBlock; lane += kLanes, scores += kLanes) {
      f32x4 four[kLanes];
      for (int r = 0; r < kLanes; ++r) {
        const float* row = rows[lane + r];
        if (a.biasStep == 0) {
          four[r] = splat(row[0]);
        } else if (a.biasStep == 1 && j + kLanes <= a.biasColumns) {
          four[r] = load(row + j);
        } else {
          for (int c = j; c < j + kLanes; ++c) {
            four[r][c - j] = c < a.biasColumns ? row[static_cast<ptrdiff_t>(c) * a.biasStep] : -kInfinity;
          }
        }
      }
      transpose(four[0], four[1], four[2], four[3]);
      for (int c = 0; c < kLanes; ++c) add(scores + c * kQueryBlock, four[c]);
    }
  }
}

void addAlibi(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  const f32x4 slope = splat(a.alibiSlopes[q.h]);
  forEachVector(w, keys, [&](int j, f32x4 scores, int v) {
    return scores - slope * __builtin_convertvector(q.positions[v] - j, f32x4);
  });
}

void applyMask(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  for (int lane = 0; lane < kQueryBlock; ++lane) {
    const uint8_t* mask = operandRow(a.mask, a.maskStrides, q, lane);
    float* scores = w.entries + lane;
    const int columns = a.maskStep == 0 ? a.keys : a.maskColumns;
    for (int j = keys.from; j < keys.to; ++j) {
      if (j >= columns || !mask[j * a.maskStep]) scores[(j - keys.base) * kQueryBlock] = -kInfinity;
    }
  }
}

void applyLimits(const Workspace& w, const QueryBlock& q, KeyRange keys) {
  const auto limit = [&](int from, int to) {
    forEachVector(w, {keys.base, from, to}, [&](int j, f32x4 scores, int v) {
      const i32x4 key = splat(j);
      return select((key >= q.begins[v]) & (key < q.ends[v]), scores, splat(-kInfinity));
    });
  };
  const int inner_begin = std::clamp(q.innerBegin, keys.from, keys.to);
  limit(keys.from, inner_begin);
  limit(std::clamp(q.innerEnd, inner_begin, keys.to), keys.to);
}

}  // namespace

void addByDistance(const Workspace& w, const QueryBlock& q, KeyRange keys, int clip, const float* terms) {
  forEachVector(w, keys, [&](int j, f32x4 scores, int v) {
    const i32x4 distance = j - q.positions[v];
    const float* table = terms + v * kLanes;
    if (!anyTrue(distance > -clip)) return scores + load(table);
    if (!anyTrue(distance < clip)) return scores + load(table + 2 * clip * kQueryBlock);
    f32x4 term;
    for (int lane = 0; lane < kLanes; ++lane) {
      const int clipped = std::clamp<int>(distance[lane], -clip, clip);
      term[lane] = table[(clipped + clip) * kQueryBlock + lane];
    }
    return scores + term;
  });
}

void finishScores(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys) {
  if (a.scoresStage == ScoresStage::kScaled) writeRows(a, w, q, keys, a.scores);
  if (a.softcap > 0) {
    const float inverse = 1 / a.softcap;
    forEachVector(w, keys, [&](int, f32x4 scores, int) { return a.softcap * tanh(scores * inverse); });
  }
  if (a.scoresStage == ScoresStage::kSoftcapped) writeRows(a, w, q, keys, a.scores);
  if (a.alibiSlopes) addAlibi(a, w, q, keys);
  if (a.relativeKeys) addByDistance(w, q, keys, a.relativeKeysClip, q.relative);
  if (a.bias) addBias(a, w, q, keys);  // last, because the other terms may be NaN where the bias masks
  if (a.mask) applyMask(a, w, q, keys);
  applyLimits(w, q, keys);
  if (a.scoresStage == ScoresStage::kMasked) writeRows(a, w, q, keys, a.scores);
}

void writeRows(const AttentionArgs& a, const Workspace& w, const QueryBlock& q, KeyRange keys, float* results) {
  const int to = std::min(keys.to, a.keys);
  for (int lane = 0; lane < q.count; lane += kLanes) {
    const int count = std::min(kLanes, q.count - lane);
    const float* scores = w.entries + lane;
    float* rows[kLanes];
    for (int r = 0; r < count; ++r) rows[r] = results + resultRow(a, q, lane + r) * a.keys;
    for (int j = keys.from; j < to; j += kLanes) {
      f32x4 four[kLanes];
      for (int c = 0; c < kLanes; ++c) four[c] = load(scores + (j - keys.base + c) * kQueryBlock);
      transpose(four[0], four[1], four[2], four[3]);
      for (int r = 0; r < count; ++r) {
        if (j + kLanes <= to) {
          store(rows[r] + j, four[r]);
        } else {
          std::memcpy(rows[r] + j, &four[r], (to - j) * sizeof(float));
        }
      }
    }
  }
}

void fillHidden(const AttentionArgs& a, const QueryBlock& q, float* results, float value) {
  const bool empty = q.begin >= q.end;
  const int from = empty ? a.keys : q.begin / kLanes * kLanes;
  const int to = empty ? a.keys : std::min(roundUp(q.end, kLanes), a.keys);
  for (int lane = 0; lane < q.count; ++lane) {
    float* row = results + resultRow(a, q, lane) * a.keys;
    std::fill(row, row + from, value);
    std::fill(row + to, row + a.keys, value);
  }
}

}  // namespace wasm_attention
