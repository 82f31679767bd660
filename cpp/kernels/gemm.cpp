// Matrix products: the order of blocks of rows, columns and depth, and how threads share them.
//
// Versions tried (GFLOP/s of 512^3 / 1024^3 with packing b / 512 x 768 x 768 without; Sapphire Rapids, Node 20, where a
// tile in L1 reaches 45 to 47):
//   depth 384, rows 16                             41.7 / 41.7 / 43.0   <- this
//   depth 256, rows 16                             40.6 / 41.4 / 42.3
//   depth 256, rows 32                             40.9 / 41.4 / 42.5
//   depth 256, rows 64                             41.1 / 40.6 / 42.7
//   depth 512, rows 8                              42.4 / 39.3 / 41.3
//   depth 512, rows 16                             42.3 / 40.7 / 42.4
//   depth 512, rows 32                             42.8 / 41.5 / 42.7
//   depth 384 or 512, rows 32, columns 256         41.4 / 41.8 / 42.7
//   depth 384 or 512, rows 32, columns 512         41.7 / 42.1 / 42.3, no gain for a third loop
// Today: npm run bench -- --work matmul-512,matmul-1024
//
// Versions tried for a depth of 64 and 128 (ms of a step of training; Sapphire Rapids, Node 20):
//   rows 16                                        7.89
//   rows up to 32                                  7.80   <- this
//   rows up to 64                                  7.74, but rows of c share few sets of L1
// Today: npm run bench -- --work training
//
// Versions tried on two threads (ms of 1024^3 / 512^3 without packing; 57.5 / 7.1 on one; Sapphire Rapids, Node 20):
//   a loop for each block of the depth             32.7 / 3.94
//   one loop for all, while the caller copies      31.5 / 3.86   <- this
// Today: npm run bench -- --scaling --work matmul-1024
#include "kernels/gemm.h"

#include <algorithm>

#include "kernels/multiply_rows.h"
#include "kernels/pack.h"
#include "kernels/parallel.h"
#include "kernels/stream.h"
#include "kernels/tile.h"

namespace wasm_attention {
namespace {

// If the depth is less than a block, blocks have up to this many rows, so that b's panels are read less often.
constexpr int kMostRows = 32;

alignas(16) constexpr float kZeros[kTileCols] = {};

Addend addendOf(bool first, const float* bias, const float* c, ptrdiff_t c_stride) {
  if (!first) return {c, c_stride, 1};
  return bias ? Addend{bias, 0, 1} : Addend{kZeros, 0, 0};
}

void fillRows(const float* bias, float* c, ptrdiff_t c_stride, int rows, int cols) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) c[i * c_stride + j] = bias ? bias[j] : 0.0f;
  }
}

/// The number of columns of c that a thread takes at a time: all, unless there are too few blocks of rows to share.
/// With fewer columns, rows of a are packed more than once.
int columnsAtOnce(int row_blocks, int cols, double work) {
  constexpr int kParts = 4;  // for each thread
  constexpr int kColumns = 4 * kTileCols;
  const int wanted = kParts * threadCount();
  if (!worthSharing(work) || row_blocks >= wanted) return std::max(cols, 1);
  const int parts = (wanted + row_blocks - 1) / std::max(row_blocks, 1);
  return std::max(roundUp((cols + parts - 1) / parts, kColumns), kColumns);
}

/// c = a * b + bias, or c += a * b, in blocks of rows, columns and depth, which threads share.
///
/// For each block of the depth there is a pass over the blocks of c, which adds to the result of the previous pass.
/// Progress is counted for bands of neighbouring blocks of rows: a thread waits until the previous pass is done with
/// the whole band.
class Product {
 public:
  Product(int rows, int cols, int depth)
      : Product(rows, cols, depth,
                std::clamp(kBlockFloats / std::clamp(depth, 1, kDepthBlock) / kTileRows * kTileRows, kRowBlock,
                           kMostRows)) {}

  Product(int rows, int cols, int depth, int block_rows)
      : rows_(rows),
        cols_(cols),
        depth_(depth),
        blockRows_(block_rows),
        rowBlocks_((rows + blockRows_ - 1) / blockRows_),
        work_(static_cast<double>(rows) * cols * depth),
        blockCols_(columnsAtOnce(rowBlocks_, cols, work_)),
        colBlocks_((cols + blockCols_ - 1) / blockCols_),
        bandBlocks_((rowBlocks_ + kMostBands - 1) / kMostBands) {}

  int bandRows() const { return bandBlocks_ * blockRows_; }

  /// stream  of the rows, in parts of bandRows(); or null
  /// finite  whether all numbers of a float16 weight are
  template <typename Weight>
  void run(const float* a, ptrdiff_t a_stride, const Weight* packed, const float* bias, bool overwrite, float* c,
           ptrdiff_t c_stride, Stream* stream, bool finite = true) {
    const int blocks = rowBlocks_ * colBlocks_;
    const int depth_blocks = (depth_ + kDepthBlock - 1) / kDepthBlock;
    const auto multiply = [&](int index, int thread) {
      const int depth_block = index / blocks;
      const int row_block = index % blocks % rowBlocks_;
      const int col_block = index % blocks / rowBlocks_;
      Progress& done = done_[row_block / bandBlocks_];
      if (stream) stream->await(row_block * blockRows_, thread);
      done.await(depth_block * blocksOf(row_block / bandBlocks_), thread);

      const int i = row_block * blockRows_;
      const int j = col_block * blockCols_;
      const int k = depth_block * kDepthBlock;
      const int rows = std::min(rows_ - i, blockRows_);
      const int cols = std::min(cols_ - j, blockCols_);
      const int depth = std::min(depth_ - k, kDepthBlock);
      const float* from = a + i * a_stride + k;
      const Weight* panels =
          packed + depth_block * panelsSize(cols_, kDepthBlock, kPanelCols<Weight>) + static_cast<size_t>(j) * depth;
      float* to = c + i * c_stride + j;
      const Addend plus = addendOf(overwrite && k == 0, bias ? bias + j : nullptr, to, c_stride);
      if (rows == 1 && finite) {
        multiplyRow(from, panels, plus, to, cols, depth);
      } else {
        multiplyRows(from, a_stride, panels, plus, to, c_stride, rows, cols, depth, finite);
      }
      done.advance();
    };
    streamedFor(stream, depth_blocks * blocks, work_, multiply, [&](int first, int) {
      const int band = first / bandRows();
      return done_[band].reached(depth_blocks * blocksOf(band));
    });
  }

 private:
  static constexpr int kMostBands = 64;

  /// The number of blocks of c in a band.
  int blocksOf(int band) const { return std::min(bandBlocks_, rowBlocks_ - band * bandBlocks_) * colBlocks_; }

  const int rows_, cols_, depth_;
  const int blockRows_, rowBlocks_;  // rows in a block, number of blocks
  const double work_;
  const int blockCols_, colBlocks_;
  const int bandBlocks_;  // blocks of rows in a band
  Progress done_[kMostBands];
};

}  // namespace

void gemm(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
          int rows, int cols, int depth) {
  if (depth == 0) fillRows(bias, c, c_stride, rows, cols);
  Product(rows, cols, depth).run(a, a_stride, packed, bias, true, c, c_stride, nullptr);
}

void gemmHalf(const float* a, ptrdiff_t a_stride, const float* packed, const float* bias, float* c, ptrdiff_t c_stride,
              int rows, int cols, int depth) {
  if (depth == 0) fillRows(bias, c, c_stride, rows, cols);
  const auto* const halves = reinterpret_cast<const Half*>(packed + kHalfHeader);
  Product(rows, cols, depth, kHalfRows).run(a, a_stride, halves, bias, true, c, c_stride, nullptr, packed[0] == 0);
}

void gemmStreamed(const float* a, const float* packed, const float* bias, float* c, int rows, int cols, int depth) {
  if (depth == 0) fillRows(bias, c, cols, rows, cols);
  Product product(rows, cols, depth);
  Stream stream(rows, product.bandRows());
  product.run(a, depth, packed, bias, true, c, cols, &stream);
}

void gemmAdd(const float* a, ptrdiff_t a_stride, const float* packed, float* c, ptrdiff_t c_stride, int rows, int cols,
             int depth) {
  Product(rows, cols, depth).run(a, a_stride, packed, nullptr, false, c, c_stride, nullptr);
}

}  // namespace wasm_attention
