#include <Eigen/Core>
#include <algorithm>
#include <cassert>

#include "attention.h"

namespace wasm_attention {
namespace {

using StridedRow = Eigen::Map<const Eigen::ArrayXf, Eigen::Unaligned, Eigen::InnerStride<>>;

/// ceil(a / b), at least 0.
int ceilDivide(int a, int b) { return a > 0 ? (a - 1) / b + 1 : 0; }

}  // namespace

int conv1dLength(int length, int kernel, int stride, int padding, int dilation) {
  return (length + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

void conv1d(const float* x, const float* weight, const float* bias, float* out, int batch, int in_channels,
            int out_channels, int length, int kernel, int stride, int padding, int dilation, int groups) {
  const int in_width = in_channels / groups, out_width = out_channels / groups;
  assert(in_width * groups == in_channels && out_width * groups == out_channels);
  const int out_length = conv1dLength(length, kernel, stride, padding, dilation);
  for (int row = 0; row < batch * out_channels; ++row, out += out_length) {
    const int channel = row % out_channels;
    const int first_input = row / out_channels * in_channels + channel / out_width * in_width;
    Eigen::Map<Eigen::ArrayXf> sum(out, out_length);
    sum.setConstant(bias ? bias[channel] : 0.0f);
    const float* taps = weight + static_cast<size_t>(channel) * in_width * kernel;
    for (int i = 0; i < in_width; ++i, taps += kernel) {
      const float* input = x + static_cast<size_t>(first_input + i) * length;
      for (int tap = 0; tap < kernel; ++tap) {
        // Output t reads input t * stride + shift. Only those inside the input: padding is never built.
        const int shift = tap * dilation - padding;
        const int begin = std::min(ceilDivide(-shift, stride), out_length);
        const int end = std::min(ceilDivide(length - shift, stride), out_length);
        if (begin >= end) continue;
        const StridedRow read(input + begin * stride + shift, end - begin, Eigen::InnerStride<>(stride));
        sum.segment(begin, end - begin) += taps[tap] * read;
      }
    }
  }
}

}  // namespace wasm_attention
