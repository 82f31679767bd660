// Compares every sizing function with exact arithmetic, for extents that `extent(low)` draws: low at the least, below
// 2^31.
#pragma once

#include <tuple>
#include <utility>

#include "attention/attend_one.h"
#include "exact_sizes.h"
#include "kernels/parallel.h"
#include "step_list.h"

namespace wasm_attention {

/// Whether a size is right: the exact one, or where no memory holds that, any number that no memory holds.
inline bool rightSize(int64_t actual, Exact exact) {
  return exact < kBeyondMemory ? actual == exact : actual >= kBeyondMemory && actual <= exact;
}

/// extent(low)                   a number of [low, 2^31 - 1]
/// flag()                        true or false
/// report(name, actual, exact)   a size that is wrong
template <typename Extent, typename Flag, typename Report>
void checkSizes(const Extent& extent, const Flag& flag, const Report& report) {
  const int threads = threadCount();
  static float some;
  const auto optional = [&]() -> float* { return flag() ? &some : nullptr; };
  const auto check = [&](const char* name, int64_t actual, Exact exact) {
    if (!rightSize(actual, exact)) report(name, actual, exact);
  };
  // Two extents whose product is one, too.
  const auto pair = [&](int low) {
    const int first = extent(low), second = extent(low);
    return std::pair<int, int>(first, first > 0 ? std::min(second, INT32_MAX / first) : second);
  };

  AttentionArgs a{};
  a.batch = extent(0);
  a.kvHeads = extent(0);
  a.heads = a.kvHeads > 0 ? a.kvHeads * std::min(extent(1), INT32_MAX / a.kvHeads) : 0;
  a.queries = extent(0);
  a.keys = extent(0);
  a.width = extent(0);
  a.valueWidth = extent(0);
  a.bias = optional();
  a.weights = optional();
  a.sinks = optional();
  a.relativeKeys = optional();
  a.relativeKeysClip = extent(0);
  a.relativeKeysHead = flag() ? 1 : 0;
  a.relativeValues = optional();
  a.relativeValuesClip = extent(0);
  a.softcap = flag() ? 1.0f : 0.0f;
  a.dropout = flag() ? 0.5f : 0.0f;
  check("scaledDotProductAttention", scaledDotProductAttentionScratch(a), exactAttention(a, threads));
  AttentionGradArgs attention_grad{};
  attention_grad.attention = a;
  check("scaledDotProductAttentionBackward", scaledDotProductAttentionBackwardScratch(attention_grad),
        exactAttentionBackward(a, threads));

  TransformerBlockArgs block{};
  block.width = extent(1);
  block.hiddenWidth = extent(1);
  block.gated = flag();
  for (float** at = &block.parameters.self.inWeight; at <= &block.parameters.norm3.bias; ++at) *at = optional();
  const bool crosses = flag();
  for (AttentionArgs* part : {&block.self.attention, &block.cross.attention}) {
    if (part == &block.cross.attention && !crosses) break;
    *part = a;
    std::tie(part->heads, part->width) = pair(1);
    part->kvHeads = part->heads;
    part->valueWidth = part->width;
    if (part == &block.self.attention) part->keys = part->queries;
  }
  TransformerBlockGradArgs block_grad{};
  block_grad.block = block;
  check("transformerBlockKept", transformerBlockKept(block), exactBlockKept(block));
  check("transformerBlock", transformerBlockScratch(block), exactBlock(block, threads));
  check("transformerBlockBackward", transformerBlockBackwardScratch(block_grad), exactBlockBackward(block, threads));

  AdditiveAttentionArgs additive{};
  additive.batch = extent(0);
  additive.queries = extent(0);
  additive.keys = extent(0);
  additive.queryWidth = extent(0);
  additive.keyWidth = extent(0);
  additive.valueWidth = extent(0);
  additive.hiddens = extent(1);
  AdditiveAttentionGradArgs additive_grad{};
  additive_grad.attention = additive;
  check("additiveAttention", additiveAttentionScratch(additive), exactAdditive(additive, threads));
  check("additiveAttentionBackward", additiveAttentionBackwardScratch(additive_grad), exactAdditiveBackward(additive));

  LinearGradArgs linear{};
  linear.rows = extent(0);
  linear.inputs = extent(1);
  linear.outputs = extent(1);
  check("linearBackward", linearBackwardScratch(linear), exactLinearBackward(linear));
  check("packWeight", packedWeightSize(linear.inputs, linear.outputs, WeightType::kFloat32),
        exactPacked(linear.inputs, linear.outputs));

  MatmulArgs product{};
  product.outer = extent(0);
  product.inner = extent(0);
  std::tie(product.rows, product.depth) = pair(1);
  product.cols = extent(0);
  if (flag()) product.aInner = product.rows * product.depth;
  if (flag() && product.inner == 1) product.aOuter = product.rows * product.depth;
  if (flag()) product.bInner = 1;
  if (flag()) product.bOuter = 1;
  check("matmul", matmulScratch(product), exactMatmul(product, threads));

  FeedForwardArgs feed{};
  feed.rows = extent(0);
  feed.width = extent(1);
  feed.hiddenWidth = extent(1);
  feed.gated = flag();
  FeedForwardGradArgs feed_grad{};
  feed_grad.rows = feed.rows;
  feed_grad.width = feed.width;
  feed_grad.hiddenWidth = feed.hiddenWidth;
  feed_grad.gated = feed.gated;
  check("feedForward", feedForwardScratch(feed), exactFeedForward(feed.rows, feed.hiddenWidth, threads, feed.gated));
  check("feedForwardBackward", feedForwardBackwardScratch(feed_grad), exactFeedForwardBackward(feed_grad));

  const int rows = extent(0), width = extent(1), count = extent(0);
  NormGradArgs norm{};
  norm.weight = &some;
  norm.rows = rows;
  norm.dim = width;
  check("normBackward", normBackwardScratch(norm), exactLayerNormBackward(rows, width));
  check("embeddingBackward", embeddingBackwardScratch(count, rows, width), exactEmbeddingBackward(count, rows, width));

  Conv1dArgs conv{};
  conv.batch = extent(0);
  conv.groups = extent(1);
  conv.inChannels = conv.groups * std::min(extent(0), INT32_MAX / conv.groups);
  conv.outChannels = conv.groups * std::min(extent(0), INT32_MAX / conv.groups);
  conv.length = extent(0);
  conv.kernel = extent(1);
  conv.stride = extent(1);
  conv.padding = extent(0);
  conv.dilation = extent(1);
  check("conv1d", conv1dScratch(conv), exactConv1d(conv));
  if (exactConv1dLength(conv) > 0) {
    check("conv1dLength", conv1dLength(conv.length, conv.kernel, conv.stride, conv.padding, conv.dilation),
          exactConv1dLength(conv));
  }

  RnnArgs rnn{};
  rnn.batch = extent(0);
  rnn.length = extent(0);
  rnn.inWidth = extent(0);
  rnn.width = extent(0);
  check("rnn", rnnScratch(rnn), exactRnn(rnn));

  SinusoidalArgs sinusoidal{};
  sinusoidal.rows = extent(0);
  sinusoidal.dim = extent(1);
  RotaryTableArgs rotary{};
  rotary.rows = sinusoidal.rows;
  rotary.dim = sinusoidal.dim;
  check("sinusoidalFrequencies", sinusoidalFrequenciesSize(sinusoidal.dim), exactFrequencies(sinusoidal.dim, 4));
  check("sinusoidalEncoding", sinusoidalEncodingScratch(sinusoidal), exactFrequencies(sinusoidal.dim, 5));
  check("rotaryTable", rotaryTableScratch(rotary), exactFrequencies(rotary.dim, 5));

  AttentionArgs within_pass = a;
  if (flag()) within_pass.queries = 1;
  if (flag()) within_pass.mask = reinterpret_cast<const uint8_t*>(&some);
  // The past and the keys are tokens of one sequence, whose number is an extent, too.
  const int past = std::min(extent(0), INT32_MAX - within_pass.keys);
  AttentionArgs behind_past = within_pass;
  behind_past.keys += past;
  StepList steps;
  Exact most = 0;
  const auto step = [&](StepAction action, const auto& arguments, Exact exact) {
    most = std::max(most, exact);
    check("runSteps", runStepsScratch(steps.append(action, arguments).args(past)), most);
  };
  // One query for each head needs a row of scores for each thread.
  step(StepAction::kAttention, within_pass,
       isOneQuery(behind_past) ? Exact{threads} * behind_past.keys : exactAttention(behind_past, threads));
  step(StepAction::kFeedForward, feed, exactFeedForward(feed.rows, feed.hiddenWidth, threads, feed.gated));
  step(StepAction::kRotaryTable, rotary, 2 * exactFrequencies(rotary.dim, 5));
}

}  // namespace wasm_attention
