#include <algorithm>
#include <cstring>

#include "attention/group.h"
#include "kernels/pack.h"
#include "simd/tanh.h"

namespace wasm_attention {
namespace {

/// Calls f(j, scores of key j, vector, index of the first lane).
template <typename F>
void forEachVector(const Workspace& w, BlockRange keys, F f) {
  for (int j = keys.from; j < keys.to; ++j) {
    float* row = w.block + (j - keys.base) * kGroup;
    for (int v = 0; v < kVectors; ++v) store(row + v * kLanes, f(j, load(row + v * kLanes), v));
  }
}

/// The row of a broadcast operand that a lane reads; lanes past the last query read that one's.
template <typename T>
const T* operandRow(const T* operand, Strides strides, const Group& g, int lane) {
  const int i = g.first + std::min(lane, g.count - 1);
  return operand + static_cast<ptrdiff_t>(g.b) * strides.batch + static_cast<ptrdiff_t>(g.h) * strides.head +
         static_cast<ptrdiff_t>(i) * strides.row;
}

void addBias(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const float* rows[kGroup];
  for (int lane = 0; lane < kGroup; ++lane) rows[lane] = operandRow(a.bias, a.biasStrides, g, lane);
  const auto add = [](float* score, f32x4 bias) {
    // A bias of -infinity masks: it replaces the score, for NaN - infinity would be NaN.
    store(score, select(bias == splat(-kInfinity), bias, load(score) + bias));
  };
  for (int j = keys.from; j < keys.to; j += kLanes) {
    float* scores = w.block + (j - keys.base) * kGroup;
    for (int lane = 0; lane < kGroup; lane += kLanes, scores += kLanes) {
      f32x4 four[kLanes];
      for (int r = 0; r < kLanes; ++r) {
        const float* row = rows[lane + r];
        if (a.biasStep == 0) {
          four[r] = splat(row[0]);
        } else if (j + kLanes <= a.biasColumns) {
          four[r] = load(row + j);
        } else {
          for (int c = 0; c < kLanes; ++c) four[r][c] = j + c < a.biasColumns ? row[j + c] : -kInfinity;
        }
      }
      transpose(four[0], four[1], four[2], four[3]);
      for (int c = 0; c < kLanes; ++c) add(scores + c * kGroup, four[c]);
    }
  }
}

void addAlibi(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  const f32x4 slope = splat(a.alibiSlopes[g.h]);
  forEachVector(w, keys, [&](int j, f32x4 scores, int v) {
    const i32x4 lanes = i32x4{0, 1, 2, 3} + v * kLanes;
    return scores - slope * __builtin_convertvector(lanes + (g.position - j), f32x4);
  });
}

void applyMask(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  for (int lane = 0; lane < kGroup; ++lane) {
    const uint8_t* mask = operandRow(a.mask, a.maskStrides, g, lane);
    float* scores = w.block + lane;
    const int columns = a.maskStep == 0 ? a.keys : a.maskColumns;
    for (int j = keys.from; j < keys.to; ++j) {
      if (j >= columns || !mask[j * a.maskStep]) scores[(j - keys.base) * kGroup] = -kInfinity;
    }
  }
}

void applyLimits(const Workspace& w, const Group& g, BlockRange keys) {
  const auto limit = [&](int from, int to) {
    forEachVector(w, {keys.base, from, to}, [&](int j, f32x4 scores, int v) {
      const i32x4 key = splat(j);
      return select((key >= g.begins[v]) & (key < g.ends[v]), scores, splat(-kInfinity));
    });
  };
  const int inner_begin = std::clamp(g.innerBegin, keys.from, keys.to);
  limit(keys.from, inner_begin);
  limit(std::clamp(g.innerEnd, inner_begin, keys.to), keys.to);
}

}  // namespace

void addByDistance(const Workspace& w, const Group& g, BlockRange keys, int clip, const float* terms) {
  forEachVector(w, keys, [&](int j, f32x4 scores, int v) {
    const int distance = j - g.position - v * kLanes;  // of the first lane; one less for each next
    const float* table = terms + v * kLanes;
    if (distance <= -clip) return scores + load(table);
    if (distance - (kLanes - 1) >= clip) return scores + load(table + 2 * clip * kGroup);
    f32x4 term;
    for (int lane = 0; lane < kLanes; ++lane) {
      term[lane] = table[(std::clamp(distance - lane, -clip, clip) + clip) * kGroup + lane];
    }
    return scores + term;
  });
}

void finishScores(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys) {
  if (a.scoresStage == ScoresStage::kScaled) writeRows(a, w, g, keys, a.scores);
  if (a.softcap > 0) {
    const float inverse = 1 / a.softcap;
    forEachVector(w, keys, [&](int, f32x4 scores, int) { return a.softcap * tanh(scores * inverse); });
  }
  if (a.scoresStage == ScoresStage::kSoftcapped) writeRows(a, w, g, keys, a.scores);
  if (a.alibiSlopes) addAlibi(a, w, g, keys);
  if (a.relativeKeys) addByDistance(w, g, keys, a.relativeKeysClip, g.relative);
  if (a.bias) addBias(a, w, g, keys);  // after the terms that may be NaN where it masks
  if (a.mask) applyMask(a, w, g, keys);
  applyLimits(w, g, keys);
  if (a.scoresStage == ScoresStage::kMasked) writeRows(a, w, g, keys, a.scores);
}

void writeRows(const AttentionArgs& a, const Workspace& w, const Group& g, BlockRange keys, float* results) {
  const int to = std::min(keys.to, a.keys);
  for (int lane = 0; lane < g.count; lane += kLanes) {
    const int count = std::min(kLanes, g.count - lane);
    const float* scores = w.block + lane;
    float* rows[kLanes];
    for (int r = 0; r < count; ++r) rows[r] = results + resultRow(a, g, lane + r) * a.keys;
    for (int j = keys.from; j < to; j += kLanes) {
      f32x4 four[kLanes];
      for (int c = 0; c < kLanes; ++c) four[c] = load(scores + (j - keys.base + c) * kGroup);
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

void fillHidden(const AttentionArgs& a, const Group& g, float* results, float value) {
  const bool empty = g.begin >= g.end;
  const int from = empty ? a.keys : g.begin / kLanes * kLanes;
  const int to = empty ? a.keys : std::min(roundUp(g.end, kLanes), a.keys);
  for (int lane = 0; lane < g.count; ++lane) {
    float* row = results + resultRow(a, g, lane) * a.keys;
    std::fill(row, row + from, value);
    std::fill(row + to, row + a.keys, value);
  }
}

}  // namespace wasm_attention
