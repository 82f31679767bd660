// A decoder's pass over some tokens behind a cache: rows of a tied embedding that is packed in parts, an addition, the
// logits, and attention to the cache.
#include <gtest/gtest.h>

#include "attention.h"
#include "expect_attention.h"
#include "fuzz.h"

using namespace wasm_attention;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const int past = draw.integer(0, 80), tokens = draw.integer(1, draw.flag() ? 1 : 40);
  const int width = draw.integer(1, 40), vocab = draw.integer(1, 60), part = 8 * draw.integer(1, 4);
  const int kv_heads = draw.integer(1, 3), heads = kv_heads * draw.integer(1, 3), head_width = draw.integer(1, 40);

  const std::vector<float> table = draw.floats(size_t(vocab) * width), y = draw.floats(size_t(tokens) * width);
  std::vector<float> packed(packWeightSize(width, vocab), NAN);
  for (int first = 0; first < vocab; first += part) {
    const int count = std::min(part, vocab - first);
    const auto from = table.begin() + ptrdiff_t{first} * width;
    const std::vector<float> rows(from, from + ptrdiff_t{count} * width);
    packWeightRows(rows.data(), packed.data(), width, vocab, first, count, WeightType::kFloat32);
  }
  std::vector<int32_t> ids(tokens);
  for (int32_t& id : ids) id = draw.integer(0, vocab - 1);
  std::vector<float> x(size_t(tokens) * width, NAN), logits(size_t(tokens) * vocab, NAN);

  AttentionChoices choices;
  choices.weights = draw.flag();
  AttentionProblem problem({1, heads, kv_heads, tokens, past + tokens, head_width, head_width}, choices,
                           static_cast<unsigned>(draw.integer(0, 65535)));
  AttentionArgs attention = problem.args();
  attention.keys = 0;
  const std::vector<float> keys = problem.key;
  std::vector<float> appended;
  for (int t = past; t < past + tokens; ++t) {
    for (int h = 0; h < kv_heads; ++h) {
      float* row = problem.key.data() + (size_t(h) * (past + tokens) + t) * head_width;
      appended.insert(appended.end(), row, row + head_width);
      std::fill(row, row + head_width, NAN);
    }
  }

  Step steps[5]{};
  steps[0].action = StepAction::kGather;
  steps[0].x = reinterpret_cast<const float*>(ids.data());
  steps[0].weight = packed.data();
  steps[0].option = vocab;
  steps[0].out = x.data();
  steps[1].action = StepAction::kAdd;
  steps[1].x = x.data();
  steps[1].y = y.data();
  steps[1].out = x.data();
  steps[2].action = StepAction::kLinear;
  steps[2].x = x.data();
  steps[2].weight = packed.data();
  steps[2].out = logits.data();
  steps[2].outputs = vocab;
  for (Step& step : steps) {
    step.rows = tokens;
    step.inputs = width;
  }
  steps[3].action = StepAction::kAppend;
  steps[3].x = appended.data();
  steps[3].out = problem.key.data();
  steps[3].inputs = head_width;
  steps[3].outputs = kv_heads;
  steps[3].batch = 1;
  steps[3].stride = past + tokens;
  steps[4].action = StepAction::kAttend;
  steps[4].args = &attention;
  RunStepsArgs args{};
  args.steps = steps;
  args.count = 5;
  args.past = past;
  std::vector<float> scratch(runStepsScratch(args), NAN);
  runSteps(args, scratch.data());

  for (int t = 0; t < tokens; ++t) {
    for (int i = 0; i < width; ++i) {
      const size_t at = size_t(t) * width + i;
      expectNear(x[at], table[size_t(ids[t]) * width + i] + y[at], 0, "x", at);
    }
    for (int v = 0; v < vocab; ++v) {
      Sum sum;
      for (int i = 0; i < width; ++i) sum.add(double{x[size_t(t) * width + i]} * table[size_t(v) * width + i]);
      expectNear(logits[size_t(t) * vocab + v], sum.value, sum.tolerance(), "logit", size_t(t) * vocab + v);
    }
  }
  for (size_t i = 0; i < keys.size(); ++i) expectNear(problem.key[i], keys[i], 0, "key", i);
  expectAgreement(problem);
  // Abort on a difference, as in attention_fuzz.cpp.
  if (testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) std::abort();
  return 0;
}
