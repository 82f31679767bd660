// Runs libFuzzer on one property of the tests: PROPERTY=Suite.Name. Without a name it lists all properties.
#include <cstdio>
#include <cstdlib>

#include "property.h"

using namespace wasm_attention;

namespace {

Property property;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const name = std::getenv("PROPERTY");
  const auto found = properties().find(name ? name : "");
  if (found == properties().end()) {
    for (const auto& each : properties()) std::puts(each.first.c_str());
    std::exit(name ? 1 : 0);
  }
  property = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  property(draw);
  // Abort on a failure, so that the fuzzer keeps the input. It does not notice GoogleTest's break_on_failure.
  if (testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) std::abort();
  return 0;
}
