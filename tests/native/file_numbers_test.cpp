// Numbers of files against the definitions of their types, number by number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "attention.h"
#include "half_oracle.h"
#include "random.h"

namespace wasm_attention {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kBehind = 6;  // bytes that may be read

/// Any bits, at an odd address.
Bytes randomBytes(size_t count) {
  Bytes bytes(1 + count + kBehind);
  const auto floats = randomFloats(bytes.size(), 1, 256);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(static_cast<int>(std::abs(floats[i])));
  return bytes;
}

int halfAt(const uint8_t* from) { return from[0] | from[1] << 8; }

void expectSame(float actual, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual));
  } else {
    EXPECT_EQ(actual, static_cast<float>(expected));
  }
}

TEST(FileNumbers, AreHalves) {
  for (const int count : {0, 1, 3, 4, 4097}) {
    const Bytes bytes = randomBytes(2 * count);
    std::vector<float> out(count);
    widenFileNumbers(bytes.data() + 1, out.data(), count, FileType::kFloat16);
    for (int i = 0; i < count; ++i) expectSame(out[i], defined(halfAt(bytes.data() + 1 + 2 * i)));
  }
}

TEST(FileNumbers, AreUpperHalvesOfFloats) {
  for (const int count : {0, 1, 3, 4, 4097}) {
    const Bytes bytes = randomBytes(2 * count);
    std::vector<float> out(count);
    widenFileNumbers(bytes.data() + 1, out.data(), count, FileType::kBFloat16);
    for (int i = 0; i < count; ++i) {
      const auto bits = static_cast<uint32_t>(halfAt(bytes.data() + 1 + 2 * i)) << 16;
      float expected;
      std::memcpy(&expected, &bits, sizeof expected);
      expectSame(out[i], expected);
    }
  }
}

TEST(FileNumbers, AreBlocksOfBytesWithAScale) {
  constexpr int kBlocks = 512;
  const Bytes bytes = randomBytes(34 * kBlocks);
  std::vector<float> out(32 * kBlocks);
  widenFileNumbers(bytes.data() + 1, out.data(), 32 * kBlocks, FileType::kQ8_0);
  for (int i = 0; i < 32 * kBlocks; ++i) {
    const uint8_t* const block = bytes.data() + 1 + i / 32 * 34;
    expectSame(out[i], defined(halfAt(block)) * static_cast<int8_t>(block[2 + i % 32]));
  }
}

TEST(FileNumbers, AreBytesWithAScaleFor128Columns) {
  constexpr int kRows = 3;
  for (const int columns : {1, 128, 130, 389}) {
    const int each = (columns + 127) / 128;
    const Bytes bytes = randomBytes(size_t{kRows} * columns);
    const auto scales = randomFloats(size_t(kRows) * each, 2);
    std::vector<float> out(size_t{kRows} * columns);
    widenInt8(bytes.data() + 1, scales.data(), out.data(), kRows, columns);
    for (int i = 0; i < kRows * columns; ++i) {
      const float scale = scales[i / columns * each + i % columns / 128];
      expectSame(out[i], static_cast<double>(scale) * static_cast<int8_t>(bytes[1 + i]));
    }
  }
}

}  // namespace
}  // namespace wasm_attention
