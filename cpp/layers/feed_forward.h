// A feed-forward network over part of a matrix. Dropout depends on a row's number; the first row has number `first`.
#pragma once

#include <cstdint>

#include "attention.h"

namespace wasm_attention {

/// feedForward of rows [first, first + args.rows); x, hidden and out begin with them.
void feedForwardRows(const FeedForwardArgs& args, int first, float* scratch);

/// The second of feedForward's three steps alone: out (rows, hiddenWidth) = f(hidden), or f(gate) * value. Without
/// gates `out` may be `hidden`.
void activateHidden(const FeedForwardArgs& args);

/// feedForwardBackward of rows [first, first + args.rows); gradOut, x, hidden and gradX begin with them.
/// packed1, packed2  the weights packed by packMatrix, instead of those in `args`.
/// scratch  feedForwardRowsBackwardScratch(…) floats.
void feedForwardRowsBackward(const FeedForwardGradArgs& args, const float* packed1, const float* packed2, int first,
                             float* scratch);
int64_t feedForwardRowsBackwardScratch(int rows, int width, int hidden_width, bool gated);

}  // namespace wasm_attention
