// Matrix products: depth blocks of b in panels of 8 columns, row blocks of a packed on the way, a 4 x 8 tile at a time.
//
// Versions tried (GFLOP/s for 512^3 with packing / 1024^3 with packing / 512 x 768 x 768 packed before; wasm, Xeon of the
// Sapphire Rapids kind, Node 20; a tile in L1 reaches 45 to 47):
//   depth 384, rows 16                                    41.7 / 41.7 / 43.0   <- this
//   depth 256, rows 16 / 32 / 64                          40.6 / 41.4 / 42.3, 40.9 / 41.4 / 42.5, 41.1 / 40.6 / 42.7
//   depth 512, rows 8 / 16 / 32                           42.4 / 39.3 / 41.3, 42.3 / 40.7 / 42.4, 42.8 / 41.5 / 42.7
//   depth 512 or 384 in equal blocks, rows 32, and columns in blocks of 256 or 512 (b's block in L2)
//                                                         41.4 / 41.8 / 42.7, 41.7 / 42.1 / 42.3: no gain for a third loop
// At a depth of 64 and 128 (a step of training of an encoder layer, 64 wide, of 8.2 ms; fastest of two runs):
//   rows 16 / up to 32 / up to 64 of a shallow a          7.89 / 7.80 / 7.74: the second, whose rows of c lie in fewer sets of L1
// And what becomes of a tile (GFLOP/s of 256 rows by 64 by 192 / 64 by 64 / 128 by 64, where a tile in L1 reached 41.3 on a busy
// machine; three runs):
//   a loop over its rows, edges within                    36.2 / 36.1 / 38.6
//   spelt out, edges in a function of their own           38.5 / 38.9 / 39.5   <- this
// On two threads (ms for 1024^3 / 512^3 packed before, arrays in and out, least of 15 samples in turns; 57.5 / 7.1 on one):
//   a loop for each block of the depth                    32.7 / 3.94
//   one for all, while the caller copies in and out       31.5 / 3.86   <- this
// Of that 31.5 a thread has 28.5 to 31 of blocks, each of which takes 5 % longer than alone, the caller 2.5 of copies.
#include "kernels/gemm.h"

#include <algorithm>

#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/stream.h"
#include "kernels/tile.h"
#include "simd/f32x4.h"

namespace wasm_attention {
namespace {

// A panel of b, kDepthBlock x 8, and a block of a, kRowBlock x kDepthBlock, stay in L1 together (12 KB + 24 KB).
constexpr int kDepthBlock = 384;
constexpr int kRowBlock = 16;
constexpr int kBlockFloats = kRowBlock * kDepthBlock;
// Of a shallow a there are more rows in a block, so that b's panels are read less often.
constexpr int kMostRows = 32;

/// What a product is added to: c itself, or where this is the first block of the depth, the bias for every row, or zeros.
struct Addend {
  const float* from;
  ptrdiff_t stride;  // from one row to the next
  int step;          // from one column to the next: 0 for zeros
};

alignas(16) constexpr float kZeros[kTileCols] = {};

Addend addendOf(bool first, const float* bias, const float* c, ptrdiff_t c_stride) {
  if (!first) return {c, c_stride, 1};
  return bias ? Addend{bias, 0, 1} : Addend{kZeros, 0, 0};
}

void storePart(const Tile& tile, const float* from, ptrdiff_t from_stride, float* c, ptrdiff_t stride, int rows,
               int cols) {
  for (int r = 0; r < rows; ++r, c += stride, from += from_stride) {
    for (int j = 0; j < cols; ++j) c[j] = from[j] + tile.sum[r][j / kLanes][j % kLanes];
  }
}

/// A tile at the edge of c. A function of its own, so that the others stay in registers.
[[gnu::noinline]] void multiplyPart(const float* a, const float* panel, int depth, const float* from,
                                    ptrdiff_t from_stride, float* c, ptrdiff_t stride, int rows, int cols) {
  storePart(multiplyTile<kTileRows>(a, panel, depth), from, from_stride, c, stride, rows, cols);
}

/// One row of a times one depth block of b, four panels at a time: with a single row the product runs at the speed of
/// memory, and a 4 x 8 tile would do four times the work. The tile's additions in its order: with which rows a row goes changes no bit.
[[gnu::noinline]] void multiplyRow(const float* a, const float* panels, const Addend& plus, float* c, int cols,
                                   int depth) {
  constexpr int kPanels = 4;
  for (int j = 0; j < cols; j += kPanels * kTileCols, panels += static_cast<size_t>(kPanels) * kTileCols * depth) {
    const int count = std::min(kPanels, (cols - j + kTileCols - 1) / kTileCols);
    f32x4 sums[kPanels][2] = {};
    if (count == kPanels) {
      for (int k = 0; k < depth; ++k) {
        const f32x4 ak = loadSplat(a + k);
        for (int p = 0; p < kPanels; ++p) {
          const float* b = panels + static_cast<size_t>(p * depth + k) * kTileCols;
          sums[p][0] = multiplyAdd(ak, load(b), sums[p][0]);
          sums[p][1] = multiplyAdd(ak, load(b + kLanes), sums[p][1]);
        }
      }
    } else {
      for (int p = 0; p < count; ++p) {
        for (int k = 0; k < depth; ++k) {
          const float* b = panels + static_cast<size_t>(p * depth + k) * kTileCols;
          const f32x4 ak = loadSplat(a + k);
          sums[p][0] = multiplyAdd(ak, load(b), sums[p][0]);
          sums[p][1] = multiplyAdd(ak, load(b + kLanes), sums[p][1]);
        }
      }
    }
    for (int p = 0; p < count; ++p) {
      Tile tile{};
      tile.sum[0][0] = sums[p][0];
      tile.sum[0][1] = sums[p][1];
      const int col = j + p * kTileCols;
      storePart(tile, plus.from + col * plus.step, 0, c + col, 0, 1, std::min(cols - col, kTileCols));
    }
  }
}

/// A block of rows of a times one depth block of b. A function of its own, so that an engine's optimised code
/// comes into play while the first product is still under way.
[[gnu::noinline]] void multiplyRows(const float* a, ptrdiff_t a_stride, const float* panels, const Addend& plus,
                                    float* c, ptrdiff_t c_stride, int rows, int cols, int depth) {
  alignas(16) float block[kBlockFloats];
  packRows<kTileRows>(a, a_stride, rows, depth, 1.0f, block);
  for (int j = 0; j < cols; j += kTileCols, panels += static_cast<size_t>(kTileCols) * depth) {
    const float* left = block;
    const float* from = plus.from + j * plus.step;
    float* to = c + j;
    for (int r = 0; r < rows; r += kTileRows) {
      if (rows - r >= kTileRows && cols - j >= kTileCols) {
        addTile(multiplyTile<kTileRows>(left, panels, depth), from, plus.stride, to, c_stride);
      } else {
        multiplyPart(left, panels, depth, from, plus.stride, to, c_stride, std::min(rows - r, kTileRows),
                     std::min(cols - j, kTileCols));
      }
      left += kTileRows * depth;
      from += kTileRows * plus.stride;
      to += kTileRows * c_stride;
    }
  }
}

void fillRows(const float* bias, float* c, ptrdiff_t c_stride, int rows, int cols) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) c[i * c_stride + j] = bias ? bias[j] : 0.0f;
  }
}

/// Columns of c that a thread takes at a time. Fewer than all only where there are few blocks of rows: each part packs its
/// rows of a anew.
int columnsAtOnce(int row_blocks, int cols, double work) {
  constexpr int kParts = 4;  // for each thread
  constexpr int kColumns = 4 * kTileCols;
  const int wanted = kParts * threadCount();
  if (!worthSharing(work) || row_blocks >= wanted) return std::max(cols, 1);
  const int parts = (wanted + row_blocks - 1) / std::max(row_blocks, 1);
  return std::max(roundUp((cols + parts - 1) / parts, kColumns), kColumns);
}

/// c = a * b + bias, or c += a * b where it does not overwrite. Blocks of rows, of one block of the depth after the other: a thread
/// that takes some rows finds what they are added to, or waits for those who are at it.
class Product {
 public:
  Product(int rows, int cols, int depth)
      : rows_(rows),
        cols_(cols),
        depth_(depth),
        step_(
            std::clamp(kBlockFloats / std::clamp(depth, 1, kDepthBlock) / kTileRows * kTileRows, kRowBlock, kMostRows)),
        rowBlocks_((rows + step_ - 1) / step_),
        work_(static_cast<double>(rows) * cols * depth),
        width_(columnsAtOnce(rowBlocks_, cols, work_)),
        colBlocks_((cols + width_ - 1) / width_),
        perGroup_((rowBlocks_ + kMostGroups - 1) / kMostGroups) {}

  /// Rows whose progress is counted together.
  int groupRows() const { return perGroup_ * step_; }

  /// stream  of groups of rows
  void run(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, bool overwrite, float* c,
           ptrdiff_t c_stride, Stream* stream) {
    const int blocks = rowBlocks_ * colBlocks_;
    const int depth_blocks = (depth_ + kDepthBlock - 1) / kDepthBlock;
    parallelFrom(stream ? -1 : 0, depth_blocks * blocks, work_, [&](int index, int thread) {
      if (index < 0) return stream->bringIn();
      const int k_block = index / blocks;
      const int row_block = index % blocks % rowBlocks_;
      const int group = row_block / perGroup_;
      if (stream) stream->await(row_block * step_, thread);
      done_[group].await(k_block * inGroup(group), thread);

      const int i = row_block * step_;
      const int j = index % blocks / rowBlocks_ * width_;
      const int k = k_block * kDepthBlock;
      const int count = std::min(rows_ - i, step_);
      const int width = std::min(cols_ - j, width_);
      const int depth = std::min(depth_ - k, kDepthBlock);
      const float* from = a + i * a_stride + k;
      const float* panels =
          packed + k_block * panelsSize(cols_, kDepthBlock, kTileCols) + static_cast<size_t>(j) * depth;
      float* to = c + i * c_stride + j;
      const Addend plus = addendOf(overwrite && k == 0, bias ? bias + j : nullptr, to, c_stride);
      if (count == 1) {
        multiplyRow(from, panels, plus, to, width, depth);
      } else {
        multiplyRows(from, a_stride, panels, plus, to, c_stride, count, width, depth);
      }
      done_[group].advance();
      if (stream)
        stream->takeOut(thread, [&](int first, int) {
          const int group = first / groupRows();
          return done_[group].reached(depth_blocks * inGroup(group));
        });
    });
  }

 private:
  static constexpr int kMostGroups = 64;

  /// Blocks of c that a group has.
  int inGroup(int group) const { return std::min(perGroup_, rowBlocks_ - group * perGroup_) * colBlocks_; }

  const int rows_, cols_, depth_, step_, rowBlocks_;
  const double work_;
  const int width_, colBlocks_, perGroup_;
  Progress done_[kMostGroups];
};

/// f(column, columns, panels of these) for parts of a block of a packed matrix that threads can pack apart.
template <typename F>
void forColumns(int depth, int cols, float* packed, const F& f) {
  constexpr int kColumns = 4 * kTileCols;
  parallelFor((cols + kColumns - 1) / kColumns, kCopyWork * depth * cols, [&](int i, int) {
    const int col = i * kColumns;
    f(col, std::min(cols - col, kColumns), packed + static_cast<size_t>(col) * depth);
  });
}

}  // namespace

int64_t packedSize(int depth, int cols) { return panelsSize(cols, depth, kTileCols); }

// Panels are cut into blocks of the depth: block after block, and within one panel after panel.
void packMatrix(const float* b, int depth, int cols, float* packed) {
  for (int k = 0; k < depth; k += kDepthBlock) {
    const int block = std::min(depth - k, kDepthBlock);
    const float* const from = b + static_cast<ptrdiff_t>(k) * cols;
    forColumns(block, cols, packed,
               [&](int col, int count, float* panels) { packColumns(from + col, cols, block, count, panels); });
    packed += panelsSize(cols, block, kTileCols);
  }
}

void packTransposed(const float* w, int depth, int cols, float* packed) {
  for (int k = 0; k < depth; k += kDepthBlock) {
    const int block = std::min(depth - k, kDepthBlock);
    forColumns(block, cols, packed, [&](int col, int count, float* panels) {
      packRows<kTileCols>(w + static_cast<ptrdiff_t>(col) * depth + k, depth, count, block, 1.0f, panels);
    });
    packed += panelsSize(cols, block, kTileCols);
  }
}

void gemm(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
          int rows, int cols, int depth) {
  if (depth == 0) fillRows(bias, c, c_stride, rows, cols);
  Product(rows, cols, depth).run(a, a_stride, packed, bias, true, c, c_stride, nullptr);
}

void gemmStreamed(const float* a, const float* packed, const float* bias, float* c, int rows, int cols, int depth) {
  if (depth == 0) fillRows(bias, c, cols, rows, cols);
  Product product(rows, cols, depth);
  Stream stream(rows, product.groupRows());
  product.run(a, depth, packed, bias, true, c, cols, &stream);
}

void gemmAdd(const float* a, ptrdiff_t a_stride, const float* packed, float* c, ptrdiff_t c_stride, int rows, int cols,
             int depth) {
  Product(rows, cols, depth).run(a, a_stride, packed, nullptr, false, c, c_stride, nullptr);
}

}  // namespace wasm_attention
