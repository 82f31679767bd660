// Versions tried (speed relative to plain float32 of 512^3 / 128 by 768 by 3072 / one row of 768 by 3072; EPYC, Node
// 20):
//   a scale for 32 columns, two parts at once     1.10 / 1.20 / 2.2: operands do not fit into registers
//   for 32 columns, part by part                  1.15 / 1.31 / 2.4
//   for 64 columns                                1.27 / 1.38 / 2.6
//   for 128 columns                               1.28 / 1.40 / 2.9
//   a block of weights widened for 32 rows        1.39 / 1.54 / 3.2
//   for 64 rows, whose block is in one piece      1.46 / 1.64 / 3.3   <- this; the loop alone is 2.0 times float32's
// With relaxed SIMD, relative to plain float32:
//   its dot product of bytes, pairs added by extadd_pairwise    1.5 / 1.6
//   pairs added by a product with ones                          2.0 / 2.1   <- this; the loop alone 2.8 times float32's
//   the dot product that also adds                              1.72 / 1.66, but V8 11.3's first tier miscompiles it
// Perplexity of stories260K relative to float32, for 32 / 64 / 128 columns: 1.0052 / 1.0006 / 1.0004.
//
// A packed weight is cut into panels of 8 columns, and these into blocks of the depth: 8 scales, and then for every
// four steps of the depth the bytes q + 63 of each column. Blocks end where the depth ends; the last four are padded
// with zeros.
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
constexpr int kTogether = 4;          // rows of a tile
constexpr int kTiles = 16;            // tiles that share a block of a panel
constexpr int kOffset = kMostWeight;  // makes a weight an unsigned byte
constexpr double kWork = 0.5;         // the cost of a product, in multiplications of floats

int64_t foursOf(int64_t depth) { return (depth + kFour - 1) / kFour; }
int foursIn(int block) { return (block + kFour - 1) / kFour; }
int64_t blocksOf(int64_t depth) { return (depth + kScaleBlock - 1) / kScaleBlock; }

/// Size in words of a panel.
int64_t panelWords(int64_t depth) { return (blocksOf(depth) + foursOf(depth)) * kTileCols; }

/// Number of tiles of kRows rows; at most kTiles of them share their inputs.
template <int kRows>
int64_t tilesOf(int64_t rows) {
  return (rows + kRows - 1) / kRows;
}

/// Rows of the left operand, in `tiles` of kRows rows, with a block of all tiles together, so that it stays in the
/// cache.
template <int kRows>
struct Inputs {
  int tiles;
  float* scales;     // (tiles, kRows)
  int32_t* offsets;  // (blocks, tiles, kRows): initial sums, which make up for the offset of the weights' bytes
  int32_t* words;    // for each block (tiles, fours, kFourWords, kRows)

  Inputs(float* scratch, int depth, int tiles, int index) : tiles(tiles) {
    Cutter cut(scratch + size(depth, tiles) * index);
    scales = cut.take(tiles * kRows);
    offsets = reinterpret_cast<int32_t*>(cut.take(blocksOf(depth) * tiles * kRows));
    words = reinterpret_cast<int32_t*>(cut.take(foursOf(depth) * tiles * kFourWords * kRows));
  }

  static int64_t size(int64_t depth, int64_t tiles) {
    Cutter cut(nullptr);
    cut.take(tiles * kRows);
    cut.take(blocksOf(depth) * tiles * kRows);
    cut.take(times(foursOf(depth), tiles * kFourWords * kRows));
    return cut.used();
  }

  /// Where a tile's part of a block of so many fours begins.
  int32_t* wordsOf(int block, int tile, int fours) const {
    return words + (kScaleBlock / kFour * block * tiles + fours * tile) * (kFourWords * kRows);
  }

  int32_t* offsetsOf(int block, int tile) const { return offsets + (block * tiles + tile) * kRows; }

  void round(int tile, const float* a, ptrdiff_t stride, int rows, int depth) const {
    for (int r = 0; r < kRows; ++r) {
      const float* const row = a + std::min(r, rows - 1) * stride;
      const Scale scale(row, depth, kMostInput);
      scales[tile * kRows + r] = scale.value;
      for (int begin = 0, block = 0; begin < depth; begin += kScaleBlock, ++block) {
        const int end = std::min(begin + kScaleBlock, depth);
        int32_t* to = wordsOf(block, tile, foursIn(end - begin)) + r;
        i32x4 sums{};
        for (int k = begin; k < end; k += kFour, to += kFourWords * kRows) {
          const i32x4 four = rounded(row + k, depth - k, scale.inverse);
          storeFour(four, to, kRows);
          sums += four;
        }
        offsetsOf(block, tile)[r] = -kOffset * (sums[0] + sums[1] + sums[2] + sums[3]);
      }
    }
  }
};

/// Words of one block of a panel, as `addBlock` reads them.
constexpr int kBlockWords = kScaleBlock / kFour * kFourWords * kTileCols;

/// A block of a panel for several rows: its bytes if the processor multiplies bytes, otherwise `wide`, filled with
/// numbers of 16 bits.
inline const int32_t* widened(const int32_t* bytes, int fours, int32_t* wide) {
  if constexpr (kFourWords == 1) return bytes;
  for (int32_t* to = wide; to != wide + fours * kFourWords * kTileCols; to += kFourWords * kTileCols) {
    for (int half = 0; half < kTileCols; half += kLanes, bytes += kLanes) {
      const i32x4 b = load(bytes);
      store(to + half, partOf<0>(b));
      store(to + kTileCols + half, partOf<1>(b));
    }
  }
  return wide;
}

/// Adds a widened block of the product to the totals of kTogether rows. The sums begin at `offsets`. Not inlined, so
/// that all operands of the loop stay in registers.
[[gnu::noinline]] void addBlock(const int32_t* a, const int32_t* b, int fours, const int32_t* offsets,
                                const float* scales, f32x4 (&totals)[kTogether][2]) {
  i32x4 left[kTogether], right[kTogether];
  for (int r = 0; r < kTogether; ++r) left[r] = right[r] = loadSplat(offsets + r);
  const int32_t* const end = b + fours * kFourWords * kTileCols;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; b != end; a += kTogether, b += kTileCols) {
    const i32x4 b0 = load(b), b1 = load(b + kLanes);
    for (int r = 0; r < kTogether; ++r) {
      const i32x4 words = loadSplat(a + r);
      left[r] = addDot(words, b0, left[r]);
      right[r] = addDot(words, b1, right[r]);
    }
  }
  for (int r = 0; r < kTogether; ++r) {
    totals[r][0] += toFloats(left[r]) * load(scales);
    totals[r][1] += toFloats(right[r]) * load(scales + kLanes);
  }
}

/// The same for one row and the panel's bytes, which are used once and so not widened in memory.
inline void addBlock(const int32_t* a, const int32_t* b, int fours, const int32_t* offset, const float* scales,
                     f32x4 (&totals)[1][2]) {
  i32x4 left = loadSplat(offset), right = left;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (const int32_t* const end = b + fours * kTileCols; b != end; a += kFourWords, b += kTileCols) {
    const i32x4 b0 = load(b), b1 = load(b + kLanes), first = loadSplat(a);
    left = addDot(first, partOf<0>(b0), left);
    right = addDot(first, partOf<0>(b1), right);
    if constexpr (kFourWords == 2) {
      const i32x4 second = loadSplat(a + 1);
      left = addDot(second, partOf<1>(b0), left);
      right = addDot(second, partOf<1>(b1), right);
    }
  }
  totals[0][0] += toFloats(left) * load(scales);
  totals[0][1] += toFloats(right) * load(scales + kLanes);
}

/// Panels [first, end) of the product for `rows` of the inputs. Each block of a panel is used for all rows at once.
template <int kRows>
[[gnu::noinline]] void multiplyPanels(const Inputs<kRows>& inputs, const float* packed, const float* bias, float* c,
                                      ptrdiff_t c_stride, int rows, int first, int end, int cols, int depth) {
  const int tiles = kRows == 1 ? 1 : static_cast<int>(tilesOf<kRows>(rows));
  const int blocks = static_cast<int>(blocksOf(depth));
  const ptrdiff_t panel_words = panelWords(depth);
  for (int panel = first; panel < end; ++panel) {
    f32x4 totals[kRows == 1 ? 1 : kTiles][kRows][2];
    for (int tile = 0; tile < tiles; ++tile) {
      for (auto& row : totals[tile]) row[0] = row[1] = f32x4{};
    }
    alignas(16) int32_t wide[kRows == 1 ? 1 : kBlockWords];
    const float* scales = packed + panel_words * panel;
    for (int block = 0; block < blocks; ++block) {
      const auto* const bytes = reinterpret_cast<const int32_t*>(scales) + kTileCols;
      const int fours = foursIn(std::min(depth - block * kScaleBlock, kScaleBlock));
      const int32_t* const b = kRows == 1 ? bytes : widened(bytes, fours, wide);
      for (int tile = 0; tile < tiles; ++tile) {
        addBlock(inputs.wordsOf(block, tile, fours), b, fours, inputs.offsetsOf(block, tile), scales, totals[tile]);
      }
      scales = reinterpret_cast<const float*>(bytes + fours * kTileCols);
    }
    const int col = panel * kTileCols;
    for (int row = 0; row < rows; ++row) {
      const auto& total = totals[row / kRows][row % kRows];
      const f32x4 left = total[0] * inputs.scales[row], right = total[1] * inputs.scales[row];
      float* const out = c + row * c_stride + col;
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

template <int kRows>
void multiply(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
              int rows, int cols, int depth, float* scratch) {
  const int tiles = static_cast<int>(tilesOf<kRows>(rows)), together = std::min(tiles, kTiles);
  parallelFor(tiles, kCopyWork * rows * depth, [&](int i, int) {
    const int row = i * kRows;
    Inputs<kRows>(scratch, depth, together, i / together)
        .round(i % together, a + row * a_stride, a_stride, std::min(rows - row, kRows), depth);
  });
  const double work = kWork * rows * cols * depth;
  const int block_rows = together * kRows;
  const int panels = (cols + kTileCols - 1) / kTileCols;
  const int row_blocks = (rows + block_rows - 1) / block_rows;
  constexpr int kParts = 4;  // for each thread
  const int parts = worthSharing(work) ? std::min(panels, (kParts * threadCount() + row_blocks - 1) / row_blocks) : 1;
  parallelFor(row_blocks * parts, work, [&](int i, int) {
    const int row_block = i % row_blocks, row = row_block * block_rows, part = i / row_blocks;
    const auto bound = [&](int n) { return static_cast<int>(int64_t{panels} * n / parts); };
    multiplyPanels<kRows>(Inputs<kRows>(scratch, depth, together, row_block), packed, bias, c + row * c_stride,
                          c_stride, std::min(rows - row, block_rows), bound(part), bound(part + 1), cols, depth);
  });
}

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
  if (rows == 1) return Inputs<1>::size(depth, 1);
  const int64_t tiles = tilesOf<kTogether>(rows), together = std::min<int64_t>(tiles, kTiles);
  return times((tiles + kTiles - 1) / kTiles, Inputs<kTogether>::size(depth, together));
}

}  // namespace wasm_attention
