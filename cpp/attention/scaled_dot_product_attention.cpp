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
//   of as many heads as take 1 MB, the last queries first              9.34, 5.55
// And for these two, (1, 8, 128, 64) and (1, 12, 1024, 64), in turns on another day (medians of 15):
//   the last of those, panels and tiles a loop each                    9.56, 5.53, 0.97, 53.2
//   one loop for both, panels a head ahead of their tiles              9.55, 5.34, 0.95, 53.1
//   that, while the caller copies in and out (kernels/stream.h)        8.94, 4.95, 0.83, 50.7   <- this
// Of that 8.94 a thread has 8.0 to 8.3 of tiles (16.0 on one), the caller 0.5 of copies, and nobody waits for longer than 0.1.
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
#include "kernels/stream.h"

namespace wasm_attention {
namespace {

int queryTiles(const AttentionArgs& a) {
  constexpr int kQueries = kGroups * kGroup;
  return static_cast<int>((int64_t{a.queries} + kQueries - 1) / kQueries);
}

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
  Cutter cut(scratch);
  packed = a.queries >= kFewQueries;
  const int64_t value_width = roundUp(int64_t{a.valueWidth}, kTileCols);
  valueWidth = static_cast<int>(value_width);
  const int64_t key_size = panelsSize(a.keys, a.width, kTileRows);
  const int64_t value_size = a.keys * value_width;
  // One thread's panels stay in its core's own cache. Several threads have tiles enough while the next heads are packed, which
  // takes 16 MB at most or three heads.
  constexpr int64_t kMostFloats = 4 << 20;
  const int64_t pairs = std::max(int64_t{a.batch} * a.kvHeads, int64_t{1});
  const int64_t tiles = std::max(int64_t{queryTiles(a)} * (a.heads / a.kvHeads), int64_t{1});
  const int most = static_cast<int>(kMostFloats / (key_size + value_size + 1)) - 2;
  ahead =
      threadCount() == 1 ? 0 : std::clamp(static_cast<int>((threadCount() + tiles - 1) / tiles), 1, std::max(most, 1));
  // Tables of their own: one head at a time.
  const bool own_tables = a.relativeKeysHead != 0 || a.relativeValuesHead != 0;
  slots = ahead == 0 || own_tables ? 1 : static_cast<int>(std::min<int64_t>(ahead + 2, pairs));
  packing = reinterpret_cast<Progress*>(cut.take(slots));
  attending = reinterpret_cast<Progress*>(cut.take(slots));
  keyPanels = packed ? cut.take(times(slots, key_size)) : nullptr;
  valuePanels = packed ? cut.take(times(slots, value_size)) : nullptr;
  valuesFinite = packed ? cut.take(int64_t{slots} * keyBlocks(a)) : nullptr;
  const int key_rows = a.relativeKeys ? 2 * a.relativeKeysClip + 1 : 0;
  const int value_rows = a.relativeValues ? 2 * a.relativeValuesClip + 1 : 0;
  relativeKeys = cut.take(panelsSize(key_rows, a.width, kTileRows));
  relativeValues = cut.take(value_rows * value_width);
  relativeValuesFinite = cut.take(1);

  const int64_t shared = cut.used();
  queries = cut.take(int64_t{kGroups} * kGroup * a.width);
  outputs = cut.take(kGroups * kGroup * value_width);
  block = cut.take(kKeyBlock * kGroup);
  blockMax = a.weights ? cut.take(int64_t{keyBlocks(a)} * kGroups * kGroup) : nullptr;
  relativeScoresSize = roundUp(int64_t{key_rows}, kTileRows) * kGroup;
  relativeScores = cut.take(kGroups * relativeScoresSize);
  relativeWeights = cut.take(int64_t{value_rows} * kGroup);
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
  for (float** own : {&w.queries, &w.outputs, &w.block, &w.relativeScores, &w.relativeWeights}) {
    *own += thread * threadSize;
  }
  if (blockMax) w.blockMax += thread * threadSize;
  return w;
}

int64_t scaledDotProductAttentionScratch(const AttentionArgs& a) { return Workspace(a, nullptr).size; }

void scaledDotProductAttention(const AttentionArgs& a, float* scratch) {
  attendSequences(a, {0, a.batch}, nullptr, scratch);
}

int64_t keptWeights(const AttentionArgs& a) {
  // One block of keys, whose exponentials are relative to the largest score of all.
  const bool own = a.queries >= kFewQueries && a.keys <= kKeyBlock && a.dropout == 0 && a.softcap == 0;
  if (!own || a.keys > 4 * int64_t{a.valueWidth}) return 0;
  const int64_t groups = (int64_t{a.queries} + kGroup - 1) / kGroup;
  return times(times(int64_t{a.batch} * a.heads, groups), keptGroupSize(a));
}

namespace {

/// Query heads [first, first + count) of all that `some` have: those of whole heads of keys and values, or one. Each head of keys
/// and values is packed block by block, and its queries attend to it tile by tile; with threads the next ones are packed
/// meanwhile, and nobody waits for the last tile of a head.
/// stream  of heads of keys and values with their queries, or null
void attendHeads(const AttentionArgs& a, const Workspace& w, Sequences some, int first, int count, float* kept,
                 Stream* stream) {
  const int all_per_pair = a.heads / a.kvHeads;
  const int per_pair = std::min(count, all_per_pair);
  const int pairs = count / per_pair;
  const int first_pair = first / all_per_pair;
  const int blocks = w.packed ? keyBlocks(a) : 0;
  const int tiles = queryTiles(a);
  const int done = per_pair * tiles;
  const int ahead = pairs == 1 ? 0 : w.ahead;
  for (int slot = 0; slot < w.slots; ++slot) {
    w.packing[slot].clear();
    w.attending[slot].clear();
  }

  // Counts go on from one pair to the next in a slot, which waits for that one.
  const auto begin = [&](int p, int thread) {
    if (stream) stream->await(p, thread);
    w.attending[p % w.slots].await(p / w.slots * done, thread);
  };
  const auto pack = [&](int p, int block, int thread) {
    begin(p, thread);
    const int pair = first_pair + p;
    packBlock(a, w.of(a, 0, p % w.slots), some.first + pair / a.kvHeads, pair % a.kvHeads, block);
    w.packing[p % w.slots].advance();
  };
  const auto attend = [&](int p, int j, int thread) {
    begin(p, thread);
    w.packing[p % w.slots].await((p / w.slots + 1) * blocks, thread);
    const int head = first + p * per_pair + j / tiles;
    // Of causal attention the last queries see most; with threads they go first.
    const int tile = threadCount() == 1 ? j % tiles : tiles - 1 - j % tiles;
    Workspace own = w.of(a, thread, p % w.slots);
    attendTile(a, own, some.first + head / a.heads, head % a.heads, tile * kGroups * kGroup, kept);
    w.attending[p % w.slots].advance();
  };
  const int step = blocks + done;
  const double work = static_cast<double>(count) * a.queries * a.keys * (a.width + a.valueWidth);
  parallelFrom(stream ? -1 : 0, (pairs + ahead) * step, work, [&](int i, int thread) {
    if (i < 0) return stream->bringIn();
    const int p = i / step - ahead;
    const int j = i % step - blocks;
    if (j >= 0 && p >= 0) attend(p, j, thread);
    if (j < 0 && p + ahead < pairs) pack(p + ahead, j + blocks, thread);
    // Not before: others may wait for what belongs to this index.
    if (stream) {
      stream->takeOut(thread, [&](int p, int end) {
        while (p < end && w.attending[p % w.slots].reached((p / w.slots + 1) * done)) ++p;
        return p == end;
      });
    }
  });
}

}  // namespace

void attendSequences(const AttentionArgs& a, Sequences some, float* kept, float* scratch) {
  const Workspace w(a, scratch);
  const int heads = some.count * a.heads;
  const bool own_tables = a.relativeKeysHead != 0 || a.relativeValuesHead != 0;
  // A copy takes half a microsecond, however little it is.
  constexpr int kParts = 16;
  const int pairs = some.count * a.kvHeads;
  Stream stream(pairs, (pairs + kParts - 1) / kParts);
  if (!own_tables) {
    packRelative(a, w, 0);
    if (heads > 0) attendHeads(a, w, some, 0, heads, kept, &stream);
    return;
  }
  stream.bringIn();
  for (int head = 0; head < heads; ++head) {
    packRelative(a, w, head % a.heads);
    attendHeads(a, w, some, head, 1, kept, nullptr);
  }
}

}  // namespace wasm_attention
