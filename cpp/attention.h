// wasm-attention — every operation of the C++ library: formula, shapes, aliasing, source.
//
// Conventions
//   Matrices are row-major float32. Parameters are inputs, then outputs, sizes and scalars.
//   Nothing here allocates, throws or validates: the caller provides memory of the stated sizes, and asserts check
//   arguments in debug builds. An operation with many parameters takes a struct. JavaScript fills in its fields
//   (cpp/bindings/bindings.cpp), so structs have no padding in wasm. An operation that needs working memory takes it as
//   `scratch`; its `…Scratch` function returns the number of elements. Such sizes have 64 bits and never overflow for
//   extents below 2^31.
//
// Dimension letters (Vaswani et al. 2017)
//   B  batch            H  query heads       Hkv  key/value heads (H is a multiple of Hkv)
//   L  queries          S  keys, past included
//   E  head width       Ev value width       D  model width (H * E in a layer)
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

/// Softmax of each row over its first `valid[i]` entries. The other entries become 0, as does a row without valid
/// entries. Entries of -infinity are masked too. Entries at or beyond `valid[i]` are never read, so they may be NaN.
/// x, out  (rows, cols), row-major; may be the same buffer.
/// valid   (rows), 0 <= valid[i] <= cols; null means all of every row.
/// Source: d2l.ai, section "Attention Scoring Functions".
void maskedSoftmax(const float* x, const int32_t* valid, float* out, int rows, int cols);

/// The step after which the scores are copied out.
enum class ScoresStage : int32_t { kNone = 0, kScaled = 1, kSoftcapped = 2, kMasked = 3 };

/// A stack of matrices: the distance in floats from one batch, head and row to the next. Rows are contiguous.
struct Strides {
  int32_t batch, head, row;
};

/// A query of packed sequences: keys [begin, end) belong to its sequence, and `position` is its place among the keys.
struct PackedQuery {
  int32_t begin, end, position;
};

/// How numbers are stored: as they are, rounded to float16, or rounded to whole numbers with scales. For packed weights
/// see kernels/gemm.h and kernels/int8_product.h, for weights of which rows are only looked up kernels/int8_table.h,
/// for cached keys and values attention/cache_rows.h.
enum class WeightType : int32_t { kFloat32 = 0, kFloat16 = 1, kInt8 = 2, kInt8Fine = 3, kInt8Table = 4 };

/// The arguments of `scaledDotProductAttention`; null or 0 means that an option is not used.
struct AttentionArgs {
  int32_t batch, heads, kvHeads, queries, keys, width, valueWidth;

  const float* query;  // (B, H, L, E)
  Strides queryStrides;
  const float* key;  // (B, Hkv, S, E)
  Strides keyStrides;
  const float* value;  // (B, Hkv, S, Ev)
  Strides valueStrides;
  WeightType keyType, valueType;  // of a cache; unless they are float32, rows are as in attention/cache_rows.h
  float* output;                  // (B, H, L, Ev)
  Strides outputStrides;

  const int32_t* validLens;  // query i of batch b sees keys j < validLens[b * validBatch + i * validRow]
  int32_t validBatch, validRow;
  const int32_t* offsets;  // (B): position of query 0 among the keys; null means 0
  // Query i sees keys i + offset - left <= j <= i + offset + right; -1 leaves a side open. Causal: right = 0.
  int32_t windowLeft, windowRight;
  const PackedQuery* packed;  // (L), the same for the whole batch, or null; offsets are then not used

  // Strides of 0 broadcast against (B, H, L, S). The last axis has `columns` columns; beyond them the mask is false and
  // the bias -infinity. Columns are a `step` apart; with 0, one is used for all keys. The backward pass takes 0 and 1.
  const uint8_t* mask;
  Strides maskStrides;
  int32_t maskColumns, maskStep;
  const float* bias;
  Strides biasStrides;
  int32_t biasColumns, biasStep;

  const float* relativeKeys;  // (2 * clip + 1, E), one table for each head if the head stride is not 0
  int32_t relativeKeysHead, relativeKeysClip;
  const float* relativeValues;  // (2 * clip + 1, Ev)
  int32_t relativeValuesHead, relativeValuesClip;
  const float* alibiSlopes;  // (H)
  const float* sinks;        // (H): the score of an additional key that has no value

  float* weights;  // (B, H, L, S); this and the next two are contiguous
  float* scores;
  ScoresStage scoresStage;
  float* logSumExp;  // (B, H, L)

  uint32_t seed;

  float scale;
  float softcap;  // 0: none
  float dropout;  // probability of dropping a weight
};

/// output = dropout(softmax(masked(softcap(scale * Q K^T) + bias + relative terms))) * V
///
/// Query head h reads key/value head h / (H / Hkv). A query that sees no key gets zeros and a logSumExp of -infinity,
/// or of its head's sink. Masked keys and values never change the result, even if they are NaN. Outputs alias nothing.
/// Sources: Vaswani et al. 2017; Shaw et al. 2018 (relative tables); Press et al. 2022 (ALiBi); Agarwal et al. 2025
/// (sinks).
void scaledDotProductAttention(const AttentionArgs& args, float* scratch);
int64_t scaledDotProductAttentionScratch(const AttentionArgs& args);

/// Floats that a cache takes for the key or the value of a head of one token, which has `width` numbers.
int64_t cacheRowSize(int width, WeightType type);

/// The arguments of `scaledDotProductAttentionBackward`. Each gradient has the strides of its tensor. The outputs in
/// `attention` (output, weights, scores, logSumExp) are not used.
struct AttentionGradArgs {
  AttentionArgs attention;
  const float* gradOutput;  // (B, H, L, Ev)
  float* gradQuery;         // (B, H, L, E)
  float* gradKey;           // (B, Hkv, S, E)
  float* gradValue;         // (B, Hkv, S, Ev)
  // Added to, because they sum over broadcast axes; null if their tensor is null.
  float* gradBias;
  float* gradRelativeKeys;
  float* gradRelativeValues;
  float* gradSinks;
  // The compensation of these sums (simd/long_sum.h), initially zeros; null for sums of few terms.
  float* biasCompensation;
  float* relativeKeysCompensation;
  float* relativeValuesCompensation;
  float* sinksCompensation;
};

/// The gradients of sum(output * gradOutput), where output is scaledDotProductAttention's for the same arguments,
/// including dropout. Weights are recomputed; working memory is linear in L and S. Masked keys and values get gradients
/// of 0, and never change other gradients, even if they are NaN. Gradients alias nothing. Source: Dao et al. 2022.
void scaledDotProductAttentionBackward(const AttentionGradArgs& args, float* scratch);
int64_t scaledDotProductAttentionBackwardScratch(const AttentionGradArgs& args);

/// The arguments of `additiveAttention`.
struct AdditiveAttentionArgs {
  int32_t batch, queries, keys, queryWidth, keyWidth, valueWidth, hiddens;
  const float* query;         // (B, L, queryWidth)
  const float* key;           // (B, S, keyWidth)
  const float* value;         // (B, S, valueWidth)
  const float* weightQuery;   // Wq (hiddens, queryWidth)
  const float* weightKey;     // Wk (hiddens, keyWidth)
  const float* weightVector;  // wv (hiddens)
  const int32_t* valid;       // (B, L): query i sees keys j < valid[i], at most S; null means all
  float* output;              // (B, L, valueWidth); not used by the backward pass
  float* weights;             // (B, L, S); not used by the backward pass
};

/// weights = softmax over the visible keys of wv . tanh(Wq query + Wk key); output = weights * value.
///
/// A query that sees no key gets zeros. Masked keys and values never change the result, even if they are NaN. Outputs
/// alias nothing. Working memory is linear in L and S. Source: Bahdanau et al. 2014, appendix A.1.2.
void additiveAttention(const AdditiveAttentionArgs& args, float* scratch);
int64_t additiveAttentionScratch(const AdditiveAttentionArgs& args);

/// The arguments of `additiveAttentionBackward`. Each gradient is written, not added to, and has the shape of its
/// tensor.
struct AdditiveAttentionGradArgs {
  AdditiveAttentionArgs attention;
  const float* gradOutput;  // (B, L, valueWidth)
  float *gradQuery, *gradKey, *gradValue;
  float *gradWeightQuery, *gradWeightKey, *gradWeightVector;
};

/// The gradients of sum(output * gradOutput), where output is additiveAttention's for the same arguments. Weights are
/// recomputed; working memory is linear in L and S. Masked keys and values get gradients of 0 and never change other
/// gradients.
void additiveAttentionBackward(const AdditiveAttentionGradArgs& args, float* scratch);
int64_t additiveAttentionBackwardScratch(const AdditiveAttentionGradArgs& args);

/// The arguments of `matmul`: outer * inner products.
struct MatmulArgs {
  const float* a;  // (rows, depth) each
  const float* b;  // (depth, cols) each
  float* out;      // (outer, inner, rows, cols); aliases nothing
  int32_t outer, inner, rows, depth, cols;
  int32_t aOuter, aInner, bOuter, bInner;  // from one matrix to the next, in floats; 0 if they share one
};

/// out = a * b.
void matmul(const MatmulArgs& args, float* scratch);
int64_t matmulScratch(const MatmulArgs& args);

/// Packs rows [first, first + count) of a linear layer's weight for its products (kernels/gemm.h).
/// rows    (count, inputs), of a weight (outputs, inputs). For float32, first is a multiple of 8.
/// packed  packedWeightSize(inputs, outputs, type) floats, which must initially be zeros unless the type is float32.
void packWeight(const float* rows, float* packed, int inputs, int outputs, int first, int count, WeightType type);
int64_t packedWeightSize(int inputs, int outputs, WeightType type);

/// How a file stores numbers: as float16s, as bfloat16s, or in blocks of a float16 and 32 signed bytes, which it
/// multiplies (ggml's Q8_0).
enum class FileType : int32_t { kFloat16 = 0, kBFloat16 = 1, kQ8_0 = 2 };

/// Writes a file's numbers as float32s.
/// from   any address; up to 6 bytes behind the last number are read
/// count  of blocks a multiple of 32
void widenFileNumbers(const uint8_t* from, float* out, int count, FileType type);

/// out (rows, columns) = signed bytes times scales (rows, ceil(columns / 128)): int8 as the library writes it to files.
/// from  any address; up to 3 bytes behind the last number are read
void widenInt8(const uint8_t* from, const float* scales, float* out, int rows, int columns);

/// Before an int8 weight is packed: gives each of its columns a factor, a power of two, by which inputs are multiplied
/// and the column is divided, so that no column is lost among much larger ones that share its scale. Columns of a
/// usual magnitude have the same factor, and the largest one is 1. Call the first function with rows of the weight,
/// `count` at a time, on a `packed` of zeros, and then the second; without rows, all factors are 1.
/// sorted  inputs floats
void weighInt8Columns(const float* rows, int inputs, int count, float* packed);
void scaleInt8Columns(float* packed, int inputs, float* sorted);

/// The arguments of `linear`.
struct LinearArgs {
  const float* x;       // (rows, inputs)
  const float* packed;  // the weight (outputs, inputs), from packWeight
  const float* bias;    // (outputs), or null
  float* out;           // (rows, outputs); aliases nothing
  int32_t rows, inputs, outputs;
  WeightType weightType;
};

/// out = x * weight^T + bias.
void linear(const LinearArgs& args, float* scratch);
int64_t linearScratch(const LinearArgs& args);

/// The arguments of `linearBackward`.
struct LinearGradArgs {
  const float* gradOut;  // (rows, outputs)
  const float* x;        // (rows, inputs)
  const float* weight;   // (outputs, inputs), not packed
  float* gradX;          // (rows, inputs); aliases nothing
  float* gradWeight;     // (outputs, inputs), added to
  float* gradBias;       // (outputs), added to; or null
  int32_t rows, inputs, outputs;
};

/// The gradients of linear: gradX = gradOut * weight, gradWeight += gradOut^T * x, gradBias += the sum of gradOut's
/// rows.
void linearBackward(const LinearGradArgs& args, float* scratch);
int64_t linearBackwardScratch(const LinearGradArgs& args);

/// kRelu: max(x, 0). kGelu: x * P(X <= x) for a standard normal X. kGeluTanh: GELU approximated by a hyperbolic
/// tangent. kSigmoid: s(x) = 1 / (1 + e^-x). kSilu: x * s(x). kQuickGelu: x * s(1.702 x). Source: Hendrycks and Gimpel
/// 2016.
enum class Activation : int32_t { kRelu = 0, kGelu = 1, kGeluTanh = 2, kSilu = 3, kSigmoid = 4, kQuickGelu = 5 };

/// out = kGelu of x, or with `tanh` kGeluTanh. x, out  (count); may be the same buffer.
void gelu(const float* x, float* out, int count, bool tanh);

/// out = kSilu of x. x, out  (count); may be the same buffer.
void silu(const float* x, float* out, int count);

/// The arguments of `feedForward`. With `gated`, weight1, bias1 and hidden have 2 * hiddenWidth units: gates and then
/// values.
struct FeedForwardArgs {
  const float* x;        // (rows, width)
  const float* packed1;  // weight1 (hiddenWidth, width), from packWeight
  const float* bias1;    // (hiddenWidth), or null
  const float* packed2;  // weight2 (width, hiddenWidth), likewise
  const float* bias2;    // (width), or null
  float* hidden;         // (rows, hiddenWidth): the input of f, for the backward pass; or null
  float* out;            // (rows, width); not x's buffer
  int32_t rows, width, hiddenWidth;
  int32_t gated;  // 0 or 1
  WeightType weightType;
  Activation activation;
  uint32_t seed;
  float dropout;
};

/// out = dropout(f(x * weight1^T + bias1)) * weight2^T + bias2, with dropout as in addPositions. With `gated`, f is
/// replaced with f(gate) * value. Sources: Vaswani et al. 2017, section 3.3; Shazeer 2020.
void feedForward(const FeedForwardArgs& args, float* scratch);
int64_t feedForwardScratch(const FeedForwardArgs& args);

/// The arguments of `feedForwardBackward`.
struct FeedForwardGradArgs {
  const float* gradOut;  // (rows, width)
  const float* x;
  const float* hidden;   // from feedForward
  const float* weight1;  // (hiddenWidth, width), not packed
  const float* weight2;  // (width, hiddenWidth), not packed
  float* gradX;          // (rows, width); written, while all other gradients are added to
  float* gradWeight1;
  float* gradBias1;  // or null
  float* gradWeight2;
  float* gradBias2;  // or null
  int32_t rows, width, hiddenWidth;
  int32_t gated;
  Activation activation;
  uint32_t seed;
  float dropout;
};

/// The gradients of feedForward.
void feedForwardBackward(const FeedForwardGradArgs& args, float* scratch);
int64_t feedForwardBackwardScratch(const FeedForwardGradArgs& args);

/// kLayer: (x - mean) / sqrt(variance + eps) * weight + bias, with the mean and biased variance of each row
/// (Ba et al. 2016). kRms: x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich 2019).
enum class Norm : int32_t { kLayer = 0, kRms = 1 };

/// The arguments of `norm`.
struct NormArgs {
  const float* x;              // (rows, dim)
  const float *weight, *bias;  // (dim); kRms has no bias, and kLayer may lack both or only the bias: they are 1 and 0
  float* out;                  // (rows, dim); may be x
  int32_t rows, dim;
  Norm norm;
  float eps;
  int32_t weights;  // above 1: weight is (weights, dim), whose rows those of x use in turn, without a bias
};

/// out = the norm of each row of x.
void norm(const NormArgs& args);

/// The arguments of `normBackward`.
struct NormGradArgs {
  const float* x;                // (rows, dim)
  const float* weight;           // (dim), or null
  float* gradient;               // (rows, dim): of the output, overwritten with that of x
  float *gradWeight, *gradBias;  // (dim), added to; not used if the norm has none
  int32_t rows, dim;
  Norm norm;
  float eps;
};

/// The gradients of norm.
void normBackward(const NormGradArgs& args, float* scratch);
int64_t normBackwardScratch(const NormGradArgs& args);

/// The rotary positions of a layer's projected queries and keys: rows of `rotaryTable`.
struct Rotation {
  const float* queries;  // (L, width); null if nothing is rotated
  int32_t queryBatch;    // from one sequence's table to the next, in floats; 0 if they share one
  const float* keys;     // (new keys, width)
  int32_t keyBatch;      // as queryBatch
  int32_t width;         // how many components of each head are rotated
  int32_t interleaved;   // as in RotaryArgs
};

/// Pointers to the parameters of an attention within a block, or to their gradients. Biases may be null, and norms
/// both.
struct AttentionParameters {
  float *inWeight, *inBias;    // (H * E + 2 * Hkv * E, D): queries, keys, values
  float *outWeight, *outBias;  // (D, H * E)
  float *queryNorm, *keyNorm;  // (E), of Norm::kRms
};

struct NormParameters {
  float *weight, *bias;  // (D); no bias with kRms
};

/// Pointers to the parameters of a block, or to their gradients; null where the block has none.
struct BlockParameters {
  AttentionParameters self, cross;
  float *weight1, *bias1;              // as in FeedForwardArgs
  float *weight2, *bias2;              // (D, hiddenWidth)
  NormParameters norm1, norm2, norm3;  // of self-attention, of cross-attention, of the feed-forward network
};

/// An attention within a block.
struct BlockAttentionArgs {
  AttentionArgs attention;  // the op sets the addresses and strides of query, key, value and output
  Rotation rotation;
  const float* packedIn;      // inWeight from packWeight; for cross-attention only the rows of queries
  const float* packedMemory;  // for cross-attention, the rows of keys and values
  const float* packedOut;
};

/// The arguments of `transformerBlock`, a forward pass in training; runSteps computes all other passes.
struct TransformerBlockArgs {
  BlockAttentionArgs self;   // its seed and probability of dropout apply to the whole block
  BlockAttentionArgs cross;  // no heads: the block has no cross-attention
  BlockParameters parameters;
  const float *packed1, *packed2;  // the weights, from packWeight
  const float* memory;             // (B, S, D) of the cross-attention
  int32_t width, hiddenWidth;
  int32_t gated;  // as in FeedForwardArgs
  Activation activation;
  Norm norm;
  int32_t preNorm;
  float eps, headEps;  // of the norms of rows, and of queries and keys
  float* kept;    // transformerBlockKept() floats, of which x (B, L, D) is the first part; the backward pass reads them
  float* output;  // (B, L, D)
};

/// Self-attention, attention to a memory if there is one, and a feed-forward network. Each is a sublayer,
/// x + dropout(sublayer(x)), with a norm after the sum or, with preNorm, before the sublayer. Dropout is at the places
/// of torch.nn.TransformerDecoderLayer: attention's weights, the hidden units, and the outputs of all sublayers.
/// Sources: Vaswani et al. 2017, section 3.1; Xiong et al. 2020.
void transformerBlock(const TransformerBlockArgs& args, float* scratch);
int64_t transformerBlockScratch(const TransformerBlockArgs& args);
/// Floats of `kept`.
int64_t transformerBlockKept(const TransformerBlockArgs& args);

/// The gradients of attention's options, as in AttentionGradArgs.
struct OptionGradients {
  float *bias, *relativeKeys, *relativeValues, *sinks;
  float *biasCompensation, *relativeKeysCompensation, *relativeValuesCompensation, *sinksCompensation;
};

/// The arguments of `transformerBlockBackward`.
struct TransformerBlockGradArgs {
  TransformerBlockArgs block;
  float* gradient;            // (B, L, D): of the output, overwritten with that of the input
  float* gradMemory;          // (B, S, D): written
  BlockParameters gradients;  // added to
  OptionGradients self, cross;
};

/// The gradients of transformerBlock, from what it kept.
void transformerBlockBackward(const TransformerBlockGradArgs& args, float* scratch);
int64_t transformerBlockBackwardScratch(const TransformerBlockGradArgs& args);

/// The arguments of `embedding`.
struct EmbeddingArgs {
  const int32_t* ids;  // (count), rows of the table
  const float* table;  // (rows, dim), or from packWeight
  float* out;          // (count, dim)
  int32_t count, dim;
  int32_t packedRows;     // the rows of a packed table; 0: it is not packed
  WeightType weightType;  // of a packed table
};

/// out[i] = table[ids[i]].
void embedding(const EmbeddingArgs& args);

/// The gradient of embedding: grad_table[ids[i]] += grad_out[i].
/// rows     of the table, more than any id.
/// scratch  embeddingBackwardScratch(count, rows, dim) floats
void embeddingBackward(const float* grad_out, const int32_t* ids, float* grad_table, float* scratch, int count,
                       int rows, int dim);
int64_t embeddingBackwardScratch(int count, int rows, int dim);

/// Returns the mean of -log softmax(logits[i])[targets[i]] over the rows whose target is not negative, or NaN if there
/// is none. Writes its gradient, which is 0 in the other rows.
/// logits, grad_logits  (rows, classes); may be the same buffer.
/// targets              (rows), below classes.
double softmaxCrossEntropy(const float* logits, const int32_t* targets, float* grad_logits, int rows, int classes);

/// One step of Adam. First adds weight_decay * parameter to the gradient (as torch.optim.Adam, not AdamW). mean and
/// square are moving averages of the gradient and its square; parameter -= step_size * mean / (sqrt(square) /
/// root_correction + eps). All arrays have `count` elements; none alias.
/// step_size        lr / (1 - beta1^t).
/// root_correction  sqrt(1 - beta2^t).
/// Source: Kingma and Ba 2015.
void adam(float* parameter, const float* gradient, float* mean, float* square, int count, double beta1, double beta2,
          double step_size, double root_correction, double eps, double weight_decay);

/// The sum of x[i]^2, in float64, which does not overflow.
double sumOfSquares(const float* x, int count);

/// x *= factor.
void scaleInPlace(float* x, int count, double factor);

/// Doubles in the table that `sinusoidalFrequencies` makes.
int64_t sinusoidalFrequenciesSize(int dim);

/// The table of frequencies base^(-2j/dim), j < ceil(dim/2), that positional operations read
/// (positional/frequencies.h). base is finite and above 0. No angle made with these frequencies may reach 2^30.
void sinusoidalFrequencies(double* out, int dim, double base);

/// The arguments of `sinusoidalEncoding`.
struct SinusoidalArgs {
  double offset;              // the first position; not used if `positions` is given
  const double* frequencies;  // made for `dim`
  const double* positions;    // (rows), any numbers; null means offset, offset + 1, …
  float* out;                 // (rows, dim)
  int32_t rows, dim;
  int32_t concatenated;  // 0: sin w0, cos w0, sin w1, …; 1: all sines, then all cosines
};

/// Sine and cosine of position * frequency, a row for each position, within half an ulp of float32 + 1e-11. An odd
/// width ends with a sine. The scratch consists of doubles. Source: Vaswani et al. 2017, section 3.5.
void sinusoidalEncoding(const SinusoidalArgs& args, double* scratch);
int64_t sinusoidalEncodingScratch(const SinusoidalArgs& args);

/// The matrices [[cos, sin], [-sin, cos]] of delta * frequency, which map the pair (sin, cos) of any position to the
/// pair of position + delta. Source: d2l.ai, section "Self-Attention and Positional Encoding".
/// frequencies  made for `dim`, which is even.
/// out          (dim/2, 2, 2).
void encodingRotation(const double* frequencies, float* out, int dim, double delta);

/// Multiplies frequency j of a table made for `dim` by factors[j], j < ceil(dim / 2). This scales rotary embeddings to
/// longer contexts.
void scaleFrequencies(double* frequencies, const double* factors, int dim);

/// The arguments of `rotaryTable`.
struct RotaryTableArgs {
  double offset;              // the first position; not used if `positions` is given
  double amplitude;           // a float32
  const double* frequencies;  // made for `dim`, which is even
  const double* positions;    // (rows), or null: offset, offset + 1, …
  const int32_t* axes;        // (dim / 2), or null: `positions` is then (axes, rows), and pair j reads axis axes[j]
  float* out;                 // (rows, dim)
  int32_t rows, dim;
};

/// The table for `rotaryEmbedding`, a row for each position: all sines of position * frequency, then all cosines, each
/// times `amplitude`. The scratch consists of doubles.
void rotaryTable(const RotaryTableArgs& args, double* scratch);
int64_t rotaryTableScratch(const RotaryTableArgs& args);

/// The arguments of `rotaryEmbedding` and of its backward pass. Row i of head h of sequence b begins at
/// b * strides.batch + h * strides.head + i * strides.row.
struct RotaryArgs {
  const float* x;
  const float* table;  // rows of `rotaryTable`, (rows, rotaryWidth) for each sequence
  float* out;          // with x's strides; may be x
  int32_t batch, heads, rows, width;
  int32_t rotaryWidth;  // even; components beyond it stay unchanged
  Strides strides;
  int32_t tableBatch;   // from one sequence's table to the next, in floats; 0 if they share one
  int32_t interleaved;  // 1: pairs (2j, 2j + 1); 0: (j, j + rotaryWidth / 2)
};

/// Rotates the j-th pair (a, b) of every row by angle j of that row: (a cos - b sin, b cos + a sin).
/// Source: Su et al. 2021, equation 34.
void rotaryEmbedding(const RotaryArgs& args);

/// The gradient with respect to x of sum(rotaryEmbedding(x) * g): rotates g, which is passed as `x`, the other way.
void rotaryEmbeddingBackward(const RotaryArgs& args);

/// out = dropout(x + table) for rows [first, first + count) of a (batch, rows, dim) input. The seed, the number of the
/// row in the whole batch and the element's index decide which elements become zero (dropoutBits); the others are
/// divided by 1 - dropout.
/// x, out  (count, dim); may be the same buffer.
/// table   (rows, dim), added to every sequence; null adds nothing.
void addPositions(const float* x, const float* table, float* out, int first, int count, int rows, int dim,
                  uint32_t seed, float dropout);

/// The gradients of addPositions. grad_x is grad_out / (1 - dropout), or 0 for dropped elements; its sum over the
/// sequences is added to grad_table.
/// grad_out, grad_x  (batch, rows, dim); may be the same buffer.
/// grad_table        (rows, dim), or null.
void addPositionsBackward(const float* grad_out, float* grad_x, float* grad_table, int batch, int rows, int dim,
                          uint32_t seed, float dropout);

/// The arguments of `conv1d`.
struct Conv1dArgs {
  const float* x;       // (batch, inChannels, length)
  const float* weight;  // (outChannels, inChannels / groups, kernel)
  const float* bias;    // (outChannels), or null
  float* out;           // (batch, outChannels, conv1dLength(…)); aliases nothing
  int32_t batch, inChannels, outChannels, length, kernel, stride, padding, dilation, groups;
};

/// Cross-correlation along the last axis: out[b, o, t] = bias[o] + sum over i, k of weight[o, i, k] *
/// x[b, first(o) + i, t * stride + k * dilation - padding], where x is 0 outside the sequence. Group g of the outputs
/// reads group g of the inputs, which begins with channel first(o). Source: torch.nn.functional.conv1d.
/// scratch  null if conv1dScratch() is 0.
void conv1d(const Conv1dArgs& args, float* scratch);
int64_t conv1dScratch(const Conv1dArgs& args);

/// floor((length + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1.
int64_t conv1dLength(int length, int kernel, int stride, int padding, int dilation);

/// The arguments of `rnn`.
struct RnnArgs {
  const float* x;         // (batch, length, inWidth)
  const float* weightIh;  // (width, inWidth)
  const float* weightHh;  // (width, width)
  const float* biasIh;    // (width), or null
  const float* biasHh;    // (width), or null
  const float* initial;   // (batch, width), h before the first step; null means zeros
  float* out;             // (batch, length, width), every h_t; aliases nothing
  int32_t batch, length, inWidth, width;
  int32_t relu;  // 0: f = tanh, 1: f = relu
};

/// h_t = f(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh) (Elman 1990).
/// Source: torch.nn.RNN, one layer, batch first.
void rnn(const RnnArgs& args, float* scratch);
int64_t rnnScratch(const RnnArgs& args);

/// What a step of a pass does, with the struct of its arguments. `past` is RunStepsArgs::past.
enum class StepAction : int32_t {
  kEmbedding = 0,    // EmbeddingArgs
  kAdd = 1,          // AddArgs
  kLinear = 2,       // LinearArgs
  kNorm = 3,         // NormArgs
  kFeedForward = 4,  // FeedForwardArgs
  kActivate = 5,     // FeedForwardArgs: out (rows, hiddenWidth) = f(hidden), or f(gate) * value
  kScale = 6,        // ScaleArgs
  kRotaryTable = 7,  // RotaryTableArgs; `past` is added to the offset
  kRotary = 8,       // RotaryArgs
  kAppend = 9,       // AppendArgs; `past` is added to the length
  kAttention = 10,   // AttentionArgs; `past` is added to the keys
  kSoftmax = 11,     // SoftmaxArgs; `past` is added to the columns
  kMixValues = 12,   // AttentionArgs: output = weights * value, with weights that may have changed
  kZeroHead = 13,    // ZeroHeadArgs
};

/// A step of a pass: this header, followed by the arguments of its action, which may contain doubles.
struct alignas(8) Step {
  StepAction action;
  int32_t bytes;  // to the next step, a multiple of 8
};

/// out = x + dropout(y), with dropout as in addPositions.
struct AddArgs {
  const float *x, *y;
  float* out;  // may be y's buffer, and without dropout x's
  int32_t rows, dim;
  uint32_t seed;
  float dropout;
};

/// out = factor * x, or, with a softcap c above 0, c * tanh(factor * x / c).
struct ScaleArgs {
  const float* x;
  float* out;  // may be x
  int32_t rows, dim;
  float factor, softcap;
};

/// Copies heads that lie side by side to a cache (batch, heads, capacity, cacheRowSize), after `length` rows of each.
struct AppendArgs {
  const float* x;  // (batch, tokens, heads * width)
  float* cache;
  int32_t batch, tokens, heads, width, length, capacity;
  WeightType cacheType;
};

/// out = softmax(x), both (batch, heads, queries, keys).
struct SoftmaxArgs {
  const float* x;
  float* out;
  int32_t batch, heads, queries, keys;
  const float* sinks;  // as in AttentionArgs
};

/// Sets `width` of every `stride` floats to 0.
struct ZeroHeadArgs {
  float* head;
  int32_t rows, width, stride;
};

/// The arguments of `runSteps`.
struct RunStepsArgs {
  const Step* steps;
  int32_t bytes;  // of all steps
  int32_t past;   // the number of tokens already in the cache
};

/// Runs steps in order: a layer, a model, or a part of one. Tokens are rows, with the sequences of a batch one after
/// another.
void runSteps(const RunStepsArgs& args, float* scratch);
int64_t runStepsScratch(const RunStepsArgs& args);

}  // namespace wasm_attention
