// Which keys a query may see by position: packed sequences, valid lengths, causality and windows together leave one
// interval.
#pragma once

#include <algorithm>

#include "attention.h"

namespace wasm_attention {

/// Keys [begin, end); empty if begin >= end.
struct Interval {
  int begin, end;
};

/// The position of query i among the keys.
inline int positionOf(const AttentionArgs& a, int b, int i) {
  if (a.packed) return a.packed[i].position;
  return i + (a.offsets ? a.offsets[b] : 0);
}

inline Interval visibleKeys(const AttentionArgs& a, int b, int i) {
  const int position = positionOf(a, b, i);
  Interval keys{0, a.keys};
  if (a.packed) keys = {a.packed[i].begin, a.packed[i].end};
  if (a.validLens) keys.end = std::min(keys.end, a.validLens[b * a.validBatch + i * a.validRow]);
  // The sides of a window may be as large as 2^31 - 1.
  if (a.windowLeft >= 0) {
    const int64_t begin = std::min<int64_t>(int64_t{position} - a.windowLeft, a.keys);
    keys.begin = std::max(keys.begin, static_cast<int>(std::max<int64_t>(begin, 0)));
  }
  if (a.windowRight >= 0) {
    const int64_t end = std::max<int64_t>(int64_t{position} + a.windowRight + 1, 0);
    keys.end = static_cast<int>(std::min<int64_t>(keys.end, end));
  }
  return keys;
}

/// From the first to the last key that any query of batch b may see; all keys for packed sequences, which may have too
/// many queries to visit.
inline Interval seenKeys(const AttentionArgs& a, int b) {
  if (a.packed) return {0, a.keys};
  Interval seen{a.keys, 0};
  for (int i = 0; i < a.queries; ++i) {
    const Interval keys = visibleKeys(a, b, i);
    if (keys.begin >= keys.end) continue;
    seen.begin = std::min(seen.begin, keys.begin);
    seen.end = std::max(seen.end, keys.end);
  }
  return seen;
}

/// The number of a head's scores, masked ones included.
inline double scoreCount(const AttentionArgs& a) {
  if (!a.packed) return static_cast<double>(a.queries) * a.keys;
  double count = 0;
  for (int i = 0; i < a.queries; ++i) count += a.packed[i].end - a.packed[i].begin;
  return count;
}

}  // namespace wasm_attention
