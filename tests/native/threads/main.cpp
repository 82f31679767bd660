// Runs the kernels' suites under ThreadSanitizer, with every loop divided among four threads.
#include <gtest/gtest.h>

#include "threads/pool.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const wasm_attention::TestPool pool(4);
  return RUN_ALL_TESTS();
}
