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
  q.position = first + queryOffset(a, b);
  q.begin = a.keys;
  q.innerEnd = a.keys;
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
  for (int v = 0; v < kVectors; ++v) q.max.v[v] = splat(-kInfinity);
  return q;
}

}  // namespace wasm_attention
