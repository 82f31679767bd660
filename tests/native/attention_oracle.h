// Attention as its formula says, in float64, key by key: what the kernels are held against.
#pragma once

#include <vector>

#include "attention.h"

namespace wasm_attention {

/// Results, contiguous and in the order of `AttentionArgs`, and how far float32 may be from each.
struct ExpectedAttention {
  std::vector<double> output, outputTolerance;
  std::vector<double> weights, weightsTolerance;
  std::vector<double> scores, scoresTolerance;  // of args.scoresStage
  std::vector<double> logSumExp, logSumExpTolerance;
};

/// Reads the inputs that `args` names, and writes nothing to its outputs.
ExpectedAttention attentionOracle(const AttentionArgs& args);

/// Whether query i of head h in batch b may attend to key j.
bool attentionSees(const AttentionArgs& args, int b, int h, int i, int j);

}  // namespace wasm_attention
