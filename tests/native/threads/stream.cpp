#include "threads/stream.h"

#include <algorithm>
#include <atomic>

#include "kernels/stream.h"

namespace wasm_attention {
namespace {

std::atomic<TestStream*> flowing{nullptr};

}  // namespace

TestStream::TestStream(std::vector<Input> inputs, const float* output, size_t count)
    : inputs_(std::move(inputs)), output_(output), count_(count), caller_(std::this_thread::get_id()) {
  flowing = this;
}

TestStream::~TestStream() { flowing = nullptr; }

int TestStream::copyInputs(int first, int end, int total) {
  if (std::this_thread::get_id() != caller_) return 0;
  for (const Input& input : inputs_) {
    const size_t row = input.from.size() / total;
    std::copy(input.from.begin() + first * row, input.from.begin() + end * row, input.to + first * row);
  }
  // Gives the other threads time to get ahead.
  std::this_thread::yield();
  return 1;
}

void TestStream::copyOutput(int end, int total) {
  taken_.insert(taken_.end(), output_ + taken_.size(), output_ + count_ / total * end);
}

}  // namespace wasm_attention

int copy_inputs(int first, int end, int total) {
  wasm_attention::TestStream* const stream = wasm_attention::flowing;
  return stream ? stream->copyInputs(first, end, total) : 0;
}

void copy_output(int end, int total) {
  wasm_attention::TestStream* const stream = wasm_attention::flowing;
  stream->copyOutput(end, total);
}
