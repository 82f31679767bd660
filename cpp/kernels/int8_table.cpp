#include "kernels/int8_table.h"

#include <algorithm>

#include "attention/cache_rows.h"
#include "kernels/cutter.h"
#include "kernels/parallel.h"

namespace wasm_attention {
namespace {

constexpr int kTableBlock = 32;  // numbers that share a scale

int64_t sizeOf(int64_t width) {
  const auto size = [](int64_t numbers) { return cacheRowSize(static_cast<int>(numbers), WeightType::kInt8); };
  const int64_t rest = width % kTableBlock;
  return width / kTableBlock * size(kTableBlock) + (rest > 0 ? size(rest) : 0);
}

}  // namespace

int64_t tableSize(int64_t width, int64_t rows) { return times(sizeOf(width), rows); }

void packTablePart(const float* from, int width, int, int first, int count, float* table) {
  parallelFor(count, kCopyWork * count * width, [&](int row, int) {
    const float* const numbers = from + static_cast<ptrdiff_t>(row) * width;
    float* const to = table + sizeOf(width) * (first + row);
    for (int begin = 0; begin < width; begin += kTableBlock) {
      packCacheRow(numbers + begin, std::min(kTableBlock, width - begin), WeightType::kInt8, to + sizeOf(begin));
    }
  });
}

void unpackTableRow(const float* table, int width, int, int row, float* out) {
  const float* const from = table + sizeOf(width) * row;
  const int whole = width / kTableBlock, rest = width % kTableBlock;
  unpackCacheRows(from, sizeOf(kTableBlock), whole, kTableBlock, WeightType::kInt8, out);
  if (rest > 0) {
    unpackCacheRows(from + sizeOf(whole * kTableBlock), 0, 1, rest, WeightType::kInt8, out + whole * kTableBlock);
  }
}

}  // namespace wasm_attention
