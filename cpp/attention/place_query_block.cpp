#include <algorithm>

#include "attention/query_block.h"
#include "attention/visible.h"

namespace wasm_attention {

QueryBlock placeQueryBlock(const AttentionArgs& a, int b, int h, int first) {
  QueryBlock q{};
  q.fresh = true;
  q.b = b;
  q.h = h;
  q.first = first;
  q.count = std::min(kQueryBlock, a.queries - first);
  q.begin = a.keys;
  q.innerEnd = a.keys;
  for (int lane = 0; lane < kQueryBlock; ++lane) {
    // Lanes after the last query follow it.
    const int last = std::min(lane, q.count - 1);
    q.positions[lane / kLanes][lane % kLanes] = positionOf(a, b, first + last) + lane - last;
  }
  for (int lane = 0; lane < q.count; ++lane) {
    const Interval keys = visibleKeys(a, b, first + lane);
    q.begins[lane / kLanes][lane % kLanes] = keys.begin;
    q.ends[lane / kLanes][lane % kLanes] = keys.end;
    q.innerBegin = std::max(q.innerBegin, keys.begin);
    q.innerEnd = std::min(q.innerEnd, keys.end);
    if (keys.begin >= keys.end) continue;
    q.begin = std::min(q.begin, keys.begin);
    q.end = std::max(q.end, keys.end);
  }
  // A sink is a first key without a value.
  const float sink = a.sinks ? a.sinks[h] : -kInfinity;
  for (int v = 0; v < kVectors; ++v) {
    q.max.v[v] = max(splat(-kInfinity), splat(sink));              // -infinity if the sink is NaN
    q.sum.v[v] = splat(sink == -kInfinity ? 0 : sink - sink + 1);  // NaN if the sink is NaN or infinity
  }
  return q;
}

}  // namespace wasm_attention
