// A convolution as a sum of products, one for each tap: W_tap (outputs, inputs) times the inputs, shifted by the tap,
// in blocks of columns.
//
// Versions tried (GFLOP/s for n = 1024, d = 128 / n = 4096, d = 128 / n = 1024, d = 512, all with k = 3; Sapphire
// Rapids, Node 20, busy, the fastest of 80 calls with copies in and out):
//   products, columns in blocks of 128                     31.5 / 30.3 / 31.7
//   in blocks of 256                                       31.0 / 20.1 / 34.2
//   in blocks of 512                                       32.4 / 33.7 / 36.2   <- this
//   rows of the output by Eigen, tap after tap (medians)   7.1 / 5.4 / 8.2
// Versions tried on two threads (speed relative to one; 1024 tokens, 128 wide, batch 4):
//   products shared                                        1.5   <- this
//   gathering a block's inputs shared too                  no gain
// One product over all taps would multiply the padding's zeros, and weights that are not finite would make them NaN.
#include <Eigen/Core>
#include <algorithm>
#include <cassert>

#include "attention.h"
#include "kernels/cutter.h"
#include "kernels/gemm.h"

namespace wasm_attention {
namespace {

using StridedRow = Eigen::Map<const Eigen::ArrayXf, Eigen::Unaligned, Eigen::InnerStride<>>;

/// ceil(a / b), at least 0.
int ceilDivide(int a, int b) { return a > 0 ? (a - 1) / b + 1 : 0; }

/// With fewer outputs in a group, tiles, which are four rows high, are not worth the packing.
constexpr int kTileOutputs = 4;
/// The number of columns of a product. They and their packed form stay in the second-level cache.
constexpr int kColumns = 512;

/// One group of channels.
struct Shape {
  int in_width, out_width, length, out_length, kernel, stride, padding, dilation;
};

/// Outputs t in [begin, end) read existing inputs, t * stride + shift. Padding is never stored.
struct Span {
  int begin, end, shift;
};

Span spanOf(const Shape& s, int tap) {
  const int shift = tap * s.dilation - s.padding;
  return {std::min(ceilDivide(-shift, s.stride), s.out_length),
          std::min(ceilDivide(s.length - shift, s.stride), s.out_length), shift};
}

/// Transposes weight (pairs, kernel) to (kernel, pairs), a matrix for each tap.
void gatherTaps(const float* weight, int pairs, int kernel, float* taps) {
  for (int tap = 0; tap < kernel; ++tap) {
    for (int pair = 0; pair < pairs; ++pair) *taps++ = weight[static_cast<size_t>(pair) * kernel + tap];
  }
}

/// Adds a product for each tap and block of columns to out (out_width, out_length).
/// taps     the group's rows of (kernel, out_channels, in_width)
/// scratch  a block's inputs, and their packed form
void addProducts(const float* x, const float* taps, int out_channels, const Shape& s, float* scratch, float* out) {
  float* const packed = scratch + static_cast<size_t>(s.in_width) * std::min(s.length, kColumns);
  for (int tap = 0; tap < s.kernel; ++tap, taps += static_cast<size_t>(out_channels) * s.in_width) {
    const Span span = spanOf(s, tap);
    for (int begin = span.begin; begin < span.end; begin += kColumns) {
      const int columns = std::min(span.end - begin, kColumns);
      const float* from = x + begin * s.stride + span.shift;
      float* to = scratch;
      for (int i = 0; i < s.in_width; ++i, from += s.length, to += columns) {
        for (int t = 0; t < columns; ++t) to[t] = from[t * s.stride];
      }
      packMatrix(scratch, s.in_width, columns, packed);
      gemmAdd(taps, s.in_width, packed, out + begin, s.out_length, s.out_width, columns, s.in_width);
    }
  }
}

/// The same row by row, for groups with few outputs.
void addRows(const float* x, const float* weight, const Shape& s, float* out) {
  for (int o = 0; o < s.out_width; ++o, out += s.out_length) {
    for (int i = 0; i < s.in_width; ++i, weight += s.kernel) {
      for (int tap = 0; tap < s.kernel; ++tap) {
        const Span span = spanOf(s, tap);
        const int count = span.end - span.begin;
        if (count <= 0) continue;
        const StridedRow read(x + static_cast<size_t>(i) * s.length + span.begin * s.stride + span.shift, count,
                              Eigen::InnerStride<>(s.stride));
        Eigen::Map<Eigen::ArrayXf>(out + span.begin, count) += weight[tap] * read;
      }
    }
  }
}

}  // namespace

int64_t conv1dLength(int length, int kernel, int stride, int padding, int dilation) {
  const int64_t span = int64_t{dilation} * (kernel - 1) + 1;
  return (length + 2 * int64_t{padding} - span) / stride + 1;
}

int64_t conv1dScratch(const Conv1dArgs& a) {
  const int in_width = a.inChannels / a.groups, columns = std::min(a.length, kColumns);
  if (a.outChannels / a.groups < kTileOutputs) return 0;
  return times(int64_t{a.outChannels} * in_width, a.kernel) + int64_t{in_width} * columns +
         packedSize(in_width, columns);
}

void conv1d(const Conv1dArgs& a, float* scratch) {
  const int groups = a.groups, in_channels = a.inChannels, out_channels = a.outChannels, kernel = a.kernel;
  const int in_width = in_channels / groups, out_width = out_channels / groups;
  assert(in_width * groups == in_channels && out_width * groups == out_channels);
  const int out_length = static_cast<int>(conv1dLength(a.length, kernel, a.stride, a.padding, a.dilation));
  const Shape shape{in_width, out_width, a.length, out_length, kernel, a.stride, a.padding, a.dilation};
  // Without inputs there is nothing to add, and the kernel may have billions of taps to loop over.
  const bool wide = out_width >= kTileOutputs && in_width > 0;
  const float *x = a.x, *weight = a.weight;
  float* out = a.out;
  if (wide) {
    gatherTaps(weight, out_channels * in_width, kernel, scratch);
    weight = scratch;
    scratch += static_cast<size_t>(out_channels) * in_width * kernel;
  }
  for (int group = 0; group < a.batch * groups; ++group) {
    const int first = group % groups * out_width;
    for (int o = 0; o < out_width; ++o) {
      std::fill_n(out + static_cast<size_t>(o) * out_length, out_length, a.bias ? a.bias[first + o] : 0.0f);
    }
    if (wide) {
      addProducts(x, weight + static_cast<size_t>(first) * in_width, out_channels, shape, scratch, out);
    } else {
      addRows(x, weight + static_cast<size_t>(first) * in_width * kernel, shape, out);
    }
    x += static_cast<size_t>(in_width) * a.length;
    out += static_cast<size_t>(out_width) * out_length;
  }
}

}  // namespace wasm_attention
