// wasm-attention — every operation of the C++ library: formula, shapes, aliasing, source. One header, however long, is where a
// reader finds them all.
//
// Conventions
//   Matrices are row-major float32. Outputs come after inputs, then sizes, then scalars.
//   Nothing here allocates, throws or validates: callers hand in memory of the stated sizes; asserts guard it in debug
//   builds. An operation with more parameters than one reads at a glance takes them in a struct, whose fields JavaScript fills
//   in (cpp/bindings/fields.h): in wasm none of them has padding before or behind it.
//   An operation that needs working memory takes it as `scratch`, and says through its `…Scratch` function how many elements.
//   Such sizes are computed in 64 bits, for any extents: what no memory holds stays a number that no memory holds.
//
// Dimension letters (Vaswani et al. 2017)
//   B  batch            H  query heads       Hkv  key/value heads (H is a multiple of Hkv)
//   L  queries          S  keys, past included
//   E  head width       Ev value width       D  model width (H * E in a layer)
#pragma once

#include <cstddef>
#include <cstdint>

namespace wasm_attention {

/// Softmax of each row over its first `valid[i]` entries; the rest, and a row with none, become zero.
/// Entries of -infinity are masked too. Entries at or beyond `valid[i]` are never read, so NaN there is harmless.
/// x, out  (rows, cols), row-major; may be the same buffer.
/// valid   (rows), 0 <= valid[i] <= cols; null means all of every row.
/// Source: d2l.ai, section "Attention Scoring Functions".
void maskedSoftmax(const float* x, const int32_t* valid, float* out, int rows, int cols);

/// Where the scores are copied out of their making.
enum class ScoresStage : int32_t { kNone = 0, kScaled = 1, kSoftcapped = 2, kMasked = 3 };

/// A stack of matrices: the distance in floats from one batch, head and row to the next. Rows are contiguous.
struct Strides {
  int32_t batch, head, row;
};

/// What `scaledDotProductAttention` reads; null (0) stands for an option that is not used.
struct AttentionArgs {
  int32_t batch, heads, kvHeads, queries, keys, width, valueWidth;

  const float* query;  // (B, H, L, E)
  Strides queryStrides;
  const float* key;  // (B, Hkv, S, E)
  Strides keyStrides;
  const float* value;  // (B, Hkv, S, Ev)
  Strides valueStrides;
  float* output;  // (B, H, L, Ev)
  Strides outputStrides;

  const int32_t* validLens;  // query i of batch b sees keys j < validLens[b * validBatch + i * validRow]
  int32_t validBatch, validRow;
  const int32_t* offsets;  // (B): position of query 0 among the keys; null means 0
  // i + offset - left <= j <= i + offset + right; -1 leaves a side open; causal: right 0
  int32_t windowLeft, windowRight;

  // Broadcast against (B, H, L, S) by strides of 0; `columns` of the last axis are given, the rest are false
  // (-infinity). One column repeats where `step` is 0.
  const uint8_t* mask;
  Strides maskStrides;
  int32_t maskColumns, maskStep;
  const float* bias;
  Strides biasStrides;
  int32_t biasColumns, biasStep;

  const float* relativeKeys;  // (2 * clip + 1, E), one table for each head where the head stride is not 0
  int32_t relativeKeysHead, relativeKeysClip;
  const float* relativeValues;  // (2 * clip + 1, Ev)
  int32_t relativeValuesHead, relativeValuesClip;
  const float* alibiSlopes;  // (H)

  float* weights;  // (B, H, L, S), contiguous, as are the next two
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
/// Query head h reads key/value head h / (H / Hkv). A query that may attend to nothing gives zeros and a logSumExp of
/// -infinity. Masked keys and values never reach the result, whatever they hold. Outputs alias nothing.
/// Sources: Vaswani et al. 2017; Shaw et al. 2018 (relative tables); Press et al. 2022 (ALiBi).
void scaledDotProductAttention(const AttentionArgs& args, float* scratch);
int64_t scaledDotProductAttentionScratch(const AttentionArgs& args);

/// What `scaledDotProductAttentionBackward` reads. Gradients lie as the tensors they belong to, `gradOutput` as the output
/// by its strides; of `attention` the outputs themselves (output, weights, scores, logSumExp) are not used.
struct AttentionGradArgs {
  AttentionArgs attention;
  const float* gradOutput;  // (B, H, L, Ev)
  float* gradQuery;         // (B, H, L, E)
  float* gradKey;           // (B, Hkv, S, E)
  float* gradValue;         // (B, Hkv, S, Ev)
  // Added to, since they sum over what they were broadcast along; null where their tensor is.
  float* gradBias;
  float* gradRelativeKeys;
  float* gradRelativeValues;
};

/// The gradients of sum(output * gradOutput), where output is scaledDotProductAttention's for the same arguments, dropout
/// included. Weights are recomputed; working memory is linear in L and S. Masked keys and values get 0 and, whatever they
/// hold, do not reach the gradients of others. Gradients alias nothing. Source: Dao et al. 2022.
void scaledDotProductAttentionBackward(const AttentionGradArgs& args, float* scratch);
int64_t scaledDotProductAttentionBackwardScratch(const AttentionGradArgs& args);

/// What `additiveAttention` reads.
struct AdditiveAttentionArgs {
  int32_t batch, queries, keys, queryWidth, keyWidth, valueWidth, hiddens;
  const float* query;         // (B, L, queryWidth)
  const float* key;           // (B, S, keyWidth)
  const float* value;         // (B, S, valueWidth)
  const float* weightQuery;   // Wq (hiddens, queryWidth)
  const float* weightKey;     // Wk (hiddens, keyWidth)
  const float* weightVector;  // wv (hiddens)
  const int32_t* valid;       // (B, L): query i sees keys j < valid[i], at most S; null means all
  float* output;              // (B, L, valueWidth); the backward pass uses neither this nor the next
  float* weights;             // (B, L, S)
};

/// weights = softmax over the visible keys of wv . tanh(Wq query + Wk key); output = weights * value.
///
/// A query that sees no key gets zeros. Keys and values that are not visible never reach the result, whatever they hold.
/// Outputs alias nothing; but for them, memory is linear in L and S. Source: Bahdanau et al. 2014, appendix A.1.2.
void additiveAttention(const AdditiveAttentionArgs& args, float* scratch);
int64_t additiveAttentionScratch(const AdditiveAttentionArgs& args);

/// What `additiveAttentionBackward` reads. Gradients are written, each in the shape of its tensor.
struct AdditiveAttentionGradArgs {
  AdditiveAttentionArgs attention;
  const float* gradOutput;  // (B, L, valueWidth)
  float *gradQuery, *gradKey, *gradValue;
  float *gradWeightQuery, *gradWeightKey, *gradWeightVector;
};

/// The gradients of sum(output * gradOutput), where output is additiveAttention's for the same arguments. Weights are
/// recomputed; memory is linear in L and S. What is masked has a gradient of 0 and does not reach those of others.
void additiveAttentionBackward(const AdditiveAttentionGradArgs& args, float* scratch);
int64_t additiveAttentionBackwardScratch(const AdditiveAttentionGradArgs& args);

/// A linear layer's weight as its products read it; `gemm` in kernels/gemm.h says how it is laid out.
/// weight  (outputs, inputs), row-major
/// packed  packWeightSize(inputs, outputs) floats
void packWeight(const float* weight, float* packed, int inputs, int outputs);
int64_t packWeightSize(int inputs, int outputs);

/// output = input * weight^T + bias, for `rows` rows.
struct Projection {
  const float* input;   // (rows, inputs)
  const float* packed;  // from packWeight
  const float* bias;    // (outputs), or null
  float* output;        // (rows, outputs)
  int32_t rows, inputs, outputs;
};

/// The rotary positions of a layer's projected queries and keys: rows of `rotaryTable`.
struct Rotation {
  const float* queries;  // (L, width); null where nothing is rotated
  int32_t queryBatch;    // from one sequence's table to the next one's, in floats; 0 where they share one
  const float* keys;     // (new keys, width)
  int32_t width;         // components that turn, of each head
  int32_t interleaved;   // as in RotarySizes, 0 or 1
};

/// What `multiHeadAttention` reads. `attention` takes the projections' outputs as its query, key and value, by strides,
/// and writes the output projection's input; the caller sets those addresses. With a cache, `attention` reads keys and values
/// from there instead.
struct MultiHeadAttentionArgs {
  AttentionArgs attention;
  Projection query, key, value, output;
  float* keyCache;    // (B, Hkv, cacheCapacity, E), or null
  float* valueCache;  // (B, Hkv, cacheCapacity, Ev)
  int32_t cacheLength, cacheCapacity;
  Rotation rotation;
};

/// Projects queries, keys and values, rotates queries and keys, puts the new keys and values behind the cache's first
/// `cacheLength`, attends, and projects the heads' outputs, in one call. Source: Vaswani et al. 2017, section 3.2.2.
void multiHeadAttention(const MultiHeadAttentionArgs& args, float* scratch);
int64_t multiHeadAttentionScratch(const MultiHeadAttentionArgs& args);

/// Turns the gradients of the rotated heads back, in place.
/// gradient     (B, tokens, heads * width).
/// table        rows of `rotaryTable`, (tokens, rotary_width).
/// table_batch  from one sequence's table to the next one's, in floats; 0 where they share one.
void rotateHeadsBackward(float* gradient, const float* table, int table_batch, int batch, int tokens, int heads,
                         int width, int rotary_width, bool interleaved);

/// out = x * weight^T + bias.
/// x       (rows, inputs).
/// packed  the weight (outputs, inputs), from packWeight.
/// bias    (outputs), or null.
/// out     (rows, outputs); aliases nothing.
void linear(const float* x, const float* packed, const float* bias, float* out, int rows, int inputs, int outputs);

/// What `linearBackward` reads.
struct LinearGradArgs {
  const float* gradOut;  // (rows, outputs)
  const float* x;        // (rows, inputs)
  const float* weight;   // (outputs, inputs), not packed
  float* gradX;          // (rows, inputs); aliases nothing
  float* gradWeight;     // (outputs, inputs), added to
  float* gradBias;       // (outputs), added to; or null
  int32_t rows, inputs, outputs;
};

/// The gradients of linear: gradX = gradOut * weight; gradOut^T * x is added to gradWeight, the sum of gradOut's rows to
/// gradBias.
void linearBackward(const LinearGradArgs& args, float* scratch);
int64_t linearBackwardScratch(const LinearGradArgs& args);

/// max(x, 0); x * P(X <= x) of a standard normal X; the latter's approximation by a hyperbolic tangent.
/// Source: Hendrycks and Gimpel 2016.
enum class Activation : int32_t { kRelu = 0, kGelu = 1, kGeluTanh = 2 };

/// What `feedForward` reads.
struct FeedForwardArgs {
  const float* x;        // (rows, width)
  const float* packed1;  // weight1 (hiddenWidth, width), from packWeight
  const float* bias1;    // (hiddenWidth), or null
  const float* packed2;  // weight2 (width, hiddenWidth), from packWeight
  const float* bias2;    // (width), or null
  float* hidden;  // (rows, hiddenWidth): what f is given, which the backward pass reads; null where there is none
  float* out;     // (rows, width); not x's buffer
  int32_t rows, width, hiddenWidth;
  Activation activation;
  uint32_t seed;
  float dropout;
};

/// out = dropout(f(x * weight1^T + bias1)) * weight2^T + bias2, dropout by rows and their elements as in addPositions.
/// Source: Vaswani et al. 2017, section 3.3.
void feedForward(const FeedForwardArgs& args, float* scratch);
int64_t feedForwardScratch(const FeedForwardArgs& args);

/// What `feedForwardBackward` reads.
struct FeedForwardGradArgs {
  const float* gradOut;  // (rows, width)
  const float* x;
  const float* hidden;   // from feedForward
  const float* weight1;  // (hiddenWidth, width), not packed, as the next
  const float* weight2;  // (width, hiddenWidth)
  float* gradX;          // (rows, width); written, all others are added to
  float* gradWeight1;
  float* gradBias1;  // or null
  float* gradWeight2;
  float* gradBias2;  // or null
  int32_t rows, width, hiddenWidth;
  Activation activation;
  uint32_t seed;
  float dropout;
};

/// The gradients of feedForward.
void feedForwardBackward(const FeedForwardGradArgs& args, float* scratch);
int64_t feedForwardBackwardScratch(const FeedForwardGradArgs& args);

/// out = (x - mean) / sqrt(variance + eps) * weight + bias, mean and (biased) variance of each row.
/// x, out        (rows, dim); may be the same buffer.
/// weight, bias  (dim), or both null: 1 and 0.
/// Source: Ba et al. 2016.
void layerNorm(const float* x, const float* weight, const float* bias, float* out, int rows, int dim, float eps);

/// The gradients of layerNorm: grad_x is written, and may be grad_out's buffer; grad_weight and grad_bias are added to,
/// and not touched where weight is null.
void layerNormBackward(const float* grad_out, const float* x, const float* weight, float* grad_x, float* grad_weight,
                       float* grad_bias, int rows, int dim, float eps);

/// A pointer to each parameter of an encoder layer, or to its gradient, in the order of its state dict. Biases of the linear
/// maps may be null.
struct EncoderParameters {
  float *inWeight, *inBias;                                  // (3 * D, D): queries, keys, values
  float *outWeight, *outBias;                                // (D, D)
  float *weight1, *bias1;                                    // (hiddenWidth, D)
  float *weight2, *bias2;                                    // (D, hiddenWidth)
  float *norm1Weight, *norm1Bias, *norm2Weight, *norm2Bias;  // (D)
};

/// What `transformerEncoderLayer` reads.
struct TransformerEncoderLayerArgs {
  // H = Hkv, L = S, Ev = E; the op sets the addresses and strides of query, key, value and output. Its seed is that of all
  // dropout, its probability is the other places' too where `training`.
  AttentionArgs attention;
  Rotation rotation;
  EncoderParameters parameters;
  const float *packedIn, *packedOut, *packed1, *packed2;  // the weights, from packWeight
  int32_t hiddenWidth;
  Activation activation;
  int32_t preNorm, training;
  float* kept;    // transformerEncoderLayerKept() floats; x (B, L, D) stands first. The backward pass reads it.
  float* output;  // (B, L, D)
};

/// Self-attention and a feed-forward network, x + dropout(sublayer(x)) each, normalised (eps 1e-5) behind the sum or, with
/// preNorm, before the sublayer. Dropout is at torch.nn.TransformerEncoderLayer's four places: attention's weights, the
/// hidden units, and what the sublayers add.
/// Sources: Vaswani et al. 2017, section 3.1; Xiong et al. 2020.
void transformerEncoderLayer(const TransformerEncoderLayerArgs& args, float* scratch);
int64_t transformerEncoderLayerScratch(const TransformerEncoderLayerArgs& args);
/// Floats of `kept`.
int64_t transformerEncoderLayerKept(const TransformerEncoderLayerArgs& args);

/// What `transformerEncoderLayerBackward` reads.
struct TransformerEncoderLayerGradArgs {
  TransformerEncoderLayerArgs layer;
  float* gradient;                                          // (B, L, D): the output's, which becomes the input's
  EncoderParameters gradients;                              // added to
  float *gradBias, *gradRelativeKeys, *gradRelativeValues;  // of attention's options, as in AttentionGradArgs
};

/// The gradients of transformerEncoderLayer, from what it kept.
void transformerEncoderLayerBackward(const TransformerEncoderLayerGradArgs& args, float* scratch);
int64_t transformerEncoderLayerBackwardScratch(const TransformerEncoderLayerGradArgs& args);

/// out[i] = table[ids[i]].
/// ids    (count), rows of the table.
/// table  (rows, dim).
/// out    (count, dim).
void embedding(const int32_t* ids, const float* table, float* out, int count, int dim);

/// The gradient of embedding: grad_table[ids[i]] += grad_out[i].
void embeddingBackward(const float* grad_out, const int32_t* ids, float* grad_table, int count, int dim);

/// The mean of -log softmax(logits[i])[targets[i]] over the rows whose target is not negative, and its gradient, zeros
/// in the other rows. The mean of no row is NaN.
/// logits, grad_logits  (rows, classes); may be the same buffer.
/// targets              (rows), below classes.
double softmaxCrossEntropy(const float* logits, const int32_t* targets, float* grad_logits, int rows, int classes);

/// One step of Adam, gradients with the L2 penalty weight_decay * parameter added (torch.optim.Adam's, not AdamW's):
/// mean and square are moving averages of the gradient and its square, and parameter -= step_size * mean /
/// (sqrt(square) / root_correction + eps). All (count); none alias.
/// step_size        lr / (1 - beta1^t).
/// root_correction  sqrt(1 - beta2^t).
/// Source: Kingma and Ba 2015.
void adam(float* parameter, const float* gradient, float* mean, float* square, int count, double beta1, double beta2,
          double step_size, double root_correction, double eps, double weight_decay);

/// The sum of x[i]^2, in float64: it does not overflow.
double sumOfSquares(const float* x, int count);

/// x *= factor.
void scaleInPlace(float* x, int count, double factor);

/// Doubles in the table that `sinusoidalFrequencies` makes.
int sinusoidalFrequenciesSize(int dim);

/// The frequencies base^(-2j/dim), j < ceil(dim/2), that the operations on positions take, in float64 and two parts
/// (positional/frequencies.h): base is finite and above 0, and no angle made with them may reach 2^31.
void sinusoidalFrequencies(double* out, int dim, double base);

/// What `sinusoidalEncoding` reads.
struct SinusoidalArgs {
  double offset;              // the first position; not used where `positions` are given
  const double* frequencies;  // made for `dim`
  const double* positions;    // (rows), in any order; they need not be whole. Null: offset, offset + 1, …
  float* out;                 // (rows, dim)
  int32_t rows, dim;
  int32_t concatenated;  // 0 or 1: sin w0, cos w0, sin w1, …, or all sines and then all cosines
};

/// Row by row the sine and cosine of position * frequency, within half an ulp of float32 + 1e-11. Odd widths have one sine
/// more than cosines. The scratch is of doubles.
/// Source: Vaswani et al. 2017, section 3.5.
void sinusoidalEncoding(const SinusoidalArgs& args, double* scratch);
int64_t sinusoidalEncodingScratch(const SinusoidalArgs& args);

/// The matrices [[cos, sin], [-sin, cos]] of delta * frequency that turn a position's pair (sin, cos) into that of
/// position + delta.
/// frequencies  made for `dim`, which is even.
/// out          (dim/2, 2, 2).
/// Source: d2l.ai, section "Self-Attention and Positional Encoding".
void encodingRotation(const double* frequencies, float* out, int dim, double delta);

/// Multiplies frequency j of a table made for `dim` by factors[j], j < ceil(dim / 2): how rotary embeddings are scaled
/// to longer contexts.
void scaleFrequencies(double* frequencies, const double* factors, int dim);

/// What `rotaryTable` reads.
struct RotaryTableArgs {
  double offset;              // the first position; not used where `positions` are given
  const double* frequencies;  // made for `dim`, which is even
  const double* positions;    // (rows), or null: offset, offset + 1, …
  float* out;                 // (rows, dim)
  int32_t rows, dim;
  float amplitude;
};

/// What `rotaryEmbedding` reads for each position: all sines of position * frequency, then all cosines, each times
/// `amplitude`. The scratch is of doubles.
void rotaryTable(const RotaryTableArgs& args, double* scratch);
int64_t rotaryTableScratch(const RotaryTableArgs& args);

/// The heads of one sequence: element e of row i of head h stands at h * headStride + i * rowStride + e.
struct RotarySizes {
  int32_t heads, rows, width;
  int32_t rotaryWidth;  // even; what lies behind passes through
  int32_t headStride, rowStride;
  bool interleaved;  // pairs (2j, 2j + 1), else (j, j + rotaryWidth / 2)
};

/// Turns pair (a, b) number j of every row i by that row's angle: (a cos - b sin, b cos + a sin).
/// x, out  by the strides of `sizes`; may be the same buffer.
/// table   (rows, rotaryWidth): a row's sines and then its cosines.
/// Source: Su et al. 2021, equation 34.
void rotaryEmbedding(const float* x, const float* table, float* out, const RotarySizes& sizes);

/// The transpose, which turns the other way: the gradient at x of sum(rotaryEmbedding(x) * grad_out).
void rotaryEmbeddingBackward(const float* grad_out, const float* table, float* grad_x, const RotarySizes& sizes);

/// out = dropout(x + table): element i of row r, counted through the batch, is zero where dropoutBits says so for `seed`,
/// the others are divided by 1 - dropout.
/// x, out  (batch, rows, dim); may be the same buffer.
/// table   (rows, dim), added to every batch; null adds nothing.
void addPositions(const float* x, const float* table, float* out, int batch, int rows, int dim, uint32_t seed,
                  float dropout);

/// The gradients of addPositions: grad_x is grad_out where dropout let the element pass, divided by 1 - dropout, and what
/// every sequence's row sends back is added to grad_table's.
/// grad_out, grad_x  (batch, rows, dim); may be the same buffer.
/// grad_table        (rows, dim), added to; null leaves it out.
void addPositionsBackward(const float* grad_out, float* grad_x, float* grad_table, int batch, int rows, int dim,
                          uint32_t seed, float dropout);

/// What `conv1d` reads.
struct Conv1dArgs {
  const float* x;       // (batch, inChannels, length)
  const float* weight;  // (outChannels, inChannels / groups, kernel)
  const float* bias;    // (outChannels), or null
  float* out;           // (batch, outChannels, conv1dLength(…)); aliases nothing
  int32_t batch, inChannels, outChannels, length, kernel, stride, padding, dilation, groups;
};

/// Cross-correlation along the last axis: out[b, o, t] = bias[o] + sum over i, k of weight[o, i, k] *
/// x[b, first(o) + i, t * stride + k * dilation - padding], where x is 0 outside; group g of the outputs reads group g of
/// the inputs.
/// scratch  null where conv1dScratch() is 0.
/// Source: torch.nn.functional.conv1d.
void conv1d(const Conv1dArgs& args, float* scratch);
int64_t conv1dScratch(const Conv1dArgs& args);

/// floor((length + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1.
int conv1dLength(int length, int kernel, int stride, int padding, int dilation);

/// What `rnn` reads.
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

}  // namespace wasm_attention
