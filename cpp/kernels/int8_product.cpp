// Versions tried (speed relative to plain float32 of 512^3 / 128 by 768 by 3072 / one row of 768 by 3072; EPYC, Node 20):
//   a scale for 32 columns, two parts at once     1.10 / 1.20 / 2.2: operands do not fit into registers
//   for 32 columns, part by part                  1.15 / 1.31 / 2.4
//   for 64 columns                                1.27 / 1.38 / 2.6
//   for 128 columns                               1.31 / 1.43 / 2.7   <- this
// With relaxed SIMD (in Chromium 156, relative to float32 there):
//   its dot product of bytes, and a sum apart     1.59 / 1.69   <- this; about 1.4 in Node 20
//   the one that also adds                        1.36 / 1.50; 1.72 / 1.66 in Node 20, whose first tier (V8 11.3) computes it wrongly
// Perplexity of stories260K relative to float32, for 32 / 64 / 128 columns: 1.0052 / 1.0006 / 1.0004.
//
// A packed weight is cut into panels of 8 columns, and these into blocks of the depth: 8 scales, and then for every four steps of the
// depth the bytes q + 63 of each column. Blocks end where the depth ends; the last four are filled up with zeros.
// The file is longer than 200 lines, because packing, unpacking and the product all know this layout.
#include "kernels/int8_product.h"

#include <algorithm>
#include <cstring>

#include "kernels/cutter.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/tile.h"
#include "simd/f32x4.h"
#include "simd/int8.h"
#include "simd/rounded.h"

namespace wasm_attention {
namespace {

constexpr int kFour = 4;
constexpr int kOffset = kMostWeight;  // makes a weight a byte without a sign
constexpr double kWork = 0.5;         // the cost of a product, in multiplications of floats

int64_t foursOf(int64_t depth) { return (depth + kFour - 1) / kFour; }
int64_t blocksOf(int64_t depth) { return (depth + kScaleBlock - 1) / kScaleBlock; }

/// Size in words of a panel.
int64_t panelWords(int64_t depth) { return (blocksOf(depth) + foursOf(depth)) * kTileCols; }

/// Rows of the left operand, kRows at a time.
template <int kRows>
struct Inputs {
  float* scales;     // (kRows)
  int32_t* offsets;  // (blocks, kRows): where sums begin, since the weights' bytes are larger than the weights
  int32_t* fours;    // (fours, kRows, kFourWords)

  Inputs(float* scratch, int depth, int64_t index) {
    Cutter cut(scratch + size(depth) * index);
    scales = cut.take(kRows);
    offsets = reinterpret_cast<int32_t*>(cut.take(blocksOf(depth) * kRows));
    fours = reinterpret_cast<int32_t*>(cut.take(foursOf(depth) * kRows * kFourWords));
  }

  static int64_t size(int64_t depth) {
    Cutter cut(nullptr);
    cut.take(kRows);
    cut.take(blocksOf(depth) * kRows);
    cut.take(times(foursOf(depth), kRows * kFourWords));
    return cut.used();
  }

  void round(const float* a, ptrdiff_t stride, int rows, int depth) const {
    for (int r = 0; r < kRows; ++r) {
      const float* const row = a + std::min(r, rows - 1) * stride;
      const Scale scale(row, depth, kMostInput);
      scales[r] = scale.value;
      int32_t* to = fours + r * kFourWords;
      for (int begin = 0, block = 0; begin < depth; begin += kScaleBlock, ++block) {
        i32x4 sums{};
        for (int k = begin; k < std::min(begin + kScaleBlock, depth); k += kFour, to += kRows * kFourWords) {
          const i32x4 four = rounded(row + k, depth - k, scale.inverse);
          storeFour(four, to);
          sums += four;
        }
        offsets[block * kRows + r] = -kOffset * (sums[0] + sums[1] + sums[2] + sums[3]);
      }
    }
  }
};

/// Adds part number kPart of four steps of the depth. One part after the other, so that all operands stay in registers.
template <int kPart, int kRows>
inline void addPart(const int32_t* a, i32x4 b0, i32x4 b1, i32x4 (&left)[kRows], i32x4 (&right)[kRows]) {
  if constexpr (kPart < kFourWords) {
    const i32x4 c0 = partOf<kPart>(b0), c1 = partOf<kPart>(b1);
    for (int r = 0; r < kRows; ++r) {
      const i32x4 four = loadSplat(a + r * kFourWords + kPart);
      left[r] = addDot(four, c0, left[r]);
      right[r] = addDot(four, c1, right[r]);
    }
  }
}

/// A tile of kRows x 8 of the product, without the scales of the rows and without the bias.
template <int kRows>
inline void multiplyPanel(const Inputs<kRows>& inputs, const float* panel, int depth, f32x4 (&totals)[kRows][2]) {
  for (auto& row : totals) row[0] = row[1] = f32x4{};
  const int32_t* a = inputs.fours;
  const int32_t* offset = inputs.offsets;
  constexpr int kStep = kRows * kFourWords;
  for (int begin = 0; begin < depth; begin += kScaleBlock, offset += kRows) {
    const float* const scales = panel;
    const auto* b = reinterpret_cast<const int32_t*>(panel) + kTileCols;
    i32x4 left[kRows], right[kRows];
    for (int r = 0; r < kRows; ++r) left[r] = right[r] = loadSplat(offset + r);
    const int fours = (std::min(depth - begin, kScaleBlock) + kFour - 1) / kFour;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (const int32_t* const end = b + fours * kTileCols; b != end; a += kStep, b += kTileCols) {
      const i32x4 b0 = load(b), b1 = load(b + kLanes);
      addPart<0>(a, b0, b1, left, right);
      addPart<1>(a, b0, b1, left, right);
    }
    panel = reinterpret_cast<const float*>(b);
    for (int r = 0; r < kRows; ++r) {
      totals[r][0] += toFloats(left[r]) * load(scales);
      totals[r][1] += toFloats(right[r]) * load(scales + kLanes);
    }
  }
}

/// Panels [first, end) of the product, for kRows rows at a time.
template <int kRows>
[[gnu::noinline]] void multiplyPanels(float* scratch, const float* packed, const float* bias, float* c,
                                      ptrdiff_t c_stride, int first_row, int rows, int first, int end, int cols,
                                      int depth) {
  for (int panel = first; panel < end; ++panel) {
    const float* const from = packed + panelWords(depth) * panel;
    const int col = panel * kTileCols;
    for (int row = first_row; row < first_row + rows; row += kRows) {
      const Inputs<kRows> inputs(scratch, depth, row / kRows);
      f32x4 totals[kRows][2];
      multiplyPanel<kRows>(inputs, from, depth, totals);
      for (int r = 0; r < std::min(kRows, first_row + rows - row); ++r) {
        float* const out = c + (row + r) * c_stride + col;
        f32x4 left = totals[r][0] * inputs.scales[r], right = totals[r][1] * inputs.scales[r];
        if (cols - col >= kTileCols) {
          store(out, bias ? load(bias + col) + left : left);
          store(out + kLanes, bias ? load(bias + col + kLanes) + right : right);
        } else {
          for (int j = 0; j < cols - col; ++j) {
            const float x = j < kLanes ? left[j] : right[j - kLanes];
            out[j] = bias ? bias[col + j] + x : x;
          }
        }
      }
    }
  }
}

template <int kRows>
void multiply(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
              int rows, int cols, int depth, float* scratch) {
  constexpr int kBlockRows = 8 * kRows;
  parallelFor((rows + kRows - 1) / kRows, kCopyWork * rows * depth, [&](int i, int) {
    const int row = i * kRows;
    Inputs<kRows>(scratch, depth, i).round(a + row * a_stride, a_stride, std::min(rows - row, kRows), depth);
  });
  const double work = kWork * rows * cols * depth;
  const int panels = (cols + kTileCols - 1) / kTileCols;
  const int row_blocks = (rows + kBlockRows - 1) / kBlockRows;
  constexpr int kParts = 4;  // for each thread
  const int parts = worthSharing(work) ? std::min(panels, (kParts * threadCount() + row_blocks - 1) / row_blocks) : 1;
  parallelFor(row_blocks * parts, work, [&](int i, int) {
    const int row = i % row_blocks * kBlockRows, part = i / row_blocks;
    const auto bound = [&](int n) { return static_cast<int>(int64_t{panels} * n / parts); };
    multiplyPanels<kRows>(scratch, packed, bias, c, c_stride, row, std::min(rows - row, kBlockRows), bound(part),
                          bound(part + 1), cols, depth);
  });
}

constexpr int kTogether = 4;

}  // namespace

int64_t int8Size(int64_t depth, int64_t cols) { return times(roundUp(cols, kTileCols) / kTileCols, panelWords(depth)); }

void packInt8Part(const float* w, int depth, int, int first, int count, float* packed) {
  parallelFor(count, kCopyWork * count * depth, [&](int row, int) {
    const float* const from = w + static_cast<ptrdiff_t>(row) * depth;
    float* to = packed + panelWords(depth) * ((first + row) / kTileCols);
    const int c = (first + row) % kTileCols;
    for (int begin = 0; begin < depth; begin += kScaleBlock) {
      const int length = std::min(depth - begin, kScaleBlock);
      const Scale scale(from + begin, length, kMostWeight);
      to[c] = scale.value;
      to += kTileCols;
      for (int k = 0; k < length; k += kFour, to += kTileCols) {
        const i32x4 four = rounded(from + begin + k, length - k, scale.inverse) + splat(kOffset);
        auto* const bytes = reinterpret_cast<uint8_t*>(to + c);
        for (int j = 0; j < kFour; ++j) bytes[j] = static_cast<uint8_t>(four[j]);
      }
    }
  });
}

void unpackInt8Column(const float* packed, int depth, int, int col, float* out) {
  const float* from = packed + panelWords(depth) * (col / kTileCols);
  const int c = col % kTileCols;
  for (int begin = 0; begin < depth; begin += kScaleBlock) {
    const float scale = from[c];
    from += kTileCols;
    const int length = std::min(depth - begin, kScaleBlock);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(from);
    for (int k = 0; k < length; ++k) {
      out[begin + k] = static_cast<float>(bytes[(k / kFour * kTileCols + c) * kFour + k % kFour] - kOffset) * scale;
    }
    from += foursOf(length) * kTileCols;
  }
}

void multiplyInt8(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth, float* scratch) {
  if (rows == 1) {
    multiply<1>(a, a_stride, packed, bias, c, c_stride, rows, cols, depth, scratch);
  } else if (rows > 0) {
    multiply<kTogether>(a, a_stride, packed, bias, c, c_stride, rows, cols, depth, scratch);
  }
}

int64_t int8Scratch(int64_t rows, int64_t depth) {
  if (rows == 1) return Inputs<1>::size(depth);
  return times((rows + kTogether - 1) / kTogether, Inputs<kTogether>::size(depth));
}

}  // namespace wasm_attention
