// Sizes of working memory for extents of up to 2^31 - 1 are never negative and never smaller for a larger extent, so
// none wraps; sanitizers report overflow on the way. All other tests show that the sizes suffice: their buffers have
// exactly these sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "attention.h"
#include "attention/attend_one.h"
#include "kernels/cutter.h"
#include "kernels/int8_product.h"
#include "step_list.h"

namespace wasm_attention {
namespace {

using Extents = std::array<int, 7>;

float some;

/// With all options that need memory, or none.
AttentionArgs attentionOf(const Extents& e, bool options) {
  AttentionArgs a{};
  a.batch = e[0];
  // heads · width must fit into an extent, too.
  a.heads = a.kvHeads = std::min(e[1], 1 << 12);
  a.width = a.valueWidth = std::min(e[2], 1 << 18);
  a.queries = e[3];
  a.keys = e[4];
  if (!options) return a;
  a.weights = &some;
  a.bias = a.sinks = a.relativeKeys = a.relativeValues = &some;
  a.relativeKeysClip = a.relativeValuesClip = e[5];
  a.softcap = 1;
  return a;
}

TransformerBlockArgs blockOf(const Extents& e) {
  TransformerBlockArgs block{};
  block.self.attention = block.cross.attention = attentionOf(e, false);
  block.self.attention.keys = e[3];
  block.width = e[5];
  block.hiddenWidth = e[6];
  block.gated = 1;
  return block;
}

FeedForwardArgs feedForwardOf(const Extents& e) {
  FeedForwardArgs feed{};
  feed.rows = e[0], feed.width = e[1], feed.hiddenWidth = e[2], feed.gated = 1;
  return feed;
}

FeedForwardGradArgs feedForwardGradOf(const Extents& e) {
  FeedForwardGradArgs feed{};
  feed.rows = e[0], feed.width = e[1], feed.hiddenWidth = e[2], feed.gated = 1;
  return feed;
}

AdditiveAttentionArgs additiveOf(const Extents& e) {
  AdditiveAttentionArgs a{};
  a.batch = e[0], a.queries = e[1], a.keys = e[2], a.queryWidth = e[3], a.keyWidth = e[4], a.valueWidth = e[5];
  a.hiddens = e[6];
  return a;
}

/// The size for steps that need working memory, after a past. Past and keys are tokens of the same sequence.
int64_t stepsSize(const Extents& e) {
  RotaryTableArgs table{};
  table.rows = e[3], table.dim = e[5];
  return runStepsScratch(StepList()
                             .append(StepAction::kAttention, attentionOf(e, true))
                             .append(StepAction::kFeedForward, feedForwardOf(e))
                             .append(StepAction::kRotaryTable, table)
                             .args(std::min(e[6], INT32_MAX - e[4])));
}

int64_t attentionBackwardSize(const Extents& e) {
  return scaledDotProductAttentionBackwardScratch({attentionOf(e, true), &some});
}

int64_t blockBackwardSize(const Extents& e) { return transformerBlockBackwardScratch({blockOf(e), &some}); }

int64_t additiveBackwardSize(const Extents& e) { return additiveAttentionBackwardScratch({additiveOf(e), &some}); }

const struct {
  const char* name;
  int64_t (*size)(const Extents&);
  bool growsWithTokens = true;  // with queries (extent 3) and keys (extent 4)
} kSizes[] = {
    {"attention", [](const Extents& e) { return scaledDotProductAttentionScratch(attentionOf(e, false)); }},
    {"attention, options", [](const Extents& e) { return scaledDotProductAttentionScratch(attentionOf(e, true)); }},
    {"attention backward", attentionBackwardSize},
    {"one query", [](const Extents& e) { return attendOneScratch(attentionOf(e, false)); }},
    // A block processes fewer sequences at a time if they are longer, and recomputes weights if they are too many.
    {"block", [](const Extents& e) { return transformerBlockScratch(blockOf(e)); }, false},
    {"kept by a block", [](const Extents& e) { return transformerBlockKept(blockOf(e)); }, false},
    {"block backward", blockBackwardSize, false},
    {"additive", [](const Extents& e) { return additiveAttentionScratch(additiveOf(e)); }},
    {"additive backward", additiveBackwardSize},
    {"linear",
     [](const Extents& e) {
       LinearArgs linear{};
       linear.rows = e[0], linear.inputs = e[1], linear.outputs = e[2], linear.weightType = WeightType::kInt8;
       return linearScratch(linear);
     }},
    {"linear backward",
     [](const Extents& e) {
       LinearGradArgs linear{};
       linear.rows = e[0], linear.inputs = e[1], linear.outputs = e[2];
       return linearBackwardScratch(linear);
     }},
    {"packed weight", [](const Extents& e) { return packedWeightSize(e[0], e[1], WeightType::kFloat32); }},
    {"float16 weight", [](const Extents& e) { return packedWeightSize(e[0], e[1], WeightType::kFloat16); }},
    {"int8 weight", [](const Extents& e) { return packedWeightSize(e[0], e[1], WeightType::kInt8); }},
    {"int8 product", [](const Extents& e) { return int8Scratch<Int8>(e[0], e[1]); }},
    {"matmul",
     [](const Extents& e) {
       MatmulArgs product{};
       product.outer = e[0], product.inner = e[1], product.cols = e[2], product.bInner = product.bOuter = 1;
       product.rows = std::min(e[3], 1 << 15), product.depth = std::min(e[4], 1 << 15);
       return matmulScratch(product);
     }},
    {"feed forward", [](const Extents& e) { return feedForwardScratch(feedForwardOf(e)); }},
    {"feed forward backward", [](const Extents& e) { return feedForwardBackwardScratch(feedForwardGradOf(e)); }},
    {"norm backward",
     [](const Extents& e) {
       NormGradArgs norm{};
       norm.weight = &some, norm.rows = e[0], norm.dim = e[1];
       return normBackwardScratch(norm);
     }},
    {"embedding backward", [](const Extents& e) { return embeddingBackwardScratch(e[0], e[1], e[2]); }},
    {"conv1d",
     [](const Extents& e) {
       return conv1dScratch({nullptr, nullptr, nullptr, nullptr, e[0], e[1], e[2], e[3], 1, 1, 0, 1, 1});
     }},
    {"rnn",
     [](const Extents& e) {
       RnnArgs rnn{};
       rnn.batch = e[0], rnn.length = e[1], rnn.inWidth = e[2], rnn.width = e[3];
       return rnnScratch(rnn);
     }},
    {"frequencies", [](const Extents& e) { return sinusoidalFrequenciesSize(e[0]); }},
    {"sinusoidal encoding",
     [](const Extents& e) {
       SinusoidalArgs encoding{};
       encoding.rows = e[0], encoding.dim = e[1];
       return sinusoidalEncodingScratch(encoding);
     }},
    {"int8 cache", [](const Extents& e) { return cacheRowSize(e[0], WeightType::kInt8); }},
    {"steps", stepsSize},
};

TEST(Sizes, AreNeverNegativeAndGrowWithEachExtent) {
  std::mt19937 random(1);
  // Extents of all magnitudes: small ones, those around the kernels' blocks, and the largest.
  const auto more = [&](int from) {
    return static_cast<int>(std::min<int64_t>(int64_t{from} + (random() >> random() % 32), INT32_MAX));
  };
  for (int i = 0; i < 20000; ++i) {
    Extents extents;
    for (int& e : extents) e = more(1);
    const size_t which = i % extents.size();
    Extents larger = extents;
    larger[which] = more(extents[which]);
    for (const auto& [name, size, growsWithTokens] : kSizes) {
      ASSERT_GE(size(extents), 0) << name;
      if (!growsWithTokens && (which == 3 || which == 4)) continue;
      // Sizes that fit no memory are clamped.
      ASSERT_LE(std::min(size(extents), kTooMany), size(larger))
          << name << ": extent " << which << " is " << larger[which];
    }
  }
}

}  // namespace
}  // namespace wasm_attention
