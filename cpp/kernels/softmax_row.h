// The steps of a softmax over a row.
#pragma once

namespace wasm_attention {

/// The largest of n floats, or -infinity if there are none. Skips NaN, which then shows in the exponentials.
float largest(const float* x, int n);

/// out = e^(x - base), which may be in place; returns the sum.
float exponentials(const float* x, float base, float* out, int n);

/// x *= factor.
void scaleRow(float* x, int n, float factor);

}  // namespace wasm_attention
