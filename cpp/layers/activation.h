// The functions between a feed-forward network's two linear maps.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// values = f(x), gradient *= f'(x).
/// x, values, gradient  (count); values may be x's buffer. gradient may be null.
void activate(const float* x, float* values, float* gradient, size_t count, Activation activation);

}  // namespace wasm_attention
