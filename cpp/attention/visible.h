// Which keys a query may see by position: valid lengths, causality and windows together leave one interval.
#pragma once

#include <algorithm>

#include "attention.h"

namespace wasm_attention {

/// Keys [begin, end); empty if begin >= end.
struct Interval {
  int begin, end;
};

inline int queryOffset(const AttentionArgs& a, int b) { return a.offsets ? a.offsets[b] : 0; }

inline Interval visibleKeys(const AttentionArgs& a, int b, int i) {
  const int position = i + queryOffset(a, b);
  Interval keys{0, a.keys};
  if (a.validLens) keys.end = std::min(keys.end, a.validLens[b * a.validBatch + i * a.validRow]);
  if (a.windowLeft >= 0) keys.begin = std::max(keys.begin, position - a.windowLeft);
  if (a.windowRight >= 0) {
    const int64_t end = int64_t{position} + a.windowRight + 1;  // both may be as large as 2^30
    keys.end = static_cast<int>(std::min<int64_t>(keys.end, end));
  }
  return keys;
}

/// From the first to the last key that any query of batch b may see.
inline Interval seenKeys(const AttentionArgs& a, int b) {
  Interval seen{a.keys, 0};
  for (int i = 0; i < a.queries; ++i) {
    const Interval keys = visibleKeys(a, b, i);
    if (keys.begin >= keys.end) continue;
    seen.begin = std::min(seen.begin, keys.begin);
    seen.end = std::max(seen.end, keys.end);
  }
  return seen;
}

}  // namespace wasm_attention
