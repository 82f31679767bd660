// Draws attention calls: sizes, layouts and all options.
#pragma once

#include <algorithm>

#include "attention_problem.h"
#include "property.h"

namespace wasm_attention {

/// One of these, or any number up to their maximum.
inline int around(Draw& draw, std::initializer_list<int> levels) {
  const int level = draw.integer(0, static_cast<int>(levels.size()) - 1);
  return draw.flag() ? levels.begin()[level] : draw.integer(1, std::max(levels));
}

inline AttentionSizes drawSizes(Draw& draw) {
  AttentionSizes n;
  n.batch = draw.integer(1, 2);
  n.kvHeads = draw.integer(1, 2);
  n.heads = n.kvHeads * draw.integer(1, 3);
  // Sizes around the vector (4), the block (8) and the strip (32) of queries, and the block of keys (256).
  n.queries = around(draw, {1, 3, 8, 9, 31, 32, 33, 65});
  n.keys = draw.flag() ? around(draw, {1, 4, 5, 63, 255, 256, 257, 520}) : draw.integer(1, 20);
  n.width = around(draw, {1, 3, 4, 17, 32});
  n.valueWidth = around(draw, {1, 3, 4, 17, 32, 64});
  return n;
}

inline AttentionChoices drawChoices(Draw& draw) {
  AttentionChoices c;
  c.headsInterleaved = draw.flag();
  c.validLens = static_cast<ValidLens>(draw.integer(0, 2));
  c.windowLeft = draw.flag() ? -1 : draw.integer(0, 50);
  c.windowRight = draw.flag() ? -1 : draw.integer(0, 50);
  c.offsets = static_cast<Offsets>(draw.integer(0, 2));
  c.mask = static_cast<Broadcast>(draw.integer(0, 5));
  c.bias = static_cast<Broadcast>(draw.integer(0, 5));
  c.biasMasks = draw.flag();
  c.relativeKeysClip = draw.integer(-1, 9);
  c.relativeValuesClip = draw.integer(-1, 9);
  c.relativePerHead = draw.flag();
  c.alibi = draw.flag();
  c.sinks = draw.flag();
  c.packed = draw.flag();
  c.softcap = draw.flag() ? 2.0f : 0.0f;
  c.dropout = draw.flag() ? 0.3f : 0.0f;
  c.weights = draw.flag();
  c.logSumExp = draw.flag();
  c.scoresStage = static_cast<ScoresStage>(draw.integer(0, 3));
  return c;
}

}  // namespace wasm_attention
