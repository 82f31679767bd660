// The kernels' suites under ThreadSanitizer, with every loop shared by four threads.
#include <gtest/gtest.h>

#include "threads/pool.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const wasm_attention::TestPool pool(4);
  return RUN_ALL_TESTS();
}
