// Copies the caller's arrays into the module's memory and out of it, part by part, while other threads compute. Only
// the calling thread can do that, because JavaScript's arrays belong to it.
//
// Versions tried on two threads (ms of attention (1, 8, 128, 64); Sapphire Rapids, Node 20):
//   copies before and after the call     0.95
//   copies while threads compute         0.83   <- this
// Today: npm run bench -- --scaling --work attention-128
#pragma once

#include "kernels/parallel.h"

#ifdef WASM_ATTENTION_THREADS
#include <algorithm>

// Implemented in web/lib/runtime/streamingMemory.ts.
extern "C" {
/// Copies in the inputs of rows [first, end) of `total`; returns 0 if there is nothing to copy, now or later.
int copy_inputs(int first, int end, int total);
/// Copies out the results of rows before `end` that have not been copied yet.
void copy_output(int end, int total);
}
#endif

namespace wasm_attention {

/// Copies the rows of a call's inputs and results in parts. The kernel decides what a row is.
class Stream {
#ifdef WASM_ATTENTION_THREADS
 public:
  /// step  rows in a part
  Stream(int rows, int step) : rows_(rows), step_(step), flows_(rows > 0 && copy_inputs(0, 0, rows) != 0) {}

  /// Copies all inputs in, part by part. Only the caller may call it.
  void copyInputs() {
    for (int row = 0; flows_ && row < rows_; row += step_) {
      copy_inputs(row, std::min(row + step_, rows_), rows_);
      arrived_.advance();
    }
  }

  /// Waits until a row has been copied in.
  void await(int row, int thread) const {
    if (flows_) arrived_.await(row / step_ + 1, thread);
  }

  /// On the caller, copies out the next parts as long as done(first, end) says that rows [first, end) are computed.
  template <typename Done>
  void copyOutput(int thread, const Done& done) {
    if (!flows_ || thread != 0) return;
    for (; taken_ < rows_ && done(taken_, std::min(taken_ + step_, rows_)); taken_ += step_) {
      copy_output(std::min(taken_ + step_, rows_), rows_);
    }
  }

 private:
  const int rows_, step_;
  const bool flows_;
  int taken_ = 0;
  Progress arrived_;
#else
 public:
  Stream(int, int) {}
  void copyInputs() {}
  void await(int, int) const {}
#endif
};

/// parallelFor(count, work, f) with copying: the caller first copies the inputs in, while the other threads begin.
/// After each of its indices it copies out the results for which done(first, end) is true. f must await its rows. The
/// stream may be null.
template <typename F, typename Done>
void streamedFor(Stream* stream, int count, double work, const F& f, const Done& done) {
#ifdef WASM_ATTENTION_THREADS
  parallelFrom(stream ? -1 : 0, count, work, [&](int i, int thread) {
    if (i < 0) return stream->copyInputs();
    f(i, thread);
    // After f, not before, because other threads may be waiting for this index.
    if (stream) stream->copyOutput(thread, done);
  });
#else
  static_cast<void>(stream);
  static_cast<void>(done);
  parallelFor(count, work, f);
#endif
}

}  // namespace wasm_attention
