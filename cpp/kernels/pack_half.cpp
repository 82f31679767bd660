// Opening 135 million parameters of float16, in s of one core (Node 20):
//   checked in JavaScript, rounded number by number    0.90
//   checked only if C++ says so, rounded in vectors    0.42   <- this
//
// The packed right operand of a product in float16, in the order of pack_matrix.cpp.
#include <algorithm>

#include "kernels/cutter.h"
#include "kernels/gemm.h"
#include "kernels/multiply_rows.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/tile.h"
#include "simd/half.h"
#include "simd/rounded.h"

namespace wasm_attention {
namespace {

/// The place of a column in its panel.
int placeOf(int col) { return col % kHalfCols / kTileCols * kTileCols + col % kLanes * 2 + col / kLanes % 2; }

/// The panel with this column, in the block of the depth that begins at `begin`.
template <typename T>
T* panelOf(T* packed, int depth, int cols, int begin, int col) {
  const int block = std::min(depth - begin, kDepthBlock);
  return packed + roundUp(size_t(cols), kHalfCols) * begin + static_cast<size_t>(col / kHalfCols * kHalfCols) * block;
}

}  // namespace

int64_t halfSize(int64_t depth, int64_t cols) { return kHalfHeader + times(roundUp(cols, kHalfCols) / 2, depth); }

void packHalfPart(const float* w, int depth, int cols, int first, int count, float* packed) {
  constexpr float kInfinite = 65520;  // the smallest number that becomes infinite
  for (int row = 0; row < count; ++row) {
    if (!(largestMagnitude(w + static_cast<ptrdiff_t>(row) * depth, depth) < kInfinite)) packed[0] = 1;
  }
  auto* const halves = reinterpret_cast<Half*>(packed + kHalfHeader);
  parallelFor(count, kCopyWork * count * depth, [&](int row, int) {
    const float* const from = w + static_cast<ptrdiff_t>(row) * depth;
    for (int begin = 0; begin < depth; begin += kDepthBlock) {
      Half* const to = panelOf(halves, depth, cols, begin, first + row) + placeOf(first + row);
      narrowRow(from + begin, std::min(depth - begin, kDepthBlock), to, kHalfCols);
    }
  });
}

void unpackHalfColumn(const float* packed, int depth, int cols, int col, float* out) {
  const auto* const halves = reinterpret_cast<const Half*>(packed + kHalfHeader);
  for (int k = 0; k < depth; ++k) {
    const int begin = k / kDepthBlock * kDepthBlock;
    out[k] = widen(panelOf(halves, depth, cols, begin, col)[(k - begin) * kHalfCols + placeOf(col)]);
  }
}

}  // namespace wasm_attention
