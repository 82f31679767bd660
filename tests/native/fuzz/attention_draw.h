// An attention call from the fuzzer's bytes: sizes, layouts and every option.
#pragma once

#include "attention_problem.h"
#include "fuzz.h"

namespace wasm_attention {

inline AttentionSizes drawSizes(Draw& draw) {
  AttentionSizes n;
  n.batch = draw.integer(1, 2);
  n.kvHeads = draw.integer(1, 2);
  n.heads = n.kvHeads * draw.integer(1, 3);
  n.queries = draw.integer(1, 40);
  n.keys = draw.integer(1, draw.flag() ? 300 : 20);
  n.width = draw.integer(1, 20);
  n.valueWidth = draw.integer(1, 20);
  return n;
}

inline AttentionChoices drawChoices(Draw& draw) {
  AttentionChoices c;
  c.headsSideBySide = draw.flag();
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
