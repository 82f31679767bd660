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

void conv1d(uintptr_t x, uintptr_t weight, uintptr_t bias, uintptr_t out, int batch, int in_channels, int out_channels,
            int length, int kernel, int stride, int padding, int dilation, int groups) {
  wasm_attention::conv1d(at<const float>(x), at<const float>(weight), at<const float>(bias), at<float>(out), batch,
                         in_channels, out_channels, length, kernel, stride, padding, dilation, groups);
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

}  // namespace

EMSCRIPTEN_BINDINGS(wasm_attention) {
  emscripten::function("maskedSoftmax", &maskedSoftmax);
  emscripten::function("scaledDotProductAttention", &scaledDotProductAttention);
  emscripten::function("scaledDotProductAttentionScratch", &scaledDotProductAttentionScratch);
  emscripten::function("scaledDotProductAttentionBackward", &scaledDotProductAttentionBackward);
  emscripten::function("scaledDotProductAttentionBackwardScratch", &scaledDotProductAttentionBackwardScratch);
  emscripten::function("packWeight", &packWeight);
  emscripten::function("packWeightSize", &packWeightSize);
  emscripten::function("multiHeadAttention", &multiHeadAttention);
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
  emscripten::function("rnn", &rnn);
  emscripten::function("rnnScratch", &rnnScratch);
}
