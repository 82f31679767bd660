#include "expect_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attention_oracle.h"

namespace wasm_attention {
namespace {

bool agrees(float got, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  return got == expected || std::abs(got - expected) <= tolerance;
}

/// Reports the first wrong element, and how many are wrong.
void expectAll(const char* name, const std::vector<float>& got, const std::vector<double>& expected,
               const std::vector<double>& tolerance) {
  ASSERT_EQ(got.size(), expected.size()) << name;
  size_t wrong = 0, first = 0;
  for (size_t i = got.size(); i-- > 0;) {
    if (agrees(got[i], expected[i], tolerance[i])) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return;
  ADD_FAILURE() << wrong << " of " << got.size() << " " << name << " are wrong; the first, at " << first << ", is "
                << got[first] << " instead of " << expected[first] << " ± " << tolerance[first];
}

}  // namespace

void expectAgreement(const AttentionProblem& problem) {
  const AttentionArgs& a = problem.args();
  const ExpectedAttention expected = attentionOracle(a);
  std::vector<float> output;
  output.reserve(expected.output.size());
  for (int b = 0; b < a.batch; ++b) {
    for (int h = 0; h < a.heads; ++h) {
      for (int i = 0; i < a.queries; ++i) {
        for (int e = 0; e < a.valueWidth; ++e) output.push_back(problem.outputAt(b, h, i, e));
      }
    }
  }
  expectAll("outputs", output, expected.output, expected.outputTolerance);
  if (a.weights) expectAll("weights", problem.weights, expected.weights, expected.weightsTolerance);
  if (a.scores) expectAll("scores", problem.scores, expected.scores, expected.scoresTolerance);
  if (a.logSumExp) expectAll("logSumExp", problem.logSumExp, expected.logSumExp, expected.logSumExpTolerance);
}

}  // namespace wasm_attention
