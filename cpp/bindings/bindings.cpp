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

}  // namespace

EMSCRIPTEN_BINDINGS(wasm_attention) {
  emscripten::function("maskedSoftmax", &maskedSoftmax);
  emscripten::function("scaledDotProductAttention", &scaledDotProductAttention);
  emscripten::function("scaledDotProductAttentionScratch", &scaledDotProductAttentionScratch);
}
