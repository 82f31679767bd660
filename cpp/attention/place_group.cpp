#include <algorithm>

#include "attention/group.h"
#include "attention/visible.h"

namespace wasm_attention {

Group placeGroup(const AttentionArgs& a, int b, int h, int first) {
  Group g{};
  g.fresh = true;
  g.b = b;
  g.h = h;
  g.first = first;
  g.count = std::min(kGroup, a.queries - first);
  g.position = first + queryOffset(a, b);
  g.begin = a.keys;
  g.innerEnd = a.keys;
  for (int lane = 0; lane < g.count; ++lane) {
    const Interval keys = visibleKeys(a, b, first + lane);
    g.begins[lane / kLanes][lane % kLanes] = keys.begin;
    g.ends[lane / kLanes][lane % kLanes] = keys.end;
    g.innerBegin = std::max(g.innerBegin, keys.begin);
    g.innerEnd = std::min(g.innerEnd, keys.end);
    if (keys.begin >= keys.end) continue;
    g.begin = std::min(g.begin, keys.begin);
    g.end = std::max(g.end, keys.end);
  }
  for (int v = 0; v < kVectors; ++v) g.max.v[v] = splat(-kInfinity);
  return g;
}

}  // namespace wasm_attention
