// Calls of a whole layer: projections, rotations, grouped heads, and a cache that grows in steps of any size; and
// rotations back.
#include <algorithm>

#include "fuzz.h"
#include "multi_head_layer.h"

using namespace wasm_attention;

namespace {

struct Turns {
  std::vector<float> table;  // (batch or 1, tokens, width): sines, then cosines
  int batch, tokens, width;
  bool interleaved;

  Turns(Draw& draw, int batch, int tokens, int width, bool interleaved)
      : table(size_t(batch) * tokens * width), batch(batch), tokens(tokens), width(width), interleaved(interleaved) {
    const std::vector<float> angles = draw.floats(table.size() / 2, 3);
    for (size_t i = 0; i < angles.size(); ++i) {
      float* const row = &table[i / (width / 2) * width + i % (width / 2)];
      row[0] = std::sin(angles[i]);
      row[width / 2] = std::cos(angles[i]);
    }
  }

  int stride() const { return batch == 1 ? 0 : tokens * width; }

  /// Rotates rows (B, tokens, heads * head_width); with a sign of -1, back.
  template <typename T>
  void turn(std::vector<T>& rows, int heads, int head_width, int sign) const {
    const int half = width / 2;
    for (size_t head = 0; head < rows.size() / head_width; ++head) {
      const size_t token = head / heads;
      const float* angles = &table[token / tokens % batch * stride() + token % tokens * width];
      for (int j = 0; j < half; ++j) {
        T& a = rows[head * head_width + (interleaved ? 2 * j : j)];
        T& b = rows[head * head_width + (interleaved ? 2 * j + 1 : j + half)];
        const T sine = sign * T{angles[j]}, cosine = angles[half + j], old = a;
        a = old * cosine - b * sine;
        b = b * cosine + old * sine;
      }
    }
  }
};

double largest(const Matrix& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// Tokens [from, from + count) of each sequence.
std::vector<float> part(const std::vector<float>& x, int batch, int from, int count, int width) {
  const size_t sequence = x.size() / batch;
  std::vector<float> some;
  for (int b = 0; b < batch; ++b) {
    const auto first = x.begin() + b * sequence + size_t(from) * width;
    some.insert(some.end(), first, first + size_t(count) * width);
  }
  some.shrink_to_fit();
  return some;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Draw draw(data, size);
  const bool cached = draw.flag(), bias = draw.flag(), rotated = draw.flag() && !cached, interleaved = draw.flag();
  LayerSizes n{};
  n.batch = draw.integer(1, 3);
  n.kvHeads = draw.integer(1, 2);
  n.heads = n.kvHeads * draw.integer(1, 3);
  n.width = draw.integer(1, 10);
  n.queries = draw.integer(1, 40);
  n.keys = cached ? n.queries : draw.integer(1, 90);
  n.queryInputs = draw.integer(1, 12);
  n.keyInputs = cached ? n.queryInputs : draw.integer(1, 12);
  n.valueInputs = cached ? n.queryInputs : draw.integer(1, 12);
  n.outputs = draw.integer(1, 12);
  Layer layer(n, bias);
  const std::vector<float> queries = draw.floats(size_t(n.batch) * n.queries * n.queryInputs);
  const std::vector<float> keys = cached ? queries : draw.floats(size_t(n.batch) * n.keys * n.keyInputs);
  const std::vector<float> values = cached ? queries : draw.floats(size_t(n.batch) * n.keys * n.valueInputs);

  const int pairs = draw.integer(0, n.width / 2);
  const bool turns = rotated && pairs > 0;
  const Turns query_turns(draw, draw.flag() ? n.batch : 1, n.queries, 2 * pairs, interleaved);
  const Turns key_turns(draw, draw.flag() ? n.batch : 1, n.keys, 2 * pairs, interleaved);
  double most_q = 0, most_k = 0;
  const Matrix expected = layer.oracle(queries, keys, values, cached ? 0 : -1, [&](Matrix& q, Matrix& k) {
    most_q = largest(q);
    most_k = largest(k);
    if (!turns) return;
    query_turns.turn(q, n.heads, n.width, 1);
    key_turns.turn(k, n.kvHeads, n.width, 1);
  });

  Matrix got(expected.size());
  if (cached) {
    Cache cache(n, n.queries + draw.integer(0, 5));
    for (int from = 0; from < n.queries;) {
      const int count = std::min(draw.integer(1, 12), n.queries - from);
      const std::vector<float> some = part(queries, n.batch, from, count, n.queryInputs);
      const std::vector<float> out = forward(layer, some, some, some, &cache);
      for (size_t i = 0; i < out.size(); ++i) {
        const size_t b = i / (size_t(count) * n.outputs), rest = i % (size_t(count) * n.outputs);
        got[(b * n.queries + from) * n.outputs + rest] = out[i];
      }
      from += count;
    }
  } else {
    Rotation rotation{};
    if (turns) {
      rotation = {query_turns.table.data(),
                  query_turns.stride(),
                  key_turns.table.data(),
                  key_turns.stride(),
                  2 * pairs,
                  interleaved};
    }
    const std::vector<float> out = forward(layer, queries, keys, values, nullptr, rotation);
    got.assign(out.begin(), out.end());
  }

  // Weights are up to 1/sqrt(inputs), so the terms of a projection sum up to sqrt(inputs) + 1, each rounded, and a
  // rotation adds two roundings. A score has the errors of both operands, and its exponential twice that. A mixture of
  // values has the errors of the weights and of the values, and its own roundings. The output projection sums
  // sqrt(heads * width) of these.
  const auto projected = [](int inputs) { return (inputs + 5) * kHalfUlp * 1.5 * (std::sqrt(inputs) + 1); };
  const double most_v = largest(layer.value.oracle(values)), joined = n.heads * n.width;
  const double score =
      std::sqrt(n.width) * (2 * projected(n.queryInputs) * most_k + 2 * projected(n.keyInputs) * most_q +
                            2 * (n.width + 2) * kHalfUlp * most_q * most_k);
  const double mixed = projected(n.valueInputs) + most_v * (2 * score + (2 * n.keys + 64) * kHalfUlp);
  const double tolerance = std::sqrt(joined) * mixed + (joined + 2) * kHalfUlp * (std::sqrt(joined) * most_v + 1);
  for (size_t i = 0; i < got.size(); ++i) expectNear(got[i], expected[i], tolerance, "multi-head attention", i);

  if (pairs > 0) {
    std::vector<float> gradient = draw.floats(size_t(n.batch) * n.queries * n.heads * n.width);
    Matrix back(gradient.begin(), gradient.end());
    rotateHeadsBackward(gradient.data(), query_turns.table.data(), query_turns.stride(), n.batch, n.queries, n.heads,
                        n.width, 2 * pairs, interleaved);
    query_turns.turn(back, n.heads, n.width, -1);
    // Two products of up to 1 and their sum, each rounded.
    for (size_t i = 0; i < back.size(); ++i) expectNear(gradient[i], back[i], 4 * kHalfUlp, "turned back", i);
  }
  return 0;
}
