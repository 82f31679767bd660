// The functions between a feed-forward network's two linear maps.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// values = f(x), slopes = f'(x).
/// x, values, slopes  (count); values may be x's buffer. slopes may be null.
void activate(const float* x, float* values, float* slopes, size_t count, Activation activation);

}  // namespace wasm_attention
