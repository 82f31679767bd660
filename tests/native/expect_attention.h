#pragma once

#include "attention_problem.h"

namespace wasm_attention {

/// Holds what the last run left in the buffers against the oracle. NaN agrees with NaN only, infinity with infinity.
void expectAgreement(const AttentionProblem& problem);

}  // namespace wasm_attention
