// Convolutions and RNNs for tests, in working memory of exactly the stated size, filled with NaN.
#pragma once

#include <cmath>
#include <vector>

#include "attention.h"

namespace wasm_attention {

/// A convolution's sizes; the caller adds the tensors.
inline Conv1dArgs conv1dSizes(int batch, int in_channels, int out_channels, int length, int kernel, int stride,
                              int padding, int dilation, int groups) {
  Conv1dArgs args{};
  args.batch = batch;
  args.inChannels = in_channels;
  args.outChannels = out_channels;
  args.length = length;
  args.kernel = kernel;
  args.stride = stride;
  args.padding = padding;
  args.dilation = dilation;
  args.groups = groups;
  return args;
}

/// The result; `bias` may be null.
inline std::vector<float> runConv1d(Conv1dArgs args, const float* x, const float* weight, const float* bias) {
  const int length = conv1dLength(args.length, args.kernel, args.stride, args.padding, args.dilation);
  std::vector<float> out(static_cast<size_t>(args.batch) * args.outChannels * length, NAN);
  std::vector<float> scratch(conv1dScratch(args), NAN);
  args.x = x;
  args.weight = weight;
  args.bias = bias;
  args.out = out.data();
  conv1d(args, scratch.data());
  return out;
}

/// An RNN's sizes; the caller adds the tensors.
inline RnnArgs rnnSizes(int batch, int length, int in_width, int width, bool relu) {
  RnnArgs args{};
  args.batch = batch;
  args.length = length;
  args.inWidth = in_width;
  args.width = width;
  args.relu = relu;
  return args;
}

/// Sets `out` in `args` and returns the states.
inline std::vector<float> runRnn(RnnArgs args) {
  std::vector<float> out;
  out.reserve(1);  // for an empty batch, because arithmetic on a null pointer is undefined
  out.assign(static_cast<size_t>(args.batch) * args.length * args.width, NAN);
  std::vector<float> scratch(rnnScratch(args), NAN);
  args.out = out.data();
  rnn(args, scratch.data());
  return out;
}

}  // namespace wasm_attention
