// Versions of packColumns tried (GFLOP/s of a weight's gradient, 256 deep, of 192 by 64 / 64 by 64 / 64 by 128;
// Sapphire Rapids, Node 20, busy):
//   panel by panel                 37.4 / 37.9 / 38.1
//   kPackedRows rows at a time     37.9 / 38.8 / 39.2   <- this
// Today: npm run bench -- --work training
#include "kernels/pack.h"

#include <algorithm>
#include <cstring>

#include "kernels/tile.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

/// Copies four rows into four neighbouring lanes of a panel, four steps of the depth at a time.
template <int Width>
void packFourRows(const float* source, ptrdiff_t stride, int depth, float scale, float* panel) {
  int k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    f32x4 a = load(source + k) * scale;
    f32x4 b = load(source + stride + k) * scale;
    f32x4 c = load(source + 2 * stride + k) * scale;
    f32x4 d = load(source + 3 * stride + k) * scale;
    transpose(a, b, c, d);
    store(panel + k * Width, a);
    store(panel + (k + 1) * Width, b);
    store(panel + (k + 2) * Width, c);
    store(panel + (k + 3) * Width, d);
  }
  for (; k < depth; ++k) {
    for (int r = 0; r < kLanes; ++r) panel[k * Width + r] = source[r * stride + k] * scale;
  }
}

}  // namespace

template <int Width>
void packRows(const float* source, ptrdiff_t stride, int rows, int depth, float scale, float* panels) {
  for (int row = 0; row < rows; row += Width, panels += static_cast<size_t>(Width) * depth) {
    for (int lane = 0; lane < Width; lane += kLanes) {
      const int left = rows - row - lane;
      const float* from = source + (row + lane) * stride;
      if (left >= kLanes) {
        packFourRows<Width>(from, stride, depth, scale, panels + lane);
        continue;
      }
      for (int k = 0; k < depth; ++k) {
        for (int r = 0; r < kLanes; ++r) panels[k * Width + lane + r] = r < left ? from[r * stride + k] * scale : 0;
      }
    }
  }
}

template void packRows<kTileRows>(const float*, ptrdiff_t, int, int, float, float*);
template void packRows<kTileCols>(const float*, ptrdiff_t, int, int, float, float*);

void packColumns(const float* source, ptrdiff_t stride, int depth, int cols, float* panels) {
  for (int first = 0; first < depth; first += kPackedRows, source += kPackedRows * stride) {
    const int rows = std::min(depth - first, kPackedRows);
    for (int col = 0; col < cols; col += kTileCols) {
      const int left = std::min(cols - col, kTileCols);
      const float* from = source + col;
      float* panel = panels + (static_cast<size_t>(col) * depth + first * kTileCols);
      for (int k = 0; k < rows; ++k, from += stride, panel += kTileCols) {
        if (left == kTileCols) {
          store(panel, load(from));
          store(panel + kLanes, load(from + kLanes));
        } else {
          std::fill(panel, panel + kTileCols, 0.0f);
          std::memcpy(panel, from, left * sizeof(float));
        }
      }
    }
  }
}

// Two chains of sums, because each sum depends on the previous one.
float allFinite(const float* x, size_t count) {
  f32x4 even{};
  f32x4 odd{};
  for (size_t i = 0; i < count; i += 2 * kLanes) {
    even += load(x + i) * 0.0f;
    odd += load(x + i + kLanes) * 0.0f;
  }
  return sum(even + odd) == 0 ? 1.0f : 0.0f;
}

}  // namespace wasm_attention
