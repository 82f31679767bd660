#include "attention/cache_rows.h"

#include <cstring>

#include "kernels/cutter.h"
#include "simd/rounded.h"
#include "simd/small.h"

namespace wasm_attention {
namespace {

constexpr int kMostByte = 127;

}  // namespace

int64_t cacheRowSize(int width, WeightType type) {
  const int64_t fours = (int64_t{width} + kLanes - 1) / kLanes;
  return type == WeightType::kFloat32 ? width : type == WeightType::kFloat16 ? 2 * fours : 1 + fours;
}

void packCacheRow(const float* from, int width, WeightType type, float* to) {
  if (type == WeightType::kFloat32) {
    std::memcpy(to, from, width * sizeof(float));
    return;
  }
  std::memset(to, 0, cacheRowSize(width, type) * sizeof(float));
  if (type == WeightType::kFloat16) {
    auto* const halves = reinterpret_cast<Half*>(to);
    narrowRow(from, width, halves, 1);
    return;
  }
  const Scale scale(largestMagnitude(from, width), kMostByte);
  to[0] = scale.value;
  for (int e = 0; e < width; e += kLanes) {
    const i8x4 four = __builtin_convertvector(rounded(from + e, width - e, scale.inverse), i8x4);
    std::memcpy(to + 1 + e / kLanes, &four, sizeof four);
  }
}

void appendTokens(const float* from, ptrdiff_t stride, int batch, int tokens, const CacheHeads& to) {
  const int64_t size = cacheRowSize(to.width, to.type);
  for (int b = 0; b < batch; ++b) {
    for (int t = 0; t < tokens; ++t, from += stride) {
      for (int h = 0; h < to.heads; ++h) {
        const size_t row = (static_cast<size_t>(b) * to.heads + h) * to.capacity + to.length + t;
        packCacheRow(from + h * to.width, to.width, to.type, to.rows + row * size);
      }
    }
  }
}

void unpackCacheRows(const float* from, ptrdiff_t stride, int count, int width, WeightType type, float* to) {
  for (int i = 0; i < count; ++i, from += stride, to += width) {
    if (type == WeightType::kFloat16) {
      widenRow<i16x4>(from, width, 1, to);
    } else if (type == WeightType::kInt8) {
      widenRow<i8x4>(from + 1, width, from[0], to);
    } else {
      std::memcpy(to, from, width * sizeof(float));
    }
  }
}

}  // namespace wasm_attention
