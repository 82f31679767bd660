// Stands in for the JavaScript side of cpp/kernels/stream.h, which copies arrays in and out while a loop runs.
#pragma once

#include <thread>
#include <vector>

namespace wasm_attention {

/// While this object exists, kernels that this thread calls get their inputs only on request.
class TestStream {
 public:
  struct Input {
    float* to;
    const std::vector<float>& from;
  };
  TestStream(std::vector<Input> inputs, const float* output, size_t count);
  ~TestStream();
  TestStream(const TestStream&) = delete;

  int copyInputs(int first, int end, int total);
  void copyOutput(int end, int total);

  /// The part of the output that was copied out.
  const std::vector<float>& taken() const { return taken_; }

 private:
  const std::vector<Input> inputs_;
  const float* const output_;
  const size_t count_;
  const std::thread::id caller_;
  std::vector<float> taken_;
};

}  // namespace wasm_attention
