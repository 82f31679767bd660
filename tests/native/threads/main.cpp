// The suites of the kernels once more, every loop shared by four threads, under ThreadSanitizer.
#include <gtest/gtest.h>

#include "threads/pool.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const wasm_attention::TestPool pool(4);
  return RUN_ALL_TESTS();
}
