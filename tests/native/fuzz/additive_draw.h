// A call of additive attention from the fuzzer's bytes: sizes, tensors and valid lengths, with NaN and infinity beyond
// the lengths.
#pragma once

#include <algorithm>

#include "additive_tensors.h"
#include "fuzz.h"

namespace wasm_attention {

struct AdditiveDraw {
  AdditiveAttentionArgs args{};
  AdditiveTensors<float> inputs;
  /// How many keys each query sees, even if `args` has no lengths.
  std::vector<int32_t> valid;
};

/// Draws a call whose arguments point to the tensors in `call`. The caller adds scratch and results.
inline void drawAdditive(Draw& draw, AdditiveDraw& call) {
  AdditiveAttentionArgs& n = call.args;
  n.batch = draw.integer(1, 3);
  n.queries = draw.integer(1, 12);
  n.keys = draw.integer(1, draw.flag() ? 140 : 12);
  n.queryWidth = draw.integer(1, 9);
  n.keyWidth = draw.integer(1, 9);
  n.valueWidth = draw.integer(1, 20);
  n.hiddens = draw.integer(1, 20);
  for (const size_t count : additiveCounts(n)) call.inputs.push_back(draw.floats(count));
  const bool has_lens = draw.flag();
  call.valid.assign(size_t(n.batch) * n.queries, n.keys);
  for (int b = 0; has_lens && b < n.batch; ++b) {
    int longest = 0;
    for (int i = 0; i < n.queries; ++i) {
      longest = std::max(longest, call.valid[b * n.queries + i] = draw.integer(0, n.keys));
    }
    for (int j = longest; j < n.keys; ++j) {
      std::fill_n(&call.inputs[1][(size_t(b) * n.keys + j) * n.keyWidth], n.keyWidth, NAN);
      std::fill_n(&call.inputs[2][(size_t(b) * n.keys + j) * n.valueWidth], n.valueWidth, INFINITY);
    }
  }
  bind(n, call.inputs);
  n.valid = has_lens ? call.valid.data() : nullptr;
}

}  // namespace wasm_attention
