// A caller's arrays on their way into the module's memory and out of it, while other threads are at work on what has arrived.
//
// The caller alone reaches its arrays. For (1, 8, 128, 64) on two threads copying them first and last took 0.38 ms of 1.0.
#pragma once

#ifdef WASM_ATTENTION_THREADS
#include <algorithm>

#include "kernels/parallel.h"

// web/lib/streamingMemory.ts.
extern "C" {
/// Copies in what belongs to rows [first, end) of `total`; 0 where there is nothing to copy, now and later.
int bring_in(int first, int end, int total);
/// Copies out the results that belong to rows before `end`, but for those that were.
void take_out(int end, int total);
}
#endif

namespace wasm_attention {

/// Rows of a call's inputs and results, some at a time: parts of a loop that begins with index -1 (parallelFrom).
class Stream {
#ifdef WASM_ATTENTION_THREADS
 public:
  Stream(int rows, int step) : rows_(rows), step_(step), flows_(rows > 0 && bring_in(0, 0, rows) != 0) {}

  /// For index -1.
  void bringIn() {
    for (int row = 0; flows_ && row < rows_; row += step_) {
      bring_in(row, std::min(row + step_, rows_), rows_);
      arrived_.advance();
    }
  }

  /// Waits until a row is there.
  void await(int row, int thread) const {
    if (flows_) arrived_.await(row / step_ + 1, thread);
  }

  /// Copies out the next parts, as far as done(first, end) says that these rows are; for every index.
  template <typename Done>
  void takeOut(int thread, const Done& done) {
    if (!flows_ || thread != 0) return;
    for (; taken_ < rows_ && done(taken_, std::min(taken_ + step_, rows_)); taken_ += step_) {
      take_out(std::min(taken_ + step_, rows_), rows_);
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
  void bringIn() {}
  void await(int, int) const {}
  template <typename Done>
  void takeOut(int, const Done&) {}
#endif
};

}  // namespace wasm_attention
