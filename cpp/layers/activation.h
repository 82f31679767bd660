// The activation of a feed-forward network.
#pragma once

#include "attention.h"

namespace wasm_attention {

/// The least cost of an element's activation, in multiplications.
constexpr double kActivationWork = 16;

/// values = f(x), gradient *= f'(x).
/// x, values, gradient  (count); values may be x's buffer. gradient may be null.
void activate(const float* x, float* values, float* gradient, size_t count, Activation activation);

}  // namespace wasm_attention
