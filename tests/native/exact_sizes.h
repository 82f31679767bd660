// The size of each operation's working memory in exact arithmetic: what the sizing functions have to return for any
// extents. The file is long because every operation that takes working memory is in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "attention.h"

namespace wasm_attention {

__extension__ typedef __int128 Exact;

/// Sizes from here on may be any number that is not smaller.
constexpr Exact kBeyondMemory = Exact{1} << 50;

inline Exact ceilDivide(Exact n, int by) { return (n + by - 1) / by; }
inline Exact roundUpExactly(Exact n, int multiple) { return ceilDivide(n, multiple) * multiple; }

/// Pieces of working memory, each in whole vectors.
class Pieces {
 public:
  void take(Exact count) { total_ += roundUpExactly(count, 4); }
  Exact total() const { return total_; }

 private:
  Exact total_ = 0;
};

inline Exact exactPacked(Exact depth, Exact cols) { return roundUpExactly(cols, 8) * depth; }
inline Exact exactTableRows(const void* table, int clip) { return table ? 2 * Exact{clip} + 1 : 0; }

inline Exact exactAttention(const AttentionArgs& a, int threads) {
  const Exact value_width = roundUpExactly(a.valueWidth, 8);
  const Exact key_size = roundUpExactly(a.keys, 4) * a.width, value_size = a.keys * value_width;
  const Exact key_blocks = ceilDivide(a.keys, 256);
  Exact slots = 1;
  if (threads > 1 && a.relativeKeysHead == 0 && a.relativeValuesHead == 0) {
    const Exact strips = std::max<Exact>(ceilDivide(a.queries, 32) * (a.heads / std::max(a.kvHeads, 1)), 1);
    const Exact wanted = (threads + strips - 1) / strips;
    const Exact most = std::min<Exact>((4 << 20) / (key_size + value_size + 1), 64) - 2;
    const Exact ahead = std::clamp<Exact>(wanted, 1, std::max<Exact>(most, 1));
    slots = std::min(ahead + 2, std::max<Exact>(Exact{a.batch} * a.kvHeads, 1));
  }
  const Exact key_rows = exactTableRows(a.relativeKeys, a.relativeKeysClip);
  const Exact value_rows = exactTableRows(a.relativeValues, a.relativeValuesClip);
  Pieces shared, own;
  if (a.queries >= 8) {
    shared.take(slots * key_size);
    shared.take(slots * value_size);
    shared.take(slots * key_blocks);
  }
  shared.take(roundUpExactly(key_rows, 4) * a.width);
  shared.take(value_rows * value_width);
  shared.take(1);
  own.take(32 * Exact{a.width});
  own.take(32 * value_width);
  if (key_blocks > 16) own.take(2 * 32 * (value_width + 1));
  own.take(256 * 8);
  if (a.weights) own.take(key_blocks * 32);
  own.take(4 * roundUpExactly(key_rows, 4) * 8);
  own.take(value_rows * 8);
  return shared.total() + own.total() * threads;
}

inline Exact exactAttentionBackward(const AttentionArgs& a, int threads) {
  const Exact keys = roundUpExactly(a.keys, 4);
  const Exact width = roundUpExactly(a.width, 8), value_width = roundUpExactly(a.valueWidth, 8);
  Pieces p;
  p.take(keys * a.width);
  p.take(8 * Exact{a.width});
  p.take(keys * 8);
  p.take(keys * 8);
  if (a.softcap > 0) p.take(keys * 8);
  p.take(keys * a.valueWidth);
  p.take(keys * width);
  p.take(8 * Exact{a.valueWidth});
  p.take(32 * width);
  p.take(32 * value_width);
  p.take(keys * 32);
  p.take(keys * 32);
  p.take(8 * width);
  p.take(keys * width);
  p.take(keys * value_width);
  const auto table = [&](const void* table, int clip, Exact depth, Exact padded) {
    if (!table) return;
    const Exact rows = exactTableRows(table, clip), panels = roundUpExactly(rows, 4);
    p.take(panels * depth);
    p.take(rows * padded);
    p.take(panels * 8);
    p.take(panels * 32);
    p.take(panels * padded);
  };
  table(a.relativeKeys, a.relativeKeysClip, a.width, width);
  table(a.relativeValues, a.relativeValuesClip, a.valueWidth, value_width);
  const Exact sinks = a.sinks ? Exact{a.batch} * a.heads : 0;
  return p.total() * (a.bias || a.relativeKeys || a.relativeValues ? 1 : threads) + sinks;
}

/// Runs of terms that are added up apart, and what their sums have lost.
inline void takeRunningSum(Pieces& p, Exact size, Exact terms, int interval = 128) {
  if (terms <= interval) return;
  p.take(size);
  p.take(size);
}

inline Exact exactWeightGradient(Exact rows, Exact inputs, Exact outputs) {
  const Exact depth = std::min<Exact>(rows, 256);
  Pieces p;
  p.take(roundUpExactly(inputs, 8) * depth);
  p.take(roundUpExactly(outputs, 4) * depth);
  takeRunningSum(p, inputs * outputs, rows, 32768);
  return p.total();
}

inline Exact exactLinearBackward(const LinearGradArgs& a) {
  return std::max(exactPacked(a.outputs, a.inputs), exactWeightGradient(a.rows, a.inputs, a.outputs));
}

inline void takeAdditive(const AdditiveAttentionArgs& a, Pieces& p) {
  const Exact padded = roundUpExactly(a.hiddens, 4);
  p.take(exactPacked(a.queryWidth, a.hiddens));
  p.take(exactPacked(a.keyWidth, a.hiddens));
  p.take(padded);
  p.take(a.queries * padded);
  p.take(a.keys * padded);
}

inline Exact exactAdditive(const AdditiveAttentionArgs& a, int threads) {
  Pieces p;
  takeAdditive(a, p);
  p.take(2 * roundUpExactly(a.valueWidth, 4) * threads);
  return p.total();
}

inline Exact exactAdditiveBackward(const AdditiveAttentionArgs& a) {
  const Exact padded = roundUpExactly(a.hiddens, 4);
  const auto linear = [&](int rows, int inputs) {
    LinearGradArgs sizes{};
    sizes.rows = rows;
    sizes.inputs = inputs;
    sizes.outputs = a.hiddens;
    return exactLinearBackward(sizes);
  };
  Pieces p;
  takeAdditive(a, p);
  p.take(a.queries * padded);
  p.take(a.keys * padded);
  p.take(a.keys * padded);
  p.take(a.keys);
  p.take(a.keys);
  p.take(padded);
  p.take(padded);
  p.take(2 * padded);
  p.take(3 * padded);
  takeRunningSum(p, a.keys * padded, a.queries);
  takeRunningSum(p, Exact{a.keys} * a.valueWidth, a.queries);
  takeRunningSum(p, Exact{a.hiddens} * a.queryWidth, Exact{a.batch} * (a.valid ? a.queries : 1));
  takeRunningSum(p, Exact{a.hiddens} * a.keyWidth, a.batch);
  p.take(std::max(linear(a.queries, a.queryWidth), linear(a.keys, a.keyWidth)));
  return p.total();
}

/// Rows rounded to int8, one or four at a time: a scale, and for each block a correction of its sums; two words hold
/// four numbers.
inline Exact exactInt8(Exact rows, Exact depth) {
  const Exact together = rows == 1 ? 1 : 4;
  Pieces p;
  p.take(together);
  p.take(ceilDivide(depth, 128) * together);
  p.take(ceilDivide(depth, 4) * 2 * together);
  return ceilDivide(rows, together) * p.total();
}

inline Exact exactFeedForward(Exact rows, Exact hidden_width, int threads, bool gated = false, bool int8 = false,
                              Exact width = 0) {
  const bool shares = threads > 1 && rows > (2 * threads - 1) * 128;
  const Exact some = std::min<Exact>(rows, 128);
  Pieces p;
  p.take(some * hidden_width * (gated ? 2 : 1));
  if (int8) p.take(exactInt8(some, std::max(width, hidden_width)));
  return p.total() * (shares ? threads : 1);
}

inline Exact exactFeedForwardRowsBackward(Exact rows, Exact width, Exact hidden_width, bool gated = false) {
  const Exact block = std::min<Exact>(rows, 256), inner_width = hidden_width * (gated ? 2 : 1);
  Pieces p;
  for (const Exact wide : {inner_width, hidden_width}) takeRunningSum(p, width * wide, rows, 32768);
  takeRunningSum(p, inner_width, rows, 4096);
  takeRunningSum(p, width, rows, 4096);
  p.take(block * hidden_width);
  p.take(block * inner_width);
  p.take(std::max(exactWeightGradient(block, width, inner_width), exactWeightGradient(block, hidden_width, width)));
  return p.total();
}

inline Exact exactFeedForwardBackward(const FeedForwardGradArgs& a) {
  Pieces p;
  p.take(exactPacked(Exact{a.hiddenWidth} * (a.gated ? 2 : 1), a.width));
  p.take(exactPacked(a.width, a.hiddenWidth));
  p.take(exactFeedForwardRowsBackward(a.rows, a.width, a.hiddenWidth, a.gated));
  return p.total();
}

/// Tokens of a sequence that a block's steps take.
inline Exact exactTokens(const TransformerBlockArgs& args) {
  return std::max(args.self.attention.queries, args.cross.attention.heads > 0 ? args.cross.attention.keys : 0);
}

/// Sequences that go through a block's steps together.
inline Exact exactSequencesAtOnce(const TransformerBlockArgs& args) {
  return std::clamp<Exact>(256 / std::max<Exact>(exactTokens(args), 1), 1, std::max(args.self.attention.batch, 1));
}

inline Exact exactQueries(const AttentionArgs& a) { return Exact{a.heads} * a.width; }
inline Exact exactJoined(const AttentionArgs& a) { return exactQueries(a) + 2 * Exact{a.kvHeads} * a.width; }

inline Exact exactBlockKept(const TransformerBlockArgs& args) {
  const Exact rows = Exact{args.self.attention.batch} * args.self.attention.queries, elements = rows * args.width;
  const bool crosses = args.cross.attention.heads > 0;
  Pieces p;
  p.take(elements);
  const auto attention = [&](const AttentionArgs& a, bool cross) {
    const Exact own = Exact{a.batch} * a.queries;
    p.take(own * (cross ? exactQueries(a) : exactJoined(a)));
    if (cross) p.take(Exact{a.batch} * a.keys * 2 * a.kvHeads * a.width);
    if (!cross && args.parameters.self.queryNorm) p.take(own * exactJoined(a));
    p.take(own * exactQueries(a));
    if (a.queries >= 8 && a.keys <= 256 && a.dropout == 0 && a.softcap == 0 && !a.sinks &&
        a.keys <= 4 * Exact{a.valueWidth}) {
      p.take(Exact{a.batch} * a.heads * ceilDivide(a.queries, 8) * (roundUpExactly(a.keys, 4) + 1) * 8);
    }
  };
  attention(args.self.attention, false);
  if (crosses) attention(args.cross.attention, true);
  p.take(rows * args.hiddenWidth * (args.gated ? 2 : 1));
  for (int i = 0; i < (crosses ? 3 : 2); ++i) {
    p.take(elements);
    if (i > 0) p.take(elements);
    p.take(3 * rows);
  }
  return p.total();
}

inline Exact exactBlock(const TransformerBlockArgs& args, int threads) {
  const AttentionArgs& a = args.self.attention;
  const Exact rows = exactSequencesAtOnce(args) * a.queries;
  Exact pass = std::max(exactAttention(a, threads), exactFeedForward(rows, args.hiddenWidth, threads, args.gated));
  if (args.cross.attention.heads > 0) pass = std::max(pass, exactAttention(args.cross.attention, threads));
  return pass * (threads > 1 && a.batch >= 2 * threads ? threads : 1);
}

inline Exact exactLayerNormBackward(Exact rows, Exact dim) { return rows <= 128 ? 0 : 4 * roundUpExactly(dim, 4); }

inline Exact exactBlockBackward(const TransformerBlockArgs& args, int threads) {
  const Exact width = args.width, sequences = exactSequencesAtOnce(args),
              rows = sequences * args.self.attention.queries;
  const Exact inner = Exact{args.hiddenWidth} * (args.gated ? 2 : 1);
  const Exact terms = Exact{args.self.attention.batch} * exactTokens(args);
  const BlockParameters& parameters = args.parameters;
  Pieces p;
  const auto sum = [&](const float* parameter, Exact size, int interval) {
    if (parameter) takeRunningSum(p, size, terms, interval);
  };
  Exact rest = std::max(exactFeedForwardRowsBackward(rows, width, args.hiddenWidth, args.gated),
                        exactLayerNormBackward(rows, width));
  for (const bool cross : {false, true}) {
    const AttentionArgs& a = (cross ? args.cross : args.self).attention;
    const AttentionParameters& own = cross ? parameters.cross : parameters.self;
    const Exact queries = exactQueries(a), joined = exactJoined(a), memory = joined - queries;
    sum(own.inWeight, joined * width, 32768);
    sum(own.inBias, joined, 4096);
    sum(own.outWeight, queries * width, 32768);
    sum(own.outBias, width, 4096);
    sum(own.queryNorm, a.width, 4096);
    sum(own.keyNorm, a.width, 4096);
    if (a.heads == 0) continue;
    const Exact columns = cross ? queries : joined;
    p.take(exactPacked(columns, width));
    if (cross) p.take(exactPacked(memory, width));
    p.take(exactPacked(width, queries));
    p.take(rows * columns);
    if (cross) p.take(sequences * a.keys * memory);
    p.take(rows * queries);
    rest = std::max({rest, exactAttentionBackward(a, threads), exactWeightGradient(rows, queries, width),
                     exactWeightGradient(rows, width, columns)});
    if (cross) rest = std::max(rest, exactWeightGradient(sequences * a.keys, width, memory));
    if (!cross && own.queryNorm) rest = std::max(rest, exactLayerNormBackward(a.heads, a.width));
  }
  sum(parameters.weight1, inner * width, 32768);
  sum(parameters.bias1, inner, 4096);
  sum(parameters.weight2, width * args.hiddenWidth, 32768);
  for (const float* vector : {parameters.bias2, parameters.norm1.weight, parameters.norm1.bias, parameters.norm2.weight,
                              parameters.norm2.bias, parameters.norm3.weight, parameters.norm3.bias}) {
    sum(vector, width, 4096);
  }
  p.take(exactPacked(inner, width));
  p.take(exactPacked(width, args.hiddenWidth));
  p.take(rows * width);
  p.take(rows * width);
  p.take(rest);
  return p.total();
}

/// The stacks' leading axes are 1 or those of the result.
inline Exact exactMatmul(const MatmulArgs& a, int threads) {
  // Matrices without rows, or none at all, lie one after the other, too.
  const bool is_empty = a.rows == 0 || a.inner == 0;
  const bool joins_inner = a.bInner == 0 && (a.inner == 1 || a.aInner != 0 || a.rows == 0);
  const Exact inner = joins_inner ? 1 : a.inner;
  const bool joins_outer = inner == 1 && a.bOuter == 0 && (a.outer == 1 || a.aOuter != 0 || is_empty);
  const Exact count = inner * (joins_outer ? 1 : a.outer);
  return exactPacked(a.depth, a.cols) * (threads > 1 && count >= 2 * threads ? threads : 1);
}

inline Exact exactEmbeddingBackward(int count, int rows, int dim) {
  if (count <= 128) return 0;
  Pieces p;
  p.take(1024);
  p.take(rows);
  p.take(Exact{count / 128} * dim);
  return p.total();
}

inline Exact exactConv1d(const Conv1dArgs& a) {
  const Exact in_width = a.inChannels / a.groups, columns = std::min(a.length, 512);
  if (a.outChannels / a.groups < 4) return 0;
  return a.outChannels * in_width * a.kernel + in_width * columns + exactPacked(in_width, columns);
}

inline Exact exactConv1dLength(const Conv1dArgs& a) {
  return (a.length + 2 * Exact{a.padding} - Exact{a.dilation} * (a.kernel - 1) - 1) / a.stride + 1;
}

inline Exact exactRnn(const RnnArgs& a) {
  Pieces p;
  p.take(exactPacked(a.inWidth, a.width));
  p.take(exactPacked(a.width, a.width));
  p.take(Exact{a.batch} * a.width);
  p.take(Exact{a.batch} * a.width);
  return p.total();
}

/// Doubles, for each of ceil(dim / 2) frequencies, in pairs.
inline Exact exactFrequencies(int dim, int doubles) { return roundUpExactly(ceilDivide(dim, 2), 2) * doubles; }

}  // namespace wasm_attention
