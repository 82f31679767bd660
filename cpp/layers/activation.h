// The functions between a feed-forward network's two linear maps.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// out = f(x). x, out  (count); may be the same buffer.
void activate(const float* x, float* out, size_t count, Activation activation);

/// gradient *= f'(x).
void activateBackward(const float* x, float* gradient, size_t count, Activation activation);

}  // namespace wasm_attention
