#include "attention/workspace.h"

#include <algorithm>

#include "attention/rows.h"
#include "attention/visible.h"
#include "kernels/cutter.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"

namespace wasm_attention {
namespace {

/// The number of heads that are packed ahead. With one thread none, so that a head's panels are used while they are in
/// the cache. With several threads, enough for every thread to have a strip while the next heads are packed, within
/// 16 MB or three heads.
int headsAhead(const AttentionArgs& a, int64_t head_size) {
  if (threadCount() == 1) return 0;
  constexpr int64_t kMostFloats = 4 << 20;
  const int64_t strips = std::max(int64_t{queryStrips(a)} * (a.heads / std::max(a.kvHeads, 1)), int64_t{1});
  const int64_t wanted = (threadCount() + strips - 1) / strips;
  const int64_t most = std::min<int64_t>(kMostFloats / (head_size + 1), kMostSlots) - 2;
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, std::max<int64_t>(most, 1)));
}

}  // namespace

Workspace::Workspace(const AttentionArgs& a, float* scratch) {
  Cutter cut(scratch);
  packed = a.queries >= kFewQueries;
  const int64_t value_width = roundUp(int64_t{a.valueWidth}, kTileCols);
  valueWidth = static_cast<int>(value_width);
  const int64_t key_size = panelsSize(a.keys, a.width, kTileRows);
  const int64_t value_size = times(a.keys, value_width);
  ahead = headsAhead(a, key_size + value_size);
  // One slot for each head from the attended one to the packed one, and one for the previous head, whose last strips
  // may be unfinished.
  const int64_t heads = std::max(int64_t{a.batch} * a.kvHeads, int64_t{1});
  slots = ahead == 0 || hasOwnTables(a) ? 1 : static_cast<int>(std::min<int64_t>(ahead + 2, heads));
  keyPanels = packed ? cut.take(times(slots, key_size)) : nullptr;
  valuePanels = packed ? cut.take(times(slots, value_size)) : nullptr;
  valuesFinite = packed ? cut.take(int64_t{slots} * keyBlocks(a)) : nullptr;
  const int64_t key_rows = a.relativeKeys ? 2 * int64_t{a.relativeKeysClip} + 1 : 0;
  const int64_t value_rows = a.relativeValues ? 2 * int64_t{a.relativeValuesClip} + 1 : 0;
  relativeKeys = cut.take(times(roundUp(key_rows, kTileRows), a.width));
  relativeValues = cut.take(times(value_rows, value_width));
  relativeValuesFinite = cut.take(1);

  const int64_t shared = cut.used();
  queries = cut.take(int64_t{kStripQueries} * a.width);
  outputs = cut.take(kStripQueries * value_width);
  totals = keyBlocks(a) > kFoldBlocks ? cut.take(2 * kStripQueries * (value_width + 1)) : nullptr;
  entries = cut.take(kKeyBlock * kQueryBlock);
  blockMax = a.weights ? cut.take(int64_t{keyBlocks(a)} * kStripQueries) : nullptr;
  relativeScoresSize = roundUp(key_rows, kTileRows) * kQueryBlock;
  relativeScores = cut.take(kStripBlocks * relativeScoresSize);
  relativeWeights = cut.take(value_rows * kQueryBlock);
  threadSize = cut.used() - shared;
  size = shared + threadSize * threadCount();
}

Workspace Workspace::of(const AttentionArgs& a, int thread, int slot) const {
  Workspace w = *this;
  if (packed) {
    w.keyPanels += slot * panelsSize(a.keys, a.width, kTileRows);
    w.valuePanels += static_cast<size_t>(slot) * a.keys * valueWidth;
    w.valuesFinite += static_cast<size_t>(slot) * keyBlocks(a);
  }
  for (float** own : {&w.queries, &w.outputs, &w.entries, &w.relativeScores, &w.relativeWeights}) {
    *own += thread * threadSize;
  }
  for (float** own : {&w.totals, &w.blockMax}) {
    if (*own) *own += thread * threadSize;
  }
  return w;
}

// Not inlined, so that an engine can swap in its optimised code during the first long call.
[[gnu::noinline]] void packKeyBlock(const AttentionArgs& a, const Workspace& w, int b, int kv_head, int block) {
  Interval seen = seenKeys(a, b);
  if (wantsHiddenScores(a)) seen = {0, a.keys};
  const int base = block * kKeyBlock;
  if (base + kKeyBlock <= seen.begin || seen.end <= base) return;
  const int count = std::min(a.keys - base, kKeyBlock);
  packRows<kTileRows>(rowOf(a.key, a.keyStrides, b, kv_head, base), a.keyStrides.row, count, a.width, 1.0f,
                      w.keyPanels + static_cast<size_t>(base) * a.width);
  float* panels = w.valuePanels + static_cast<size_t>(base) * w.valueWidth;
  packColumns(rowOf(a.value, a.valueStrides, b, kv_head, base), a.valueStrides.row, count, a.valueWidth, panels);
  w.valuesFinite[block] = allFinite(panels, count * w.valueWidth);
}

void packRelativeTables(const AttentionArgs& a, const Workspace& w, int h) {
  if (a.relativeKeys && w.packed) {
    packRows<kTileRows>(a.relativeKeys + static_cast<ptrdiff_t>(h) * a.relativeKeysHead, a.width,
                        2 * a.relativeKeysClip + 1, a.width, 1.0f, w.relativeKeys);
  }
  if (a.relativeValues) {
    packColumns(a.relativeValues + static_cast<ptrdiff_t>(h) * a.relativeValuesHead, a.valueWidth,
                2 * a.relativeValuesClip + 1, a.valueWidth, w.relativeValues);
    *w.relativeValuesFinite = allFinite(w.relativeValues, (2 * a.relativeValuesClip + 1) * w.valueWidth);
  }
}

}  // namespace wasm_attention
