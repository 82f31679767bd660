// Sums of so many terms that adding them one by one in float32 would be off by 1e-4 or more.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attention.h"

namespace wasm_attention {
namespace {

using Floats = std::vector<float>;
constexpr double kTolerance = 1e-5;

void expectClose(double actual, double expected, const char* what) {
  EXPECT_NEAR(actual / expected, 1, kTolerance) << what;
}

TEST(LongSums, InSoftmax) {
  Floats x(1000003, 0.0f);
  x[0] = 10;
  maskedSoftmax(x.data(), nullptr, x.data(), 1, static_cast<int>(x.size()));
  double sum = 0;
  for (const float weight : x) sum += weight;
  expectClose(sum, 1, "sum of the weights");
}

TEST(LongSums, InCrossEntropy) {
  const int classes = 1000003;
  Floats logits(classes, 0.3f), grad(classes);
  logits[1] = 3;
  const int32_t target = 7;
  const double total = classes - 1 + std::exp(double{3} - double{0.3f});
  const double loss = softmaxCrossEntropy(logits.data(), &target, grad.data(), 1, classes);
  expectClose(loss, std::log(total), "loss");
  expectClose(grad[2], 1 / total, "gradient");
}

TEST(LongSums, InRowsOfALayerNorm) {
  const int dim = 6000001;
  Floats x(dim), out(dim), grad(dim, 0.1f);
  for (int i = 0; i < dim; ++i) x[i] = 100 + (i % 10 == 0 ? 3.0f : 0.1f);
  double mean = 0, variance = 0;
  for (const float v : x) mean += double{v} / dim;
  for (const float v : x) variance += (v - mean) * (v - mean) / dim;
  norm({x.data(), nullptr, nullptr, out.data(), 1, dim, Norm::kLayer, 0});
  for (const int i : {0, 1, dim - 1}) EXPECT_NEAR(out[i], (x[i] - mean) / std::sqrt(variance), kTolerance);
  // Subtracting the mean leaves nothing of a constant gradient.
  normBackward({x.data(), nullptr, grad.data(), nullptr, nullptr, 1, dim, Norm::kLayer, 0}, nullptr);
  for (const int i : {0, 1, dim - 1}) EXPECT_NEAR(grad[i], 0, kTolerance * 0.1);
}

TEST(LongSums, InGradientsOfALayerNormsParameters) {
  const int rows = 1000003, dim = 5;
  Floats x(size_t(rows) * dim), g(x.size(), 0.1f), weight(dim, 1.0f);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % dim);
  Floats grad_weight(dim, 1.0f), grad_bias(dim, 1.0f);
  const NormGradArgs args{x.data(), weight.data(), g.data(), grad_weight.data(), grad_bias.data(), rows,
                          dim,      Norm::kLayer,  0};
  Floats scratch(normBackwardScratch(args), NAN);
  normBackward(args, scratch.data());
  for (int i = 0; i < dim; ++i) {
    expectClose(grad_bias[i], 1 + rows * double{0.1f}, "gradient of the bias");
    const double normed = (i - 2) / std::sqrt(2);
    EXPECT_NEAR(grad_weight[i], 1 + rows * double{0.1f} * normed, kTolerance * rows * 0.1);
  }
}

TEST(LongSums, InRmsNormAndItsGradients) {
  const int dim = 6000001;
  Floats x(dim), out(dim), grad(dim, 0.1f), ones(dim, 1.0f), grad_ones(dim);
  for (int i = 0; i < dim; ++i) x[i] = i % 10 == 0 ? 3.0f : 0.1f;
  double squares = 0, total = 0;
  for (const float v : x) squares += double{v} * v / dim, total += double{v} / dim;
  const double root = std::sqrt(squares);
  norm({x.data(), ones.data(), nullptr, out.data(), 1, dim, Norm::kRms, 0});
  for (const int i : {0, 1, dim - 1}) expectClose(out[i], x[i] / root, "normed");
  normBackward({x.data(), ones.data(), grad.data(), grad_ones.data(), nullptr, 1, dim, Norm::kRms, 0}, nullptr);
  for (const int i : {0, 1, dim - 1}) {
    EXPECT_NEAR(grad[i], (double{0.1f} - x[i] * double{0.1f} * total / squares) / root, kTolerance * 0.1);
  }
  const int rows = 1000003, few = 5;
  Floats tall(size_t(rows) * few, 2.0f), g(tall.size(), 0.1f), weight(few, 1.0f), grad_weight(few, 1.0f);
  const NormGradArgs args{tall.data(), weight.data(), g.data(), grad_weight.data(), nullptr, rows, few, Norm::kRms, 0};
  Floats scratch(normBackwardScratch(args), NAN);
  normBackward(args, scratch.data());
  for (const float sum : grad_weight) expectClose(sum, 1 + rows * double{0.1f}, "gradient of the weight");
}

TEST(LongSums, InAnEmbeddingsGradient) {
  const int count = 2000003, dim = 5, rows = 3;
  const Floats g(size_t(count) * dim, 0.1f);
  std::vector<int32_t> ids(count, 1);
  ids[5] = 2;
  Floats grad(rows * dim), scratch(embeddingBackwardScratch(count, rows, dim), NAN);
  embeddingBackward(g.data(), ids.data(), grad.data(), scratch.data(), count, rows, dim);
  for (int j = 0; j < dim; ++j) {
    EXPECT_EQ(grad[j], 0);
    expectClose(grad[dim + j], (count - 1) * double{0.1f}, "gradient of the row");
    EXPECT_EQ(grad[2 * dim + j], 0.1f);
  }
}

TEST(LongSums, InPositionsGradient) {
  const int batch = 1000003, rows = 1, dim = 5;
  const Floats g(size_t(batch) * dim, 0.1f);
  Floats grad_x(g.size()), grad(dim, 1.0f);
  addPositionsBackward(g.data(), grad_x.data(), grad.data(), batch, rows, dim, 1, 0);
  for (const float v : grad) expectClose(v, 1 + batch * double{0.1f}, "gradient of the row");
}

/// With two kinds of keys, whose weights have a closed form.
TEST(LongSums, InAdditiveAttentionAndItsGradients) {
  const int keys = 1000003, width = 5;
  AdditiveAttentionGradArgs args{};
  AdditiveAttentionArgs& a = args.attention;
  a.batch = a.queries = a.queryWidth = a.keyWidth = a.hiddens = 1;
  a.keys = keys;
  a.valueWidth = width;
  const float one = 1, zero = 0;
  Floats key(keys), value(size_t(keys) * width), output(width), weights(keys);
  // Every third key scores 0.7 and has values of 0.9, the others 0 and 0.1.
  for (int j = 0; j < keys; ++j) {
    key[j] = j % 3 == 0 ? static_cast<float>(std::atanh(0.7)) : 0;
    std::fill_n(value.data() + size_t(j) * width, width, j % 3 == 0 ? 0.9f : 0.1f);
  }
  a.query = &zero;
  a.key = key.data();
  a.value = value.data();
  a.weightQuery = a.weightKey = a.weightVector = &one;
  a.output = output.data();
  a.weights = weights.data();
  Floats scratch(additiveAttentionScratch(a), NAN);
  additiveAttention(a, scratch.data());
  const double tangent = std::tanh(double{key[0]}), part = (keys + 2) / 3 * std::exp(tangent);
  const double share = part / (part + keys - (keys + 2) / 3);
  const double mean = share * double{0.9f} + (1 - share) * double{0.1f};
  for (const float v : output) expectClose(v, mean, "output");

  const Floats g(width, 1.0f);
  Floats grad_key(keys), grad_value(value.size());
  float grad_query = 0, grad_weight_query = 0, grad_weight_key = 0, grad_vector = 0;
  args.gradOutput = g.data();
  args.gradQuery = &grad_query;
  args.gradKey = grad_key.data();
  args.gradValue = grad_value.data();
  args.gradWeightQuery = &grad_weight_query;
  args.gradWeightKey = &grad_weight_key;
  args.gradWeightVector = &grad_vector;
  Floats grad_scratch(additiveAttentionBackwardScratch(args), NAN);
  additiveAttentionBackward(args, grad_scratch.data());
  const double first = share * width * (double{0.9f} - mean), second = (1 - share) * width * (double{0.1f} - mean);
  // Relative to the sum of the terms' magnitudes, because they cancel.
  EXPECT_NEAR(grad_query, first * (1 - tangent * tangent) + second, kTolerance * (first - second));
  expectClose(grad_vector, first * tangent, "gradient of the vector");
}

/// Compares attention of `queries` queries with float64.
void checkAttention(int queries, int keys, const Floats& key, const Floats& value, int width) {
  AttentionArgs a{};
  a.batch = a.heads = a.kvHeads = 1;
  a.queries = queries;
  a.keys = keys;
  a.width = 1;
  a.valueWidth = width;
  const Floats query(queries, 1.0f);
  Floats output(size_t(queries) * width), sums(queries);
  a.query = query.data();
  a.key = key.data();
  a.value = value.data();
  a.output = output.data();
  a.logSumExp = sums.data();
  a.queryStrides = {queries, queries, 1};
  a.keyStrides = {keys, keys, 1};
  a.valueStrides = {keys * width, keys * width, width};
  a.outputStrides = {queries * width, queries * width, width};
  a.windowLeft = a.windowRight = -1;
  a.scale = 1;
  Floats scratch(scaledDotProductAttentionScratch(a), NAN);
  scaledDotProductAttention(a, scratch.data());
  double total = 0, mixed = 0;
  for (int j = 0; j < keys; ++j) {
    total += std::exp(double{key[j]});
    mixed += std::exp(double{key[j]}) * value[size_t(j) * width];
  }
  for (const float v : output) expectClose(v, mixed / total, "output");
  for (const float v : sums) expectClose(v, std::log(total), "sum");
}

TEST(LongSums, InAttention) {
  const int keys = 1000003, width = 5;
  Floats key(keys, 0.3f), value(size_t(keys) * width, 0.1f);
  key[0] = 3;
  for (const int queries : {1, 9}) checkAttention(queries, keys, key, value, width);
  // The largest score changes from block to block.
  for (int j = 0; j < keys; ++j) {
    key[j] = 4e-6f * j;
    std::fill_n(value.data() + size_t(j) * width, width, j % 7 == 0 ? 2.0f : 0.1f);
  }
  for (const int queries : {1, 9}) checkAttention(queries, keys, key, value, width);
}

TEST(LongSums, OfInfinityAreInfinite) {
  const int keys = 3 * 4096;
  Floats value(keys, 1.0f), key(keys, 0.0f);
  value[5] = INFINITY;
  AttentionArgs a{};
  a.batch = a.heads = a.kvHeads = a.queries = a.width = a.valueWidth = 1;
  a.keys = keys;
  const float query = 1;
  float output = 0;
  a.query = &query;
  a.key = key.data();
  a.value = value.data();
  a.output = &output;
  a.keyStrides = a.valueStrides = {keys, keys, 1};
  a.windowLeft = a.windowRight = -1;
  a.scale = 1;
  Floats scratch(scaledDotProductAttentionScratch(a), NAN);
  scaledDotProductAttention(a, scratch.data());
  EXPECT_EQ(output, INFINITY);
}

}  // namespace
}  // namespace wasm_attention
