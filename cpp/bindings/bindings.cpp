// The library's interface for JavaScript: the fields of structs, the values of enums, and the functions with the names
// of their parameters. This file is compiled twice: into the module (bind.h), and into a description (describe.h) from
// which scripts/describe.mjs makes web/lib/generated.
#include "attention.h"

#ifdef WASM_ATTENTION_DESCRIPTION
#include "bindings/describe.h"
#else
#include "bindings/bind.h"
#endif

namespace wasm_attention {

// JavaScript sets attention's arguments by their offsets in AttentionArgs, also within larger structs.
static_assert(offsetof(AttentionGradArgs, attention) == 0 && offsetof(TransformerBlockArgs, self) == 0 &&
                  offsetof(AdditiveAttentionGradArgs, attention) == 0 && offsetof(TransformerBlockGradArgs, block) == 0,
              "the arguments of a forward pass come first");

FIELDS(Strides, batch, head, row)
FIELDS(AttentionArgs, batch, heads, kvHeads, queries, keys, width, valueWidth, query, queryStrides, key, keyStrides,
       value, valueStrides, keyType, valueType, output, outputStrides, validLens, validBatch, validRow, offsets,
       windowLeft, windowRight, packed, mask, maskStrides, maskColumns, maskStep, bias, biasStrides, biasColumns,
       biasStep, relativeKeys, relativeKeysHead, relativeKeysClip, relativeValues, relativeValuesHead,
       relativeValuesClip, alibiSlopes, sinks, weights, scores, scoresStage, logSumExp, seed, scale, softcap, dropout)
FIELDS(AttentionGradArgs, attention, gradOutput, gradQuery, gradKey, gradValue, gradBias, gradRelativeKeys,
       gradRelativeValues, gradSinks, biasCompensation, relativeKeysCompensation, relativeValuesCompensation,
       sinksCompensation)
FIELDS(AdditiveAttentionArgs, batch, queries, keys, queryWidth, keyWidth, valueWidth, hiddens, query, key, value,
       weightQuery, weightKey, weightVector, valid, output, weights)
FIELDS(AdditiveAttentionGradArgs, attention, gradOutput, gradQuery, gradKey, gradValue, gradWeightQuery, gradWeightKey,
       gradWeightVector)
FIELDS(MatmulArgs, a, b, out, outer, inner, rows, depth, cols, aOuter, aInner, bOuter, bInner)
FIELDS(Rotation, queries, queryBatch, keys, keyBatch, width, interleaved)
FIELDS(RotaryArgs, x, table, out, batch, heads, rows, width, rotaryWidth, strides, tableBatch, interleaved)
FIELDS(LinearArgs, x, packed, bias, out, rows, inputs, outputs, weightType)
FIELDS(EmbeddingArgs, ids, table, out, count, dim, packedRows, weightType)
FIELDS(LinearGradArgs, gradOut, x, weight, gradX, gradWeight, gradBias, rows, inputs, outputs)
FIELDS(FeedForwardArgs, x, packed1, bias1, packed2, bias2, hidden, out, rows, width, hiddenWidth, gated, weightType,
       activation, seed, dropout)
FIELDS(FeedForwardGradArgs, gradOut, x, hidden, weight1, weight2, gradX, gradWeight1, gradBias1, gradWeight2, gradBias2,
       rows, width, hiddenWidth, gated, activation, seed, dropout)
FIELDS(AttentionParameters, inWeight, inBias, outWeight, outBias, queryNorm, keyNorm)
FIELDS(NormParameters, weight, bias)
FIELDS(BlockParameters, self, cross, weight1, bias1, weight2, bias2, norm1, norm2, norm3)
FIELDS(BlockAttentionArgs, attention, rotation, packedIn, packedMemory, packedOut)
FIELDS(TransformerBlockArgs, self, cross, parameters, packed1, packed2, memory, width, hiddenWidth, gated, activation,
       norm, preNorm, eps, headEps, kept, output)
FIELDS(OptionGradients, bias, relativeKeys, relativeValues, sinks, biasCompensation, relativeKeysCompensation,
       relativeValuesCompensation, sinksCompensation)
FIELDS(TransformerBlockGradArgs, block, gradient, gradMemory, gradients, self, cross)
FIELDS(SinusoidalArgs, offset, frequencies, positions, out, rows, dim, concatenated)
FIELDS(RotaryTableArgs, offset, amplitude, frequencies, positions, axes, out, rows, dim)
FIELDS(Conv1dArgs, x, weight, bias, out, batch, inChannels, outChannels, length, kernel, stride, padding, dilation,
       groups)
FIELDS(RnnArgs, x, weightIh, weightHh, biasIh, biasHh, initial, out, batch, length, inWidth, width, relu)
FIELDS(Step, action, bytes)
FIELDS(AddArgs, x, y, out, rows, dim, seed, dropout)
FIELDS(NormArgs, x, weight, bias, out, rows, dim, norm, eps, weights)
FIELDS(NormGradArgs, x, weight, gradient, gradWeight, gradBias, rows, dim, norm, eps)
FIELDS(ScaleArgs, x, out, rows, dim, factor, softcap)
FIELDS(AppendArgs, x, cache, batch, tokens, heads, width, length, capacity, cacheType)
FIELDS(SoftmaxArgs, x, out, batch, heads, queries, keys, sinks)
FIELDS(ZeroHeadArgs, head, rows, width, stride)
FIELDS(RunStepsArgs, steps, bytes, past)

}  // namespace wasm_attention

BINDINGS {
  using namespace wasm_attention;
  values<Activation::kRelu, Activation::kGelu, Activation::kGeluTanh, Activation::kSilu, Activation::kSigmoid,
         Activation::kQuickGelu>("activations", "relu gelu gelu-tanh silu sigmoid quick-gelu");
  values<WeightType::kFloat32, WeightType::kFloat16, WeightType::kInt8, WeightType::kInt8Fine, WeightType::kInt8Table>(
      "weightTypes", "float32 float16 int8 int8-fine int8-table");
  values<FileType::kFloat16, FileType::kBFloat16, FileType::kQ8_0>("fileTypes", "F16 BF16 Q8_0");
  values<Norm::kLayer, Norm::kRms>("norms", "layer rms");
  values<ScoresStage::kNone, ScoresStage::kScaled, ScoresStage::kSoftcapped, ScoresStage::kMasked>(
      "scoresStages", "none scaled softcapped masked");

  values<StepAction::kEmbedding, StepAction::kAdd, StepAction::kLinear, StepAction::kNorm, StepAction::kFeedForward,
         StepAction::kActivate, StepAction::kScale, StepAction::kRotaryTable, StepAction::kRotary, StepAction::kAppend,
         StepAction::kAttention, StepAction::kSoftmax, StepAction::kMixValues, StepAction::kZeroHead>(
      "stepActions",
      "embedding add linear norm feedForward activate scale rotaryTable rotary append attention softmax mixValues "
      "zeroHead");

  listed<Step, AddArgs, ScaleArgs, AppendArgs, SoftmaxArgs, ZeroHeadArgs>();

  op<&maskedSoftmax>("maskedSoftmax", "x valid out rows cols");
  op<&scaledDotProductAttention, &scaledDotProductAttentionScratch>("scaledDotProductAttention", Streams::kYes);
  op<&scaledDotProductAttentionBackward, &scaledDotProductAttentionBackwardScratch>(
      "scaledDotProductAttentionBackward");
  op<&cacheRowSize>("cacheRowSize", "width type");
  op<&additiveAttention, &additiveAttentionScratch>("additiveAttention");
  op<&additiveAttentionBackward, &additiveAttentionBackwardScratch>("additiveAttentionBackward");
  op<&gelu>("gelu", "x out count tanh");
  op<&silu>("silu", "x out count");
  op<&matmul, &matmulScratch>("matmul");
  op<&packWeight>("packWeight", "rows packed inputs outputs first count type");
  op<&widenFileNumbers>("widenFileNumbers", "from out count type");
  op<&widenInt8>("widenInt8", "from scales out rows columns");
  op<&weighInt8Columns>("weighInt8Columns", "rows inputs count packed");
  op<&scaleInt8Columns>("scaleInt8Columns", "packed inputs sorted");
  op<&packedWeightSize>("packedWeightSize", "inputs outputs type");
  op<&sinusoidalFrequenciesSize>("sinusoidalFrequenciesSize", "dim");
  op<&sinusoidalFrequencies>("sinusoidalFrequencies", "out dim base");
  op<&sinusoidalEncoding, &sinusoidalEncodingScratch>("sinusoidalEncoding");
  op<&encodingRotation>("encodingRotation", "frequencies out dim delta");
  op<&scaleFrequencies>("scaleFrequencies", "frequencies factors dim");
  op<&rotaryTable, &rotaryTableScratch>("rotaryTable");
  op<&rotaryEmbedding>("rotaryEmbedding", "args");
  op<&rotaryEmbeddingBackward>("rotaryEmbeddingBackward", "args");
  op<&addPositions>("addPositions", "x table out first count rows dim seed dropout");
  op<&addPositionsBackward>("addPositionsBackward", "gradOut gradX gradTable batch rows dim seed dropout");
  op<&conv1dLength>("conv1dLength", "length kernel stride padding dilation");
  op<&conv1d, &conv1dScratch>("conv1d");
  op<&rnn, &rnnScratch>("rnn");
  op<&linear, &linearScratch>("linear", Streams::kYes);
  op<&linearBackward, &linearBackwardScratch>("linearBackward");
  op<&feedForward, &feedForwardScratch>("feedForward");
  op<&feedForwardBackward, &feedForwardBackwardScratch>("feedForwardBackward");
  op<&norm>("norm", "args");
  op<&normBackward, &normBackwardScratch>("normBackward");
  op<&transformerBlock, &transformerBlockScratch>("transformerBlock");
  op<&transformerBlockKept>("transformerBlockKept", "args");
  op<&transformerBlockBackward, &transformerBlockBackwardScratch>("transformerBlockBackward");
  op<&embedding>("embedding", "args");
  op<&embeddingBackward>("embeddingBackward", "gradOut ids gradTable scratch count rows dim");
  op<&embeddingBackwardScratch>("embeddingBackwardScratch", "count rows dim");
  op<&softmaxCrossEntropy>("softmaxCrossEntropy", "logits targets gradLogits rows classes");
  op<&adam>("adam", "parameter gradient mean square count beta1 beta2 stepSize rootCorrection eps weightDecay");
  op<&runSteps, &runStepsScratch>("runSteps");
  op<&sumOfSquares>("sumOfSquares", "x count");
  op<&scaleInPlace>("scaleInPlace", "x count factor");
}
