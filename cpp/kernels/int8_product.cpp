// Versions tried (speed relative to plain float32 of 512^3 / 128 by 768 by 3072 / one row of 768 by 3072; EPYC, Node
// 20):
//   a scale for 32 columns, two parts at once     1.10 / 1.20 / 2.2: operands do not fit into registers
//   for 32 columns, part by part                  1.15 / 1.31 / 2.4
//   for 64 columns                                1.27 / 1.38 / 2.6
//   for 128 columns                               1.28 / 1.40 / 2.9
//   a block of weights widened for 32 rows        1.39 / 1.54 / 3.2
//   for 64 rows, whose block is in one piece      1.46 / 1.64 / 3.3   <- this; the loop alone is 2.0 times float32's
//   inputs with a scale for 128 columns, large ones as floats, factors of columns
//                                                 0.97 to 0.99 of that, 0.92 with a large number in each of 32 rows
// With relaxed SIMD, relative to plain float32:
//   its dot product of bytes, pairs added by extadd_pairwise    1.5 / 1.6
//   pairs added by a product with ones                          2.0 / 2.1   <- this; the loop alone 2.8 times float32's
//   the dot product that also adds                              1.72 / 1.66, but V8 11.3's first tier miscompiles it
//   Int8Fine as two digits in base 128 of each input            0.4 of Int8's speed for 32 rows, 0.5 for one
//   as numbers of 16 bits, as without relaxed SIMD              0.75, 0.68   <- this
// Perplexity of stories260K relative to float32, for 32 / 64 / 128 columns: 1.0052 / 1.0006 / 1.0004. Tokens of 1,000
// with another most likely successor, when it is widened to 512 by a rotation, one unit of each layer made 1, 100 and
// 1,000 times as large, and the weights that read it as much smaller:
//   inputs with one scale for a row                             11, 140, 593
//   Int8                                                         7, 7, 8      <- this
//   Int8Fine                                                     4, 4, 4      <- this
//
// Opening 135 million parameters of Q8_0, in s of one core (Node 20):
//   blocks widened in JavaScript, weights divided and stored number by number   0.53
//   divided and stored in vectors                                               0.38
//   blocks widened in C++                                                       0.19   <- this
//
// A packed weight begins with a factor for each step of the depth, and is then cut into panels of 8 columns, and these
// into blocks of the depth: 8 scales, and then for every four steps of the depth the bytes q + kOffset of each column.
// Blocks end where the depth ends; the last four are padded with zeros.
#include "kernels/int8_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "attention.h"
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
constexpr int kTogether = 4;     // rows of a tile
constexpr int kTiles = 16;       // tiles that share a block of a panel
constexpr double kWork = 0.5;    // the cost of a product, in multiplications of floats
constexpr int kMostLarge = 16;   // numbers of a row
constexpr float kTimesMean = 8;  // larger numbers than so many means of the row are multiplied as floats
constexpr float kUnusual = 8;    // a column that is so many times as large or as small as most has a factor
constexpr int kMostShift = 32;   // of a factor, a power of two
constexpr int kLargeSize = 1 + 2 * kMostLarge;  // of a Large in floats

int64_t foursOf(int64_t depth) { return (depth + kFour - 1) / kFour; }
int foursIn(int block) { return (block + kFour - 1) / kFour; }
int64_t blocksOf(int64_t depth) { return (depth + kScaleBlock - 1) / kScaleBlock; }

/// Size in floats of the factors at the beginning of a packed weight.
int64_t factorsSize(int64_t depth) { return roundUp(depth, kLanes); }

/// What makes a weight an unsigned byte.
template <typename Form>
constexpr int kOffset = Form::kMostWeight;

/// Size in words of a panel.
int64_t panelWords(int64_t depth) { return (blocksOf(depth) + foursOf(depth)) * kTileCols; }

/// Number of tiles of kRows rows; at most kTiles of them share their inputs.
template <int kRows>
int64_t tilesOf(int64_t rows) {
  return (rows + kRows - 1) / kRows;
}

f32x4 magnitudes(f32x4 x) { return max(x, -x); }

/// block = x, of at most kScaleBlock numbers, multiplied or divided by factors, followed by zeros up to a multiple of
/// 4, which it returns.
template <typename Operation>
int combined(const float* x, const float* factors, int count, float (&block)[kScaleBlock], Operation combine) {
  count = std::min(count, kScaleBlock);
  int k = 0;
  for (; k + kLanes <= count; k += kLanes) store(block + k, combine(load(x + k), load(factors + k)));
  for (; k < count; ++k) block[k] = combine(x[k], factors[k]);
  for (; k % kFour != 0; ++k) block[k] = 0;
  return k;
}
int multiplied(const float* x, const float* factors, int count, float (&block)[kScaleBlock]) {
  return combined(x, factors, count, block, [](auto a, auto b) { return a * b; });
}
int divided(const float* x, const float* factors, int count, float (&block)[kScaleBlock]) {
  return combined(x, factors, count, block, [](auto a, auto b) { return a / b; });
}

/// The numbers of a row that are so large that the others would be lost if they were rounded together. These are
/// multiplied as floats.
struct Large {
  int32_t count;
  int32_t at[kMostLarge];
  float value[kMostLarge];

  /// Keeps the largest ones in their order; of equal ones the first.
  void add(float x, int position) {
    if (count == kMostLarge) {
      const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
      // The last of the smallest.
      const auto first = std::make_reverse_iterator(value + count), end = std::make_reverse_iterator(value);
      const auto smallest = std::min_element(first, end, smaller).base() - 1;
      if (!smaller(*smallest, x)) return;
      std::copy(at + (smallest - value) + 1, at + count, at + (smallest - value));
      std::copy(smallest + 1, value + count, smallest);
      --count;
    }
    at[count] = position;
    value[count++] = x;
  }

  /// Sets `block`, which holds the row's numbers from `begin` on, to zero where one is large.
  void remove(int begin, int length, float* block) const {
    for (int i = 0; i < count; ++i) {
      if (at[i] >= begin && at[i] < begin + length) block[at[i] - begin] = 0;
    }
  }
};

/// Rows of the left operand, in `tiles` of kRows rows, with a block of all tiles together, so that it stays in the
/// cache.
template <typename Form, int kRows>
struct Inputs {
  int tiles;
  Large* large;      // (tiles, kRows)
  float* scales;     // (blocks, tiles, kRows)
  int32_t* offsets;  // (blocks, tiles, kRows): initial sums, which make up for the offset of the weights' bytes
  int32_t* words;    // for each block (tiles, fours, kWords, kRows)

  Inputs(float* scratch, int depth, int tiles, int index) : tiles(tiles) {
    Cutter cut(scratch + size(depth, tiles) * index);
    large = reinterpret_cast<Large*>(cut.take(tiles * kRows * kLargeSize));
    scales = cut.take(blocksOf(depth) * tiles * kRows);
    offsets = reinterpret_cast<int32_t*>(cut.take(blocksOf(depth) * tiles * kRows));
    words = reinterpret_cast<int32_t*>(cut.take(foursOf(depth) * tiles * Form::kWords * kRows));
  }

  static int64_t size(int64_t depth, int64_t tiles) {
    Cutter cut(nullptr);
    cut.take(tiles * kRows * kLargeSize);
    cut.take(blocksOf(depth) * tiles * kRows);
    cut.take(blocksOf(depth) * tiles * kRows);
    cut.take(times(foursOf(depth), tiles * Form::kWords * kRows));
    return cut.used();
  }

  /// Where a tile's part of a block of so many fours begins.
  int32_t* wordsOf(int block, int tile, int fours) const {
    return words + (kScaleBlock / kFour * block * tiles + fours * tile) * (Form::kWords * kRows);
  }

  ptrdiff_t rowOf(int block, int tile) const { return static_cast<ptrdiff_t>(block * tiles + tile) * kRows; }

  /// Rounds the rows of a tile, multiplied by the weight's factors.
  void round(int tile, const float* a, ptrdiff_t stride, const float* factors, int rows, int depth) const {
    for (int r = 0; r < kRows; ++r) {
      const float* const row = a + std::min(r, rows - 1) * stride;
      // The largest magnitude of each block, until `offsets` replace them.
      auto* const most = reinterpret_cast<float*>(offsets) + r;
      float scaled[kScaleBlock];
      f32x4 sums{};
      for (int begin = 0, block = 0; begin < depth; begin += kScaleBlock, ++block) {
        const int length = multiplied(row + begin, factors + begin, depth - begin, scaled);
        for (int k = 0; k < length; k += kLanes) sums += magnitudes(load(scaled + k));
        most[rowOf(block, tile)] = largestMagnitude(scaled, length);
      }
      // Of a row with an infinite or NaN number, none is larger.
      const float least = (sums[0] + sums[1] + sums[2] + sums[3]) * (kTimesMean / static_cast<float>(depth));
      Large& own = large[tile * kRows + r];
      own.count = 0;
      for (int begin = 0, block = 0; begin < depth; begin += kScaleBlock, ++block) {
        if (!(most[rowOf(block, tile)] > least)) continue;
        for (int k = begin; k < std::min(depth, begin + kScaleBlock); ++k) {
          const float x = row[k] * factors[k];
          if (std::fabs(x) > least) own.add(x, k);
        }
      }
      for (int begin = 0, block = 0; begin < depth; begin += kScaleBlock, ++block) {
        const ptrdiff_t at = rowOf(block, tile);
        const int length = multiplied(row + begin, factors + begin, depth - begin, scaled);
        if (most[at] > least) {
          own.remove(begin, length, scaled);
          most[at] = largestMagnitude(scaled, length);
        }
        const Scale scale(most[at], Form::kMostInput);
        int32_t* to = wordsOf(block, tile, length / kFour) + r;
        i32x4 sums{};
        for (int k = 0; k < length; k += kFour, to += Form::kWords * kRows) {
          const i32x4 four = nearest(load(scaled + k) * scale.inverse);
          storeFour<Form>(four, to, kRows);
          sums += four;
        }
        scales[at + r] = scale.value;
        offsets[at + r] = -kOffset<Form> * (sums[0] + sums[1] + sums[2] + sums[3]);
      }
    }
  }
};

/// Words of one block of a panel, as `addBlock` reads them.
template <typename Form>
constexpr int kBlockWords = kScaleBlock / kFour* Form::kWords* kTileCols;

/// A block of a panel for several rows: its bytes if the processor multiplies bytes, otherwise `wide`, filled with
/// numbers of 16 bits.
template <typename Form>
inline const int32_t* widened(const int32_t* bytes, int fours, int32_t* wide) {
  if constexpr (Form::kWords == 1) return bytes;
  for (int32_t* to = wide; to != wide + fours * Form::kWords * kTileCols; to += Form::kWords * kTileCols) {
    for (int half = 0; half < kTileCols; half += kLanes, bytes += kLanes) {
      const i32x4 b = load(bytes);
      store(to + half, partOf<Form, 0>(b));
      store(to + kTileCols + half, partOf<Form, 1>(b));
    }
  }
  return wide;
}

/// Adds a widened block of the product to the totals of kTogether rows. The sums begin at `offsets`; `inputs` has the
/// rows' scales, and `weights` the columns'. Not inlined, so that all operands of the loop stay in registers.
template <typename Form>
[[gnu::noinline]] void addBlock(const int32_t* a, const int32_t* b, int fours, const int32_t* offsets,
                                const float* inputs, const float* weights, f32x4 (&totals)[kTogether][2]) {
  i32x4 left[kTogether], right[kTogether];
  for (int r = 0; r < kTogether; ++r) left[r] = right[r] = loadSplat(offsets + r);
  const int32_t* const end = b + fours * Form::kWords * kTileCols;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; b != end; a += kTogether, b += kTileCols) {
    const i32x4 b0 = load(b), b1 = load(b + kLanes);
    for (int r = 0; r < kTogether; ++r) {
      const i32x4 words = loadSplat(a + r);
      left[r] = addDot<Form>(words, b0, left[r]);
      right[r] = addDot<Form>(words, b1, right[r]);
    }
  }
  for (int r = 0; r < kTogether; ++r) {
    totals[r][0] += toFloats(left[r]) * load(weights) * inputs[r];
    totals[r][1] += toFloats(right[r]) * load(weights + kLanes) * inputs[r];
  }
}

/// The same for one row and the panel's bytes, which are used once and so not widened in memory.
template <typename Form>
inline void addBlock(const int32_t* a, const int32_t* b, int fours, const int32_t* offset, const float* input,
                     const float* weights, f32x4 (&totals)[1][2]) {
  i32x4 left = loadSplat(offset), right = left;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (const int32_t* const end = b + fours * kTileCols; b != end; a += Form::kWords, b += kTileCols) {
    const i32x4 b0 = load(b), b1 = load(b + kLanes), first = loadSplat(a);
    left = addDot<Form>(first, partOf<Form, 0>(b0), left);
    right = addDot<Form>(first, partOf<Form, 0>(b1), right);
    if constexpr (Form::kWords == 2) {
      const i32x4 second = loadSplat(a + 1);
      left = addDot<Form>(second, partOf<Form, 1>(b0), left);
      right = addDot<Form>(second, partOf<Form, 1>(b1), right);
    }
  }
  totals[0][0] += toFloats(left) * load(weights) * *input;
  totals[0][1] += toFloats(right) * load(weights + kLanes) * *input;
}

/// Adds the products of a row's large numbers with a panel to its totals.
template <typename Form>
[[gnu::noinline]] void addLarge(const Large& large, const float* panel, f32x4 (&totals)[2]) {
  for (int i = 0; i < large.count; ++i) {
    const int block = large.at[i] / kScaleBlock, k = large.at[i] % kScaleBlock;
    const float* const scales = panel + (kScaleBlock / kFour + 1) * kTileCols * block;
    const auto* const words = reinterpret_cast<const int32_t*>(scales) + kTileCols * (1 + k / kFour);
    for (int half = 0; half < 2; ++half) {
      const i32x4 bytes = (load(words + half * kLanes) >> 8 * (k % kFour)) & splat(0xff);
      totals[half] += toFloats(bytes - splat(kOffset<Form>)) * load(scales + half * kLanes) * large.value[i];
    }
  }
}

/// Panels [first, end) of the product for `rows` of the inputs. Each block of a panel is used for all rows at once.
template <typename Form, int kRows>
[[gnu::noinline]] void multiplyPanels(const Inputs<Form, kRows>& inputs, const float* packed, const float* bias,
                                      float* c, ptrdiff_t c_stride, int rows, int first, int end, int cols, int depth) {
  const int tiles = kRows == 1 ? 1 : static_cast<int>(tilesOf<kRows>(rows));
  const int blocks = static_cast<int>(blocksOf(depth));
  const ptrdiff_t panel_words = panelWords(depth);
  for (int panel = first; panel < end; ++panel) {
    f32x4 totals[kRows == 1 ? 1 : kTiles][kRows][2];
    for (int tile = 0; tile < tiles; ++tile) {
      for (auto& row : totals[tile]) row[0] = row[1] = f32x4{};
    }
    alignas(16) int32_t wide[kRows == 1 ? 1 : kBlockWords<Form>];
    const float* scales = packed + panel_words * panel;
    for (int block = 0; block < blocks; ++block) {
      const auto* const bytes = reinterpret_cast<const int32_t*>(scales) + kTileCols;
      const int fours = foursIn(std::min(depth - block * kScaleBlock, kScaleBlock));
      const int32_t* const b = kRows == 1 ? bytes : widened<Form>(bytes, fours, wide);
      for (int tile = 0; tile < tiles; ++tile) {
        const ptrdiff_t at = inputs.rowOf(block, tile);
        addBlock<Form>(inputs.wordsOf(block, tile, fours), b, fours, inputs.offsets + at, inputs.scales + at, scales,
                       totals[tile]);
      }
      scales = reinterpret_cast<const float*>(bytes + fours * kTileCols);
    }
    const int col = panel * kTileCols;
    for (int row = 0; row < rows; ++row) {
      auto& total = totals[row / kRows][row % kRows];
      if (inputs.large[row].count > 0) addLarge<Form>(inputs.large[row], packed + panel_words * panel, total);
      const f32x4 left = total[0], right = total[1];
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

template <typename Form, int kRows>
void multiply(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
              int rows, int cols, int depth, float* scratch) {
  const int tiles = static_cast<int>(tilesOf<kRows>(rows)), together = std::min(tiles, kTiles);
  parallelFor(tiles, kCopyWork * rows * depth, [&](int i, int) {
    const int row = i * kRows;
    Inputs<Form, kRows>(scratch, depth, together, i / together)
        .round(i % together, a + row * a_stride, a_stride, packed, std::min(rows - row, kRows), depth);
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
    multiplyPanels<Form, kRows>(Inputs<Form, kRows>(scratch, depth, together, row_block), packed + factorsSize(depth),
                                bias, c + row * c_stride, c_stride, std::min(rows - row, block_rows), bound(part),
                                bound(part + 1), cols, depth);
  });
}

}  // namespace

template <typename Form>
int64_t int8Size(int64_t depth, int64_t cols) {
  return factorsSize(depth) + times(roundUp(cols, kTileCols) / kTileCols, panelWords(depth));
}

void weighInt8Columns(const float* rows, int inputs, int count, float* packed) {
  for (int row = 0; row < count; ++row, rows += inputs) {
    float sum = 0;
    for (int k = 0; k < inputs; ++k) sum += std::fabs(rows[k]);
    // Each row counts the same, however large it is.
    const float inverse = 1 / sum;
    if (!(sum > 0 && inverse > 0 && inverse < std::numeric_limits<float>::infinity())) continue;
    for (int k = 0; k < inputs; ++k) packed[k] += std::fabs(rows[k]) * inverse;
  }
}

void scaleInt8Columns(float* packed, int inputs, float* sorted) {
  std::copy(packed, packed + inputs, sorted);
  float* const middle = sorted + inputs / 2;
  std::nth_element(sorted, middle, sorted + inputs);
  const float typical = inputs > 0 ? *middle : 0;
  for (int k = 0; k < inputs; ++k) {
    const float times = packed[k] / typical;
    const bool is_usual = times >= 1 / kUnusual && times <= kUnusual;
    // Also for a column of zeros, an infinite number, or a matrix of which half is zero.
    const bool is_finite = times > 0 && times < std::numeric_limits<float>::infinity();
    packed[k] = is_usual || !is_finite ? 1 : std::ldexp(1.0f, std::clamp(std::ilogb(times), -kMostShift, kMostShift));
  }
  // Of at most 1, so that no input becomes infinite.
  const float largest = inputs > 0 ? *std::max_element(packed, packed + inputs) : 1;
  for (int k = 0; k < inputs; ++k) packed[k] /= largest;
}

template <typename Form>
void packInt8Part(const float* w, int depth, int, int first, int count, float* packed) {
  const float* const factors = packed;
  float* const panels = packed + factorsSize(depth);
  parallelFor(count, kCopyWork * count * depth, [&](int row, int) {
    const float* const from = w + static_cast<ptrdiff_t>(row) * depth;
    float* to = panels + panelWords(depth) * ((first + row) / kTileCols);
    const int c = (first + row) % kTileCols;
    for (int begin = 0; begin < depth; begin += kScaleBlock) {
      float scaled[kScaleBlock];
      const int length = divided(from + begin, factors + begin, depth - begin, scaled);
      const Scale scale(largestMagnitude(scaled, length), Form::kMostWeight);
      to[c] = scale.value;
      to += kTileCols;
      for (int k = 0; k < length; k += kFour, to += kTileCols) {
        reinterpret_cast<int32_t*>(to)[c] = bytesOf(nearest(load(scaled + k) * scale.inverse) + splat(kOffset<Form>));
      }
    }
  });
}

template <typename Form>
void unpackInt8Column(const float* packed, int depth, int, int col, float* out) {
  const float* const factors = packed;
  const float* from = packed + factorsSize(depth) + panelWords(depth) * (col / kTileCols);
  const int c = col % kTileCols;
  for (int begin = 0; begin < depth; begin += kScaleBlock) {
    const float scale = from[c];
    from += kTileCols;
    const int length = std::min(depth - begin, kScaleBlock);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(from);
    for (int k = 0; k < length; ++k) {
      const int q = bytes[(k / kFour * kTileCols + c) * kFour + k % kFour] - kOffset<Form>;
      out[begin + k] = static_cast<float>(q) * scale * factors[begin + k];
    }
    from += foursOf(length) * kTileCols;
  }
}

template <typename Form>
void multiplyInt8(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c,
                  ptrdiff_t c_stride, int rows, int cols, int depth, float* scratch) {
  if (rows == 1) {
    multiply<Form, 1>(a, a_stride, packed, bias, c, c_stride, rows, cols, depth, scratch);
  } else if (rows > 0) {
    multiply<Form, kTogether>(a, a_stride, packed, bias, c, c_stride, rows, cols, depth, scratch);
  }
}

template <typename Form>
int64_t int8Scratch(int64_t rows, int64_t depth) {
  if (rows == 1) return Inputs<Form, 1>::size(depth, 1);
  const int64_t tiles = tilesOf<kTogether>(rows), together = std::min<int64_t>(tiles, kTiles);
  return times((tiles + kTiles - 1) / kTiles, Inputs<Form, kTogether>::size(depth, together));
}

template int64_t int8Size<Int8>(int64_t, int64_t);
template void packInt8Part<Int8>(const float*, int, int, int, int, float*);
template void unpackInt8Column<Int8>(const float*, int, int, int, float*);
template void multiplyInt8<Int8>(const float*, ptrdiff_t, const float*, const float*, float*, ptrdiff_t, int, int, int,
                                 float*);
template int64_t int8Scratch<Int8>(int64_t, int64_t);

template int64_t int8Size<Int8Fine>(int64_t, int64_t);
template void packInt8Part<Int8Fine>(const float*, int, int, int, int, float*);
template void unpackInt8Column<Int8Fine>(const float*, int, int, int, float*);
template void multiplyInt8<Int8Fine>(const float*, ptrdiff_t, const float*, const float*, float*, ptrdiff_t, int, int,
                                     int, float*);
template int64_t int8Scratch<Int8Fine>(int64_t, int64_t);

}  // namespace wasm_attention
