#include <algorithm>

#include "attention.h"
#include "kernels/cutter.h"
#include "kernels/gemm.h"
#include "kernels/parallel.h"

namespace wasm_attention {
namespace {

/// The same products, as few as possible: products that share b are merged if their other operands have no gaps between
/// them.
struct Products {
  int64_t outer, inner, rows;

  explicit Products(const MatmulArgs& a) : outer(a.outer), inner(a.inner), rows(a.rows) {
    if (a.bInner == 0 && (inner == 1 || a.aInner == rows * a.depth)) {
      rows = times(rows, inner);
      inner = 1;
    }
    if (inner == 1 && a.bOuter == 0 && (outer == 1 || a.aOuter == times(rows, a.depth))) {
      rows = times(rows, outer);
      outer = 1;
    }
  }

  /// Whether each thread takes whole products. If there are few, threads share each of them instead.
  bool shared() const { return threadCount() > 1 && outer * inner >= 2 * threadCount(); }
};

}  // namespace

int64_t matmulScratch(const MatmulArgs& args) {
  return times(packedSize(args.depth, args.cols), Products(args).shared() ? threadCount() : 1);
}

void matmul(const MatmulArgs& args, float* scratch) {
  const Products n(args);
  const int count = static_cast<int>(n.outer * n.inner), rows = static_cast<int>(n.rows);
  const double work = 1.0 * count * rows * args.depth * args.cols;
  wakeThreads(work);
  const size_t packed_size = packedSize(args.depth, args.cols);
  parallelFor(count, n.shared() ? work : -1, [&](int i, int thread) {
    const ptrdiff_t outer = i / n.inner, inner = i % n.inner;
    float* const packed = scratch + thread * packed_size;
    packMatrix(args.b + outer * args.bOuter + inner * args.bInner, args.depth, args.cols, packed);
    gemm(args.a + outer * args.aOuter + inner * args.aInner, args.depth, packed, nullptr,
         args.out + static_cast<size_t>(i) * rows * args.cols, args.cols, rows, args.cols, args.depth);
  });
}

}  // namespace wasm_attention
