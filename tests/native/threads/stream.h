// What JavaScript does for cpp/kernels/stream.h: a caller's arrays, copied in and out while a loop runs.
#pragma once

#include <thread>
#include <vector>

namespace wasm_attention {

/// While it lives, kernels that this thread calls find their inputs only when they ask for them.
class TestStream {
 public:
  struct Input {
    float* to;
    const std::vector<float>& from;
  };
  TestStream(std::vector<Input> inputs, const float* output, size_t count);
  ~TestStream();
  TestStream(const TestStream&) = delete;

  int bringIn(int first, int end, int total);
  void takeOut(int end, int total);

  /// The output as far as it was taken.
  const std::vector<float>& taken() const { return taken_; }

 private:
  const std::vector<Input> inputs_;
  const float* const output_;
  const size_t count_;
  const std::thread::id caller_;
  std::vector<float> taken_;
};

}  // namespace wasm_attention
