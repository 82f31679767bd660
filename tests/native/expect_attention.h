#pragma once

#include "attention_problem.h"

namespace wasm_attention {

/// Expects the last run's results to agree with the oracle. NaN agrees only with NaN, infinity only with infinity.
void expectAgreement(const AttentionProblem& problem);

}  // namespace wasm_attention
