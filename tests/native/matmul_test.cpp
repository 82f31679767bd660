#include "attention.h"
#include "property.h"

namespace wasm_attention {
namespace {

PROPERTY(Matmul, BroadcastsStacks) {
  const int outer = draw.integer(1, 3), inner = draw.integer(1, 3);
  const int rows = draw.integer(1, draw.flag() ? 300 : 9), depth = draw.integer(0, draw.flag() ? 500 : 20);
  const int cols = draw.integer(1, 30);
  const int a_outer = draw.flag() ? 1 : outer, a_inner = draw.flag() ? 1 : inner;
  const int b_outer = draw.flag() ? 1 : outer, b_inner = draw.flag() ? 1 : inner;
  const std::vector<float> a = draw.floats(size_t(a_outer) * a_inner * rows * depth);
  const std::vector<float> b = draw.floats(size_t(b_outer) * b_inner * depth * cols);
  std::vector<float> out(size_t(outer) * inner * rows * cols, NAN);
  MatmulArgs args{a.data(), b.data(), out.data(), outer, inner, rows, depth, cols, 0, 0, 0, 0};
  if (a_outer > 1) args.aOuter = a_inner * rows * depth;
  if (a_inner > 1) args.aInner = rows * depth;
  if (b_outer > 1) args.bOuter = b_inner * depth * cols;
  if (b_inner > 1) args.bInner = depth * cols;
  std::vector<float> scratch(matmulScratch(args), NAN);
  matmul(args, scratch.data());
  for (size_t i = 0; i < out.size(); ++i) {
    const int col = i % cols, row = i / cols % rows, at = i / (size_t(rows) * cols);
    const size_t left = at / inner * args.aOuter + at % inner * args.aInner + size_t(row) * depth;
    const size_t right = at / inner * args.bOuter + at % inner * args.bInner + col;
    Sum sum;
    for (int k = 0; k < depth; ++k) sum.add(double{a[left + k]} * b[right + size_t(k) * cols]);
    expectNear(out[i], sum.value, sum.tolerance(), "product", i);
  }
}

}  // namespace
}  // namespace wasm_attention
