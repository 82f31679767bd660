// Attention of one query for each head, as in a decoder's steps.
#pragma once

#include <cstdint>

#include "attention.h"

namespace wasm_attention {

/// Whether attendOne can compute this: one query, and no options except a window, a mask and `weights`.
bool isOneQuery(const AttentionArgs& args);

/// Whether keys and values are float32, so that they can be read where they are.
bool isFloat32(const AttentionArgs& args);

/// scaledDotProductAttention. scratch: attendOneScratch(args) floats
void attendOne(const AttentionArgs& args, float* scratch);
int64_t attendOneScratch(const AttentionArgs& args);

}  // namespace wasm_attention
