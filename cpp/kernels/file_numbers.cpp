#include <algorithm>

#include "attention.h"
#include "kernels/int8_product.h"
#include "simd/small.h"

namespace wasm_attention {
namespace {

constexpr int kBlock = 32;  // numbers that share a scale
constexpr int kBlockBytes = sizeof(Half) + kBlock;

}  // namespace

void widenFileNumbers(const uint8_t* from, float* out, int count, FileType type) {
  if (type == FileType::kFloat16) return widenRow<i16x4>(from, count, 1, out);
  if (type == FileType::kBFloat16) return widenRow<BFloats>(from, count, 1, out);
  for (int i = 0; i < count; i += kBlock, from += kBlockBytes) {
    Half scale;
    std::memcpy(&scale, from, sizeof scale);
    widenRow<i8x4>(from + sizeof scale, kBlock, widen(scale), out + i);
  }
}

void widenInt8(const uint8_t* from, const float* scales, float* out, int rows, int columns) {
  for (int row = 0; row < rows; ++row, from += columns, out += columns) {
    for (int begin = 0; begin < columns; begin += kScaleBlock) {
      widenRow<i8x4>(from + begin, std::min(columns - begin, kScaleBlock), *scales++, out + begin);
    }
  }
}

}  // namespace wasm_attention
