// The activation between the two linear maps of a feed-forward network.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// values = f(x), gradient *= f'(x).
/// x, values, gradient  (count); values may be x's buffer. gradient may be null.
void activate(const float* x, float* values, float* gradient, size_t count, Activation activation);

}  // namespace wasm_attention
