// The Embind surface: one entry an operation, numbers only (addresses are numbers too).
#include <emscripten/bind.h>

#include "attention.h"

namespace {

template <typename T>
T* at(uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

void maskedSoftmax(uintptr_t x, uintptr_t valid, uintptr_t out, int rows, int cols) {
  wasm_attention::maskedSoftmax(at<const float>(x), at<const int32_t>(valid), at<float>(out), rows, cols);
}

using wasm_attention::AttentionArgs;
static_assert(sizeof(AttentionArgs) == 57 * 4, "web/lib/attentionArgs.ts lists these fields");

void scaledDotProductAttention(uintptr_t args) {
  wasm_attention::scaledDotProductAttention(*at<const AttentionArgs>(args));
}

int scaledDotProductAttentionScratch(uintptr_t args) {
  return static_cast<int>(wasm_attention::scaledDotProductAttentionScratch(*at<const AttentionArgs>(args)));
}

static_assert(sizeof(wasm_attention::AttentionGradArgs) == (57 + 7) * 4,
              "web/lib/ops/scaledDotProductAttentionBackward.ts lists these fields");

void scaledDotProductAttentionBackward(uintptr_t args) {
  wasm_attention::scaledDotProductAttentionBackward(*at<const wasm_attention::AttentionGradArgs>(args));
}

int scaledDotProductAttentionBackwardScratch(uintptr_t args) {
  return static_cast<int>(wasm_attention::scaledDotProductAttentionBackwardScratch(*at<const AttentionArgs>(args)));
}

using wasm_attention::AdditiveAttentionArgs;
static_assert(sizeof(AdditiveAttentionArgs) == 17 * 4, "web/lib/additive.ts lists these fields");
static_assert(sizeof(wasm_attention::AdditiveAttentionGradArgs) == (17 + 7) * 4,
              "web/lib/ops/additiveAttentionBackward.ts lists these fields");

void additiveAttention(uintptr_t args) { wasm_attention::additiveAttention(*at<const AdditiveAttentionArgs>(args)); }

int additiveAttentionScratch(uintptr_t args) {
  return static_cast<int>(wasm_attention::additiveAttentionScratch(*at<const AdditiveAttentionArgs>(args)));
}

void additiveAttentionBackward(uintptr_t args) {
  wasm_attention::additiveAttentionBackward(*at<const wasm_attention::AdditiveAttentionGradArgs>(args));
}

int additiveAttentionBackwardScratch(uintptr_t args) {
  return static_cast<int>(wasm_attention::additiveAttentionBackwardScratch(*at<const AdditiveAttentionArgs>(args)));
}

void sinusoidalFrequencies(uintptr_t out, int dim, double base) {
  wasm_attention::sinusoidalFrequencies(at<double>(out), dim, base);
}

void sinusoidalEncoding(uintptr_t frequencies, uintptr_t scratch, uintptr_t out, int rows, int dim, double offset,
                        bool concatenated) {
  wasm_attention::sinusoidalEncoding(at<const double>(frequencies), at<double>(scratch), at<float>(out), rows, dim,
                                     offset, concatenated);
}

void sinusoidalEncodingAt(uintptr_t frequencies, uintptr_t positions, uintptr_t out, int rows, int dim,
                          bool concatenated) {
  wasm_attention::sinusoidalEncodingAt(at<const double>(frequencies), at<const double>(positions), at<float>(out), rows,
                                       dim, concatenated);
}

void encodingRotation(uintptr_t frequencies, uintptr_t out, int dim, double delta) {
  wasm_attention::encodingRotation(at<const double>(frequencies), at<float>(out), dim, delta);
}

void scaleFrequencies(uintptr_t frequencies, uintptr_t factors, int dim) {
  wasm_attention::scaleFrequencies(at<double>(frequencies), at<const double>(factors), dim);
}

void rotaryTable(uintptr_t frequencies, uintptr_t positions, uintptr_t scratch, uintptr_t out, int rows, int dim,
                 double offset, float amplitude) {
  wasm_attention::rotaryTable(at<const double>(frequencies), at<const double>(positions), at<double>(scratch),
                              at<float>(out), rows, dim, offset, amplitude);
}

// One head behind the other.
wasm_attention::RotarySizes rotarySizes(int heads, int rows, int width, int rotary_width, bool interleaved) {
  return {heads, rows, width, rotary_width, rows * width, width, interleaved};
}

void rotaryEmbedding(uintptr_t x, uintptr_t table, uintptr_t out, int heads, int rows, int width, int rotary_width,
                     bool interleaved) {
  wasm_attention::rotaryEmbedding(at<const float>(x), at<const float>(table), at<float>(out),
                                  rotarySizes(heads, rows, width, rotary_width, interleaved));
}

void rotaryEmbeddingBackward(uintptr_t grad_out, uintptr_t table, uintptr_t grad_x, int heads, int rows, int width,
                             int rotary_width, bool interleaved) {
  wasm_attention::rotaryEmbeddingBackward(at<const float>(grad_out), at<const float>(table), at<float>(grad_x),
                                          rotarySizes(heads, rows, width, rotary_width, interleaved));
}

void addPositions(uintptr_t x, uintptr_t table, uintptr_t out, int batch, int rows, int dim, uint32_t seed,
                  float dropout) {
  wasm_attention::addPositions(at<const float>(x), at<const float>(table), at<float>(out), batch, rows, dim, seed,
                               dropout);
}

void addPositionsBackward(uintptr_t grad_out, uintptr_t grad_x, uintptr_t grad_table, int batch, int rows, int dim,
                          uint32_t seed, float dropout) {
  wasm_attention::addPositionsBackward(at<const float>(grad_out), at<float>(grad_x), at<float>(grad_table), batch, rows,
                                       dim, seed, dropout);
}

void conv1d(uintptr_t x, uintptr_t weight, uintptr_t bias, uintptr_t scratch, uintptr_t out, int batch, int in_channels,
            int out_channels, int length, int kernel, int stride, int padding, int dilation, int groups) {
  wasm_attention::conv1d(at<const float>(x), at<const float>(weight), at<const float>(bias), at<float>(scratch),
                         at<float>(out), batch, in_channels, out_channels, length, kernel, stride, padding, dilation,
                         groups);
}

int conv1dScratch(int in_channels, int out_channels, int length, int kernel, int groups) {
  return static_cast<int>(wasm_attention::conv1dScratch(in_channels, out_channels, length, kernel, groups));
}

void rnn(uintptr_t x, uintptr_t weight_ih, uintptr_t weight_hh, uintptr_t bias_ih, uintptr_t bias_hh, uintptr_t initial,
         uintptr_t scratch, uintptr_t out, int batch, int length, int in_width, int width, bool relu) {
  wasm_attention::rnn(at<const float>(x), at<const float>(weight_ih), at<const float>(weight_hh),
                      at<const float>(bias_ih), at<const float>(bias_hh), at<const float>(initial), at<float>(scratch),
                      at<float>(out), batch, length, in_width, width, relu);
}

int rnnScratch(int batch, int in_width, int width) {
  return static_cast<int>(wasm_attention::rnnScratch(batch, in_width, width));
}

void packWeight(uintptr_t weight, uintptr_t packed, int inputs, int outputs) {
  wasm_attention::packWeight(at<const float>(weight), at<float>(packed), inputs, outputs);
}

int packWeightSize(int inputs, int outputs) {
  return static_cast<int>(wasm_attention::packWeightSize(inputs, outputs));
}

static_assert(sizeof(wasm_attention::Projection) == 7 * 4, "web/lib/layers/multiHeadAttention.ts lists these fields");
static_assert(sizeof(wasm_attention::Rotation) == 5 * 4, "web/lib/layers/rotaryPositions.ts lists these fields");

void multiHeadAttention(uintptr_t args) {
  wasm_attention::multiHeadAttention(*at<const wasm_attention::MultiHeadAttentionArgs>(args));
}

void rotateHeadsBackward(uintptr_t gradient, uintptr_t table, int table_batch, int batch, int tokens, int heads,
                         int width, int rotary_width, bool interleaved) {
  wasm_attention::rotateHeadsBackward(at<float>(gradient), at<const float>(table), table_batch, batch, tokens, heads,
                                      width, rotary_width, interleaved);
}

void linear(uintptr_t x, uintptr_t packed, uintptr_t bias, uintptr_t out, int rows, int inputs, int outputs) {
  wasm_attention::linear(at<const float>(x), at<const float>(packed), at<const float>(bias), at<float>(out), rows,
                         inputs, outputs);
}

void linearBackward(uintptr_t grad_out, uintptr_t x, uintptr_t weight, uintptr_t scratch, uintptr_t grad_x,
                    uintptr_t grad_weight, uintptr_t grad_bias, int rows, int inputs, int outputs) {
  wasm_attention::linearBackward(at<const float>(grad_out), at<const float>(x), at<const float>(weight),
                                 at<float>(scratch), at<float>(grad_x), at<float>(grad_weight), at<float>(grad_bias),
                                 rows, inputs, outputs);
}

int linearBackwardScratch(int rows, int inputs, int outputs) {
  return static_cast<int>(wasm_attention::linearBackwardScratch(rows, inputs, outputs));
}

using wasm_attention::Activation;

void feedForward(uintptr_t x, uintptr_t packed1, uintptr_t bias1, uintptr_t packed2, uintptr_t bias2, uintptr_t hidden,
                 uintptr_t scratch, uintptr_t out, int rows, int width, int hidden_width, int activation, uint32_t seed,
                 float dropout) {
  wasm_attention::feedForward(at<const float>(x), at<const float>(packed1), at<const float>(bias1),
                              at<const float>(packed2), at<const float>(bias2), at<float>(hidden), at<float>(scratch),
                              at<float>(out), rows, width, hidden_width, static_cast<Activation>(activation), seed,
                              dropout);
}

int feedForwardScratch(int rows, int hidden_width) {
  return static_cast<int>(wasm_attention::feedForwardScratch(rows, hidden_width));
}

void feedForwardBackward(uintptr_t grad_out, uintptr_t x, uintptr_t hidden, uintptr_t weight1, uintptr_t weight2,
                         uintptr_t scratch, uintptr_t grad_x, uintptr_t grad_weight1, uintptr_t grad_bias1,
                         uintptr_t grad_weight2, uintptr_t grad_bias2, int rows, int width, int hidden_width,
                         int activation, uint32_t seed, float dropout) {
  wasm_attention::feedForwardBackward(at<const float>(grad_out), at<const float>(x), at<const float>(hidden),
                                      at<const float>(weight1), at<const float>(weight2), at<float>(scratch),
                                      at<float>(grad_x), at<float>(grad_weight1), at<float>(grad_bias1),
                                      at<float>(grad_weight2), at<float>(grad_bias2), rows, width, hidden_width,
                                      static_cast<Activation>(activation), seed, dropout);
}

int feedForwardBackwardScratch(int rows, int width, int hidden_width) {
  return static_cast<int>(wasm_attention::feedForwardBackwardScratch(rows, width, hidden_width));
}

void layerNorm(uintptr_t x, uintptr_t weight, uintptr_t bias, uintptr_t out, int rows, int dim, float eps) {
  wasm_attention::layerNorm(at<const float>(x), at<const float>(weight), at<const float>(bias), at<float>(out), rows,
                            dim, eps);
}

void layerNormBackward(uintptr_t grad_out, uintptr_t x, uintptr_t weight, uintptr_t grad_x, uintptr_t grad_weight,
                       uintptr_t grad_bias, int rows, int dim, float eps) {
  wasm_attention::layerNormBackward(at<const float>(grad_out), at<const float>(x), at<const float>(weight),
                                    at<float>(grad_x), at<float>(grad_weight), at<float>(grad_bias), rows, dim, eps);
}

using wasm_attention::TransformerEncoderLayerArgs;
static_assert(sizeof(TransformerEncoderLayerArgs) == (57 + 5 + 12 + 10) * 4,
              "web/lib/layers/encoderPass.ts lists these fields");
static_assert(sizeof(wasm_attention::TransformerEncoderLayerGradArgs) == sizeof(TransformerEncoderLayerArgs) + 16 * 4,
              "web/lib/layers/encoderPass.ts lists these fields");

void transformerEncoderLayer(uintptr_t args) {
  wasm_attention::transformerEncoderLayer(*at<const TransformerEncoderLayerArgs>(args));
}

int transformerEncoderLayerScratch(uintptr_t args) {
  return static_cast<int>(wasm_attention::transformerEncoderLayerScratch(*at<const TransformerEncoderLayerArgs>(args)));
}

int transformerEncoderLayerKept(uintptr_t args) {
  return static_cast<int>(wasm_attention::transformerEncoderLayerKept(*at<const TransformerEncoderLayerArgs>(args)));
}

void transformerEncoderLayerBackward(uintptr_t args) {
  wasm_attention::transformerEncoderLayerBackward(*at<const wasm_attention::TransformerEncoderLayerGradArgs>(args));
}

int transformerEncoderLayerBackwardScratch(uintptr_t args) {
  return static_cast<int>(
      wasm_attention::transformerEncoderLayerBackwardScratch(*at<const TransformerEncoderLayerArgs>(args)));
}

void embedding(uintptr_t ids, uintptr_t table, uintptr_t out, int count, int dim) {
  wasm_attention::embedding(at<const int32_t>(ids), at<const float>(table), at<float>(out), count, dim);
}

void embeddingBackward(uintptr_t grad_out, uintptr_t ids, uintptr_t grad_table, int count, int dim) {
  wasm_attention::embeddingBackward(at<const float>(grad_out), at<const int32_t>(ids), at<float>(grad_table), count,
                                    dim);
}

double softmaxCrossEntropy(uintptr_t logits, uintptr_t targets, uintptr_t grad_logits, int rows, int classes) {
  return wasm_attention::softmaxCrossEntropy(at<const float>(logits), at<const int32_t>(targets),
                                             at<float>(grad_logits), rows, classes);
}

void adam(uintptr_t parameter, uintptr_t gradient, uintptr_t mean, uintptr_t square, int count, double beta1,
          double beta2, double step_size, double root_correction, double eps, double weight_decay) {
  wasm_attention::adam(at<float>(parameter), at<const float>(gradient), at<float>(mean), at<float>(square), count,
                       beta1, beta2, step_size, root_correction, eps, weight_decay);
}

double sumOfSquares(uintptr_t x, int count) { return wasm_attention::sumOfSquares(at<const float>(x), count); }

void scaleInPlace(uintptr_t x, int count, double factor) { wasm_attention::scaleInPlace(at<float>(x), count, factor); }

}  // namespace

EMSCRIPTEN_BINDINGS(wasm_attention) {
  emscripten::function("maskedSoftmax", &maskedSoftmax);
  emscripten::function("scaledDotProductAttention", &scaledDotProductAttention);
  emscripten::function("scaledDotProductAttentionScratch", &scaledDotProductAttentionScratch);
  emscripten::function("scaledDotProductAttentionBackward", &scaledDotProductAttentionBackward);
  emscripten::function("scaledDotProductAttentionBackwardScratch", &scaledDotProductAttentionBackwardScratch);
  emscripten::function("additiveAttention", &additiveAttention);
  emscripten::function("additiveAttentionScratch", &additiveAttentionScratch);
  emscripten::function("additiveAttentionBackward", &additiveAttentionBackward);
  emscripten::function("additiveAttentionBackwardScratch", &additiveAttentionBackwardScratch);
  emscripten::function("packWeight", &packWeight);
  emscripten::function("packWeightSize", &packWeightSize);
  emscripten::function("multiHeadAttention", &multiHeadAttention);
  emscripten::function("rotateHeadsBackward", &rotateHeadsBackward);
  emscripten::function("sinusoidalFrequenciesSize", &wasm_attention::sinusoidalFrequenciesSize);
  emscripten::function("sinusoidalFrequencies", &sinusoidalFrequencies);
  emscripten::function("sinusoidalEncodingScratch", &wasm_attention::sinusoidalEncodingScratch);
  emscripten::function("sinusoidalEncoding", &sinusoidalEncoding);
  emscripten::function("sinusoidalEncodingAt", &sinusoidalEncodingAt);
  emscripten::function("encodingRotation", &encodingRotation);
  emscripten::function("scaleFrequencies", &scaleFrequencies);
  emscripten::function("rotaryTable", &rotaryTable);
  emscripten::function("rotaryEmbedding", &rotaryEmbedding);
  emscripten::function("rotaryEmbeddingBackward", &rotaryEmbeddingBackward);
  emscripten::function("addPositions", &addPositions);
  emscripten::function("addPositionsBackward", &addPositionsBackward);
  emscripten::function("conv1dLength", &wasm_attention::conv1dLength);
  emscripten::function("conv1d", &conv1d);
  emscripten::function("conv1dScratch", &conv1dScratch);
  emscripten::function("rnn", &rnn);
  emscripten::function("rnnScratch", &rnnScratch);
  emscripten::function("linear", &linear);
  emscripten::function("linearBackward", &linearBackward);
  emscripten::function("linearBackwardScratch", &linearBackwardScratch);
  emscripten::function("feedForward", &feedForward);
  emscripten::function("feedForwardScratch", &feedForwardScratch);
  emscripten::function("feedForwardBackward", &feedForwardBackward);
  emscripten::function("feedForwardBackwardScratch", &feedForwardBackwardScratch);
  emscripten::function("layerNorm", &layerNorm);
  emscripten::function("layerNormBackward", &layerNormBackward);
  emscripten::function("transformerEncoderLayer", &transformerEncoderLayer);
  emscripten::function("transformerEncoderLayerScratch", &transformerEncoderLayerScratch);
  emscripten::function("transformerEncoderLayerKept", &transformerEncoderLayerKept);
  emscripten::function("transformerEncoderLayerBackward", &transformerEncoderLayerBackward);
  emscripten::function("transformerEncoderLayerBackwardScratch", &transformerEncoderLayerBackwardScratch);
  emscripten::function("embedding", &embedding);
  emscripten::function("embeddingBackward", &embeddingBackward);
  emscripten::function("softmaxCrossEntropy", &softmaxCrossEntropy);
  emscripten::function("adam", &adam);
  emscripten::function("sumOfSquares", &sumOfSquares);
  emscripten::function("scaleInPlace", &scaleInPlace);
}
