// Positional encodings for tests, in working memory of exactly the stated size.
#pragma once

#include <cmath>
#include <vector>

#include "attention.h"

namespace wasm_attention {

/// The encodings of these positions, or if there are none, of `rows` positions from `offset` on.
inline std::vector<float> encodePositions(const std::vector<double>& frequencies, const std::vector<double>& positions,
                                          int rows, int dim, double offset, bool concatenated) {
  SinusoidalArgs args{};
  args.offset = offset;
  args.frequencies = frequencies.data();
  args.positions = positions.empty() ? nullptr : positions.data();
  args.rows = positions.empty() ? rows : static_cast<int>(positions.size());
  args.dim = dim;
  args.concatenated = concatenated;
  std::vector<float> out(static_cast<size_t>(args.rows) * dim, NAN);
  args.out = out.data();
  std::vector<double> scratch(sinusoidalEncodingScratch(args), NAN);
  sinusoidalEncoding(args, scratch.data());
  return out;
}

/// The same for rotary embeddings. With `axes`, positions are (axes, rows).
inline std::vector<float> tableOfRotations(const std::vector<double>& frequencies, const std::vector<double>& positions,
                                           int rows, int dim, double offset, float amplitude,
                                           const std::vector<int32_t>& axes = {}) {
  RotaryTableArgs args{};
  args.offset = offset;
  args.frequencies = frequencies.data();
  args.positions = positions.empty() ? nullptr : positions.data();
  args.axes = axes.empty() ? nullptr : axes.data();
  args.rows = rows;
  args.dim = dim;
  args.amplitude = amplitude;
  std::vector<float> out(static_cast<size_t>(args.rows) * dim, NAN);
  args.out = out.data();
  std::vector<double> scratch(rotaryTableScratch(args), NAN);
  rotaryTable(args, scratch.data());
  return out;
}

}  // namespace wasm_attention
