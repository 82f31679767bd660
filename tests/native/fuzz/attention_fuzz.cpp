// Attention with any options compared with the float64 oracle.
#include <gtest/gtest.h>

#include "attention_draw.h"
#include "expect_attention.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const AttentionSizes sizes = drawSizes(draw);
  const AttentionChoices choices = drawChoices(draw);
  AttentionProblem problem(sizes, choices, static_cast<unsigned>(draw.integer(0, 65535)));
  problem.run();
  expectAgreement(problem);
  // Abort on a difference, so that the fuzzer keeps the input. It does not notice GoogleTest's break on failure.
  if (testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) std::abort();
  return 0;
}
