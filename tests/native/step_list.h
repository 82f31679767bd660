// A list of steps, for tests.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "attention.h"

namespace wasm_attention {

class StepList {
 public:
  template <typename Args>
  StepList& append(StepAction action, const Args& arguments) {
    const size_t at = words_.size(), words = 1 + (sizeof(Args) + sizeof(double) - 1) / sizeof(double);
    words_.resize(at + words);
    const Step step{action, static_cast<int32_t>(words * sizeof(double))};
    static_assert(sizeof step == sizeof(double));
    std::memcpy(&words_[at], &step, sizeof step);
    std::memcpy(&words_[at + 1], &arguments, sizeof arguments);
    return *this;
  }

  RunStepsArgs args(int past) const {
    return {reinterpret_cast<const Step*>(words_.data()), static_cast<int32_t>(words_.size() * sizeof(double)), past};
  }

  /// Runs the steps, in working memory of exactly the stated size, filled with NaN.
  void run(int past = 0) const {
    std::vector<float> scratch(runStepsScratch(args(past)), NAN);
    runSteps(args(past), scratch.data());
  }

 private:
  std::vector<double> words_;
};

}  // namespace wasm_attention
