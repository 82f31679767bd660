// In place of libFuzzer where the compiler has none: random bytes for as long as -max_total_time says.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" int LLVMFuzzerInitialize(int*, char***) __attribute__((weak));

int main(int count, char** arguments) {
  int seconds = 1;
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(arguments[i], "-max_total_time=", 16) == 0) seconds = std::atoi(arguments[i] + 16);
  }
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&count, &arguments);
  std::mt19937 generator(1);
  size_t units = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (; std::chrono::steady_clock::now() < end; ++units) {
    std::vector<uint8_t> bytes(64);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(generator());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::fprintf(stderr, "stat::number_of_executed_units: %zu\n", units);
}
