// Scaled dot-product attention, tiled over queries and keys with an online softmax (Dao et al. 2022): scores live in a
// block of 8 queries by 256 keys and are never stored unless asked for; key blocks that no query of a group may see are
// skipped.
//
// Versions tried (GFLOP/s of this kernel, one head, n = 128 / 512, E = 64; wasm, Xeon of the Sapphire Rapids kind, Node
// 20, where a tile in L1 reaches 45 to 47):
//   8 queries by 256 keys, scores as [key][query]                          37.7 / 39.2   <- this
//   the same before its softmax was reordered and its first block stored rather than added    36.3 / 38.5
//   one query at a time with Eigen's dot products and exponentials         3.1 / 6.1
// On two threads (ms for (1, 8, 512, 64) and (1, 8, 128, 64), arrays in and out, least of 15 samples; 20.2 and 1.26 on one):
//   tiles of all heads shared, whose panels lie in the common cache    12.2, 1.09
//   each thread a head at a time, its panels in its core's own         12.6, 1.16: no gain, and idle threads where heads are few
// The same for (1, 8, 512, 64) and its causal form, medians of 7 (16.84 and 9.12 on one):
//   panels of all heads, 2 MB                                          9.69, 5.72
//   of as many heads as take 1 MB, the last queries first              9.34, 5.55   <- this
// Of the causal 5.4, 0.6 to 0.8 are copies in and out by the caller alone, 0.1 is waking up, 4.4 the tiles (4.15 is half of one
// thread's); threads end within 0.03 of each other.
// At n = 512 the two products take 81 % of the time at 97 % of the tile's speed, the softmax 10 %, packing and the rest
// 9 %.
#include <algorithm>
#include <cmath>

#include "attention.h"
#include "attention/group.h"
#include "attention/rows.h"
#include "attention/sequences.h"
#include "attention/visible.h"
#include "kernels/cutter.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"

namespace wasm_attention {
namespace {

bool wantsHiddenScores(const AttentionArgs& a) {
  return a.scoresStage == ScoresStage::kScaled || a.scoresStage == ScoresStage::kSoftcapped;
}

Group makeGroup(const AttentionArgs& a, const Workspace& w, int b, int h, int first, int index) {
  Group g = placeGroup(a, b, h, first);
  if (wantsHiddenScores(a)) {
    g.begin = 0;
    g.end = a.keys;
  }
  g.output = w.outputs + static_cast<size_t>(index) * kGroup * w.valueWidth;

  float* query = w.queries + static_cast<size_t>(index) * kGroup * a.width;
  const float* rows = a.query + static_cast<ptrdiff_t>(b) * a.queryStrides.batch +
                      static_cast<ptrdiff_t>(h) * a.queryStrides.head +
                      static_cast<ptrdiff_t>(first) * a.queryStrides.row;
  if (w.packed) {
    packRows<kGroup>(rows, a.queryStrides.row, g.count, a.width, a.scale, query);
  } else {
    for (int lane = 0; lane < g.count; ++lane, rows += a.queryStrides.row) {
      for (int e = 0; e < a.width; ++e) query[lane * a.width + e] = rows[e] * a.scale;
    }
  }
  g.query = query;
  g.relative = w.relativeScores + index * w.relativeScoresSize;
  if (a.relativeKeys) multiplyRelativeKeys(a, w, g);
  return g;
}

/// Normalises, and writes what was gathered.
void finishGroup(const AttentionArgs& a, const Workspace& w, const Group& g, int index) {
  for (int lane = 0; lane < g.count; ++lane) {
    const float max = g.max.v[lane / kLanes][lane % kLanes];
    const float sum = g.sum.v[lane / kLanes][lane % kLanes];
    const bool empty = sum == 0;  // else the largest score adds 1; NaN is not empty
    const float scale = empty ? 0.0f : 1 / sum;
    const float* from = g.output + static_cast<size_t>(lane) * w.valueWidth;
    float* to = a.output + static_cast<ptrdiff_t>(g.b) * a.outputStrides.batch +
                static_cast<ptrdiff_t>(g.h) * a.outputStrides.head +
                static_cast<ptrdiff_t>(g.first + lane) * a.outputStrides.row;
    if (empty) {
      std::fill(to, to + a.valueWidth, 0.0f);
    } else {
      scaleRow(from, scale, to, a.valueWidth);
    }
    const size_t row = resultRow(a, g, lane);
    if (a.logSumExp) a.logSumExp[row] = empty ? -kInfinity : max + std::log(sum);
    if (!a.weights || empty) continue;
    for (int base = g.begin / kKeyBlock * kKeyBlock; base < g.end; base += kKeyBlock) {
      const float block_max = w.blockMax[(base / kKeyBlock * kGroups + index) * kGroup + lane];
      const float factor = block_max == -kInfinity ? 0.0f : scale * std::exp(block_max - max);
      float* weights = a.weights + row * a.keys;
      for (int j = std::max(base, g.begin); j < std::min(base + kKeyBlock, g.end); ++j) weights[j] *= factor;
    }
  }
}

/// Up to kGroups groups of queries against all their keys, block by block. A function of its own, as are the steps it
/// calls, so that an engine's optimised code comes into play while the first long call is still under way.
[[gnu::noinline]] void attendTile(const AttentionArgs& a, Workspace& w, int b, int h, int first, float* kept) {
  Group groups[kGroups];
  const int count = std::min(kGroups, (a.queries - first + kGroup - 1) / kGroup);
  int begin = a.keys;
  int end = 0;
  for (int i = 0; i < count; ++i) {
    groups[i] = makeGroup(a, w, b, h, first + i * kGroup, i);
    begin = std::min(begin, groups[i].begin);
    end = std::max(end, groups[i].end);
    if (a.weights) fillHidden(a, groups[i], a.weights, 0.0f);
    if (a.scores) fillHidden(a, groups[i], a.scores, -kInfinity);
  }
  for (int base = begin / kKeyBlock * kKeyBlock; base < end; base += kKeyBlock) {
    for (int i = 0; i < count; ++i) {
      Group& g = groups[i];
      const int from = std::max(g.begin, base) / kTileRows * kTileRows;
      const int to = roundUp(std::min(g.end, base + kKeyBlock), kTileRows);
      if (from >= to) continue;
      const BlockRange keys{base, from, to};
      if (kept) w.block = keptGroup(a, kept, b, h, g.first);
      multiplyKeys(a, w, g, keys);
      finishScores(a, w, g, keys);
      softmaxBlock(a, w, g, keys);
      mixValues(a, w, g, keys);
      g.fresh = false;
      if (a.weights) {
        float* max = w.blockMax + (base / kKeyBlock * kGroups + i) * kGroup;
        for (int v = 0; v < kVectors; ++v) store(max + v * kLanes, g.max.v[v]);
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    const Group& g = groups[i];
    finishGroup(a, w, g, i);
    if (!kept) continue;
    float* const sums = keptGroup(a, kept, b, h, g.first) + keptGroupSize(a) - kGroup;
    for (int v = 0; v < kVectors; ++v) store(sums + v * kLanes, g.sum.v[v]);
  }
}

/// Keys and values of one head, those of a block that any query of the batch may see, into panels.
[[gnu::noinline]] void packBlock(const AttentionArgs& a, const Workspace& w, int b, int kv_head, int block) {
  Interval seen = seenKeys(a, b);
  if (wantsHiddenScores(a)) seen = {0, a.keys};
  const int base = block * kKeyBlock;
  if (base + kKeyBlock <= seen.begin || seen.end <= base) return;
  const float* key =
      a.key + static_cast<ptrdiff_t>(b) * a.keyStrides.batch + static_cast<ptrdiff_t>(kv_head) * a.keyStrides.head;
  const float* value = a.value + static_cast<ptrdiff_t>(b) * a.valueStrides.batch +
                       static_cast<ptrdiff_t>(kv_head) * a.valueStrides.head;
  const int count = std::min(a.keys - base, kKeyBlock);
  packRows<kTileRows>(key + static_cast<ptrdiff_t>(base) * a.keyStrides.row, a.keyStrides.row, count, a.width, 1.0f,
                      w.keyPanels + static_cast<size_t>(base) * a.width);
  float* panels = w.valuePanels + static_cast<size_t>(base) * w.valueWidth;
  packColumns(value + static_cast<ptrdiff_t>(base) * a.valueStrides.row, a.valueStrides.row, count, a.valueWidth,
              panels);
  w.valuesFinite[block] = allFinite(panels, count * w.valueWidth);
}

void packRelative(const AttentionArgs& a, const Workspace& w, int h) {
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

}  // namespace

Workspace::Workspace(const AttentionArgs& a, float* scratch) {
  // Without threads one head's panels stay in the core's own cache. With threads as many heads as take 1 MB, which both cores read;
  // of larger ones as many as fit the cache that cores share, since they wait for each other at the end.
  constexpr size_t kNearFloats = 256 << 10, kSharedFloats = 4 << 20;
  Cutter cut(scratch);
  packed = a.queries >= kFewQueries;
  valueWidth = roundUp(a.valueWidth, kTileCols);
  const size_t key_size = panelsSize(a.keys, a.width, kTileRows);
  const size_t value_size = static_cast<size_t>(a.keys) * valueWidth;
  pairs = std::max(a.batch * a.kvHeads, 1);
  if (packed) {
    const size_t size = key_size + value_size + 1;
    pairs = threadCount() == 1
                ? 1
                : std::clamp<int>((2 * size > kNearFloats ? kSharedFloats : kNearFloats) / size, 1, pairs);
  }
  // Tables of their own: one head at a time.
  if (a.relativeKeysHead != 0 || a.relativeValuesHead != 0) pairs = 1;
  keyPanels = packed ? cut.take(pairs * key_size) : nullptr;
  valuePanels = packed ? cut.take(pairs * value_size) : nullptr;
  valuesFinite = packed ? cut.take(static_cast<size_t>(pairs) * keyBlocks(a)) : nullptr;
  const int key_rows = a.relativeKeys ? 2 * a.relativeKeysClip + 1 : 0;
  const int value_rows = a.relativeValues ? 2 * a.relativeValuesClip + 1 : 0;
  relativeKeys = cut.take(panelsSize(key_rows, a.width, kTileRows));
  relativeValues = cut.take(static_cast<size_t>(value_rows) * valueWidth);
  relativeValuesFinite = cut.take(1);

  const size_t shared = cut.used();
  queries = cut.take(static_cast<size_t>(kGroups) * kGroup * a.width);
  outputs = cut.take(static_cast<size_t>(kGroups) * kGroup * valueWidth);
  block = cut.take(kKeyBlock * kGroup);
  blockMax = a.weights ? cut.take(static_cast<size_t>(keyBlocks(a)) * kGroups * kGroup) : nullptr;
  relativeScoresSize = static_cast<size_t>(roundUp(key_rows, kTileRows)) * kGroup;
  relativeScores = cut.take(kGroups * relativeScoresSize);
  relativeWeights = cut.take(static_cast<size_t>(value_rows) * kGroup);
  threadSize = cut.used() - shared;
  size = shared + threadSize * threadCount();
}

Workspace Workspace::of(const AttentionArgs& a, int thread, int pair) const {
  Workspace w = *this;
  if (packed) {
    w.keyPanels += pair * panelsSize(a.keys, a.width, kTileRows);
    w.valuePanels += static_cast<size_t>(pair) * a.keys * valueWidth;
    w.valuesFinite += static_cast<size_t>(pair) * keyBlocks(a);
  }
  for (float** own : {&w.queries, &w.outputs, &w.block, &w.relativeScores, &w.relativeWeights}) {
    *own += thread * threadSize;
  }
  if (blockMax) w.blockMax += thread * threadSize;
  return w;
}

size_t scaledDotProductAttentionScratch(const AttentionArgs& a) { return Workspace(a, nullptr).size; }

void scaledDotProductAttention(const AttentionArgs& a) { attendSequences(a, {0, a.batch}, nullptr); }

size_t keptWeights(const AttentionArgs& a) {
  // One block of keys, whose exponentials are relative to the largest score of all.
  const bool own = a.queries >= kFewQueries && a.keys <= kKeyBlock && a.dropout == 0 && a.softcap == 0;
  if (!own || a.keys > 4 * a.valueWidth) return 0;
  const size_t groups = (a.queries + kGroup - 1) / kGroup;
  return static_cast<size_t>(a.batch) * a.heads * groups * keptGroupSize(a);
}

namespace {

/// Query heads [first, first + count) of all that `some` have, against packed keys and values.
void attendHeads(const AttentionArgs& a, const Workspace& w, Sequences some, int first, int count, float* kept) {
  constexpr int kQueries = kGroups * kGroup;
  const int heads_per_kv = a.heads / a.kvHeads;
  const int tiles = (a.queries + kQueries - 1) / kQueries;
  const double work = static_cast<double>(count) * a.queries * a.keys * (a.width + a.valueWidth);
  parallelFor(count * tiles, work, [&](int i, int thread) {
    const int head = first + i / tiles;
    Workspace own = w.of(a, thread, head / heads_per_kv - first / heads_per_kv);
    // Of causal attention the last queries see most; with threads they go first.
    const int tile = threadCount() == 1 ? i % tiles : tiles - 1 - i % tiles;
    attendTile(a, own, some.first + head / a.heads, head % a.heads, tile * kQueries, kept);
  });
}

}  // namespace

void attendSequences(const AttentionArgs& a, Sequences some, float* kept) {
  const Workspace w(a, a.scratch);
  const int heads_per_kv = a.heads / a.kvHeads;
  const int blocks = keyBlocks(a);
  const int all = some.count * a.kvHeads;
  const bool own_tables = a.relativeKeysHead != 0 || a.relativeValuesHead != 0;
  if (!own_tables) packRelative(a, w, 0);
  for (int pair = 0; pair < all; pair += w.pairs) {
    const int pairs = std::min(w.pairs, all - pair);
    if (w.packed) {
      const double work = kCopyWork * pairs * a.keys * (a.width + a.valueWidth);
      parallelFor(pairs * blocks, work, [&](int i, int) {
        const int p = pair + i / blocks;
        packBlock(a, w.of(a, 0, i / blocks), some.first + p / a.kvHeads, p % a.kvHeads, i % blocks);
      });
    }
    const int step = own_tables ? 1 : pairs * heads_per_kv;
    for (int head = pair * heads_per_kv; head < (pair + pairs) * heads_per_kv; head += step) {
      if (own_tables) packRelative(a, w, head % a.heads);
      attendHeads(a, w, some, head, step, kept);
    }
  }
}

}  // namespace wasm_attention
