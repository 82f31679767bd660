// Attention by its formula, in float64, key by key.
#pragma once

#include <vector>

#include "attention.h"

namespace wasm_attention {

/// Contiguous results, and the allowed errors of float32 results.
struct ExpectedAttention {
  std::vector<double> output, outputTolerance;
  std::vector<double> weights, weightsTolerance;
  std::vector<double> scores, scoresTolerance;  // of args.scoresStage
  std::vector<double> logSumExp, logSumExpTolerance;
};

/// Reads the inputs in `args` and does not write to its outputs.
ExpectedAttention attentionOracle(const AttentionArgs& args);

/// Whether query i of head h in batch b may attend to key j.
bool attentionSees(const AttentionArgs& args, int b, int h, int i, int j);

}  // namespace wasm_attention
