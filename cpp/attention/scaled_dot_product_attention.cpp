// Scaled dot-product attention with an online softmax (Dao et al. 2022): scores are not stored unless the caller
// requests them. A strip of queries is multiplied by one block of keys after another, except for blocks that none of
// its queries may see. This file shares the strips among threads; attend_strip.cpp computes one strip.
//
// Versions tried (GFLOP/s of one head, n = 128 / 512, E = 64; Sapphire Rapids, Node 20, where a tile in L1 reaches 45
// to 47):
//   8 queries by 256 keys, entries as [key][query]                     37.7 / 39.2   <- this
//   the same, with outputs cleared first                               36.3 / 38.5
//   one query at a time with Eigen's dot products and exponentials     3.1 / 6.1
// Today: npm run bench -- --work attention-128,attention-512
//
// Versions tried on two threads (ms of (1, 8, 512, 64) / causal; 16.8 / 9.1 on one thread; Sapphire Rapids, Node 20):
//   one head for each thread                                           12.6
//   all heads packed, then all strips                                  9.69 / 5.72
//   1 MB of heads packed, then their strips, last queries first        9.56 / 5.53
//   one loop, heads packed ahead of their strips                       9.55 / 5.34
//   the same, while the caller copies in and out                       8.94 / 4.95   <- this
// Today: npm run bench -- --scaling --work attention-512,attention-512-causal
#include <algorithm>
#include <cassert>

#include "attention.h"
#include "attention/attend_one.h"
#include "attention/cache_rows.h"
#include "attention/query_block.h"
#include "attention/sequences.h"
#include "attention/visible.h"
#include "kernels/cutter.h"
#include "kernels/parallel.h"
#include "kernels/stream.h"

namespace wasm_attention {
namespace {

/// Attention of several groups, shared by all threads. A group is a head of keys and values with the query heads that
/// read it. Its tasks are to pack each block of its keys and values, and then to compute attention for each strip of
/// its queries.
///
/// The tasks of all groups are the indices of one loop, in rounds: round r packs group r, then attends group r - ahead.
/// With one thread `ahead` is 0. With several threads the next groups are packed early, so that no thread has to wait
/// for the last strip of a group.
///
/// The panels of group g lie in slot g % slots of the workspace. A group may be packed once the previous group in its
/// slot has been attended, and attended once it is packed. Both conditions depend only on smaller indices, as Progress
/// requires.
class GroupLoop {
 public:
  /// Query heads [first, first + count) of these sequences: either whole groups or a single head.
  /// stream  copies groups in and out; may be null
  GroupLoop(const AttentionArgs& a, const Workspace& w, Sequences sequences, int first, int count, float* kept,
            Stream* stream)
      : a_(a),
        w_(w),
        sequences_(sequences),
        firstHead_(first),
        firstGroup_(first / (a.heads / a.kvHeads)),
        groupHeads_(std::min(count, a.heads / a.kvHeads)),
        groups_(count / groupHeads_),
        headStrips_(queryStrips(a)),
        strips_(groupHeads_ * headStrips_),
        blocks_(w.packed ? keyBlocks(a) : 0),
        kept_(kept),
        stream_(stream) {
    assert(w.slots <= kMostSlots);
  }

  void run() {
    const int ahead = groups_ == 1 ? 0 : w_.ahead;
    const int tasks = blocks_ + strips_;
    const double work = scoreCount(a_) * groups_ * groupHeads_ * (a_.width + a_.valueWidth);
    const auto perform = [&](int i, int thread) {
      const int round = i / tasks;
      const int task = i % tasks;
      if (task < blocks_) {
        if (round < groups_) pack(round, task, thread);
      } else {
        if (round >= ahead) attend(round - ahead, task - blocks_, thread);
      }
    };
    streamedFor(stream_, (groups_ + ahead) * tasks, work, perform, [&](int group, int end) {
      while (group < end && slotOf(group).attended.reached((turnOf(group) + 1) * strips_)) ++group;
      return group == end;
    });
  }

 private:
  /// Progress of the groups that share a slot, summed over these groups.
  struct Slot {
    Progress packed;    // blocks
    Progress attended;  // strips
  };

  Slot& slotOf(int group) { return slots_[group % w_.slots]; }
  /// The number of groups that use the slot before this one.
  int turnOf(int group) const { return group / w_.slots; }

  void awaitTurn(int group, int thread) {
    if (stream_) stream_->await(group, thread);
    slotOf(group).attended.await(turnOf(group) * strips_, thread);
  }

  void pack(int group, int block, int thread) {
    awaitTurn(group, thread);
    const int kv_head = firstGroup_ + group;
    packKeyBlock(a_, w_.of(a_, 0, group % w_.slots), sequences_.first + kv_head / a_.kvHeads, kv_head % a_.kvHeads,
                 block);
    slotOf(group).packed.advance();
  }

  void attend(int group, int strip, int thread) {
    awaitTurn(group, thread);
    slotOf(group).packed.await((turnOf(group) + 1) * blocks_, thread);
    const int head = firstHead_ + group * groupHeads_ + strip / headStrips_;
    // In causal attention the last queries see the most keys. Threads begin with these, so as to finish at about the
    // same time.
    const int index = strip % headStrips_;
    const int first = (threadCount() == 1 ? index : headStrips_ - 1 - index) * kStripQueries;
    Workspace own = w_.of(a_, thread, group % w_.slots);
    attendStrip(a_, own, sequences_.first + head / a_.heads, head % a_.heads, first, kept_);
    slotOf(group).attended.advance();
  }

  const AttentionArgs& a_;
  const Workspace& w_;
  const Sequences sequences_;
  const int firstHead_, firstGroup_;
  const int groupHeads_, groups_;  // query heads in a group; number of groups
  const int headStrips_, strips_;  // strips of a query head and of a group
  const int blocks_;               // blocks of keys in a group
  float* const kept_;
  Stream* const stream_;
  Slot slots_[kMostSlots];
};

/// attendOne's arguments for these sequences only.
AttentionArgs argsOf(AttentionArgs a, Sequences sequences) {
  const ptrdiff_t first = sequences.first;
  a.batch = sequences.count;
  a.query += first * a.queryStrides.batch;
  a.key += first * a.keyStrides.batch;
  a.value += first * a.valueStrides.batch;
  a.output += first * a.outputStrides.batch;
  if (a.offsets) a.offsets += first;
  if (a.mask) a.mask += first * a.maskStrides.batch;
  if (a.weights) a.weights += first * a.heads * a.keys;
  return a;
}

/// Keys and values that a cache stores in fewer bits, widened for attention of several queries.
struct Widened {
  float *key, *value;

  Widened(Cutter& cut, const AttentionArgs& a) {
    const int64_t rows = times(int64_t{a.batch} * a.kvHeads, a.keys);
    key = cut.take(times(rows, a.width));
    value = cut.take(times(rows, a.valueWidth));
  }

  /// The arguments with the widened keys and values.
  AttentionArgs widen(AttentionArgs a, Sequences sequences) const {
    const int heads = sequences.count * a.kvHeads;
    parallelFor(heads, kCopyWork * heads * a.keys * (a.width + a.valueWidth), [&](int i, int) {
      const ptrdiff_t head = sequences.first * a.kvHeads + i;
      const auto unpack = [&](const float* from, const Strides& strides, int width, WeightType type, float* to) {
        unpackCacheRows(from + head / a.kvHeads * strides.batch + head % a.kvHeads * strides.head, strides.row, a.keys,
                        width, type, to + head * a.keys * width);
      };
      unpack(a.key, a.keyStrides, a.width, a.keyType, key);
      unpack(a.value, a.valueStrides, a.valueWidth, a.valueType, value);
    });
    const auto strides = [&](int width) { return Strides{a.kvHeads * a.keys * width, a.keys * width, width}; };
    a.key = key;
    a.keyStrides = strides(a.width);
    a.value = value;
    a.valueStrides = strides(a.valueWidth);
    a.keyType = a.valueType = WeightType::kFloat32;
    return a;
  }
};

}  // namespace

int64_t scaledDotProductAttentionScratch(const AttentionArgs& a) {
  if (isFloat32(a)) return Workspace(a, nullptr).size;
  if (isOneQuery(a)) return attendOneScratch(a);
  Cutter cut(nullptr);
  const Widened widened(cut, a);
  return cut.used() + Workspace(a, nullptr).size;
}

void scaledDotProductAttention(const AttentionArgs& a, float* scratch) {
  attendSequences(a, {0, a.batch}, nullptr, scratch);
}

void attendSequences(const AttentionArgs& a, Sequences sequences, float* kept, float* scratch) {
  // Queries and keys without width take no memory, so there may be billions to loop over.
  if (a.valueWidth == 0 && !a.weights && !a.scores && !a.logSumExp) return;
  if (!isFloat32(a)) {
    if (isOneQuery(a)) return attendOne(argsOf(a, sequences), scratch);
    Cutter cut(scratch);
    const Widened widened(cut, a);
    return attendSequences(widened.widen(a, sequences), sequences, kept, scratch + cut.used());
  }
  const Workspace w(a, scratch);
  const int heads = sequences.count * a.heads;
  const int groups = sequences.count * a.kvHeads;
  constexpr int kParts = 16;  // copying a part takes at least half a microsecond
  Stream stream(groups, (groups + kParts - 1) / kParts);
  if (!hasOwnTables(a)) {
    packRelativeTables(a, w, 0);
    if (heads > 0) GroupLoop(a, w, sequences, 0, heads, kept, &stream).run();
    return;
  }
  stream.copyInputs();
  for (int head = 0; head < heads; ++head) {
    packRelativeTables(a, w, head % a.heads);
    GroupLoop(a, w, sequences, head, 1, kept, nullptr).run();
  }
}

int64_t keptWeights(const AttentionArgs& a) {
  // With a single block of keys, exponentials are relative to the overall largest score.
  const bool one_block = a.queries >= kFewQueries && a.keys <= kKeyBlock;
  const bool plain = a.dropout == 0 && a.softcap == 0 && !a.sinks;
  if (!one_block || !plain || a.keys > 4 * int64_t{a.valueWidth}) return 0;
  const int64_t blocks = (int64_t{a.queries} + kQueryBlock - 1) / kQueryBlock;
  return times(times(int64_t{a.batch} * a.heads, blocks), keptBlockSize(a));
}

}  // namespace wasm_attention
