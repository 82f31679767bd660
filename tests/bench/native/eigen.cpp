// The benchmark's works as a C++ programmer would write them with Eigen, compiled to wasm without further tuning.
#include <Eigen/Core>
#include <cmath>
#include <cstdlib>

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const Matrix>;
using Out = Eigen::Map<Matrix>;
using StridedIn = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
using StridedOut = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

namespace {

// Softmax of each row over its first `valid(i)` entries; the rest becomes zero.
template <typename Rows, typename Valid>
void softmaxRows(Rows&& x, Valid valid) {
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const Eigen::Index n = valid(i);
    auto row = x.row(i).head(n).array();
    row = (row - row.maxCoeff()).exp();
    row *= 1.0f / row.sum();
    x.row(i).tail(x.cols() - n).setZero();
  }
}

}  // namespace

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

EXPORT(allocate) void* allocate(int bytes) { return std::malloc(static_cast<size_t>(bytes)); }
EXPORT(release) void release(void* address) { std::free(address); }

// One byte each for world, major and minor.
EXPORT(version) int version() { return EIGEN_WORLD_VERSION << 16 | EIGEN_MAJOR_VERSION << 8 | EIGEN_MINOR_VERSION; }

EXPORT(product) void product(const float* a, const float* b, float* c, int m, int k, int n) {
  Out(c, m, n).noalias() = In(a, m, k) * In(b, k, n);
}

// query, key, value, out (heads, n, d).
EXPORT(attention)
void attention(const float* query, const float* key, const float* value, float* out, int heads, int n, int d,
               int causal) {
  Matrix scores(n, n);
  const float scale = 1.0f / std::sqrt(static_cast<float>(d));
  for (int h = 0; h < heads; ++h) {
    const Eigen::Index at = static_cast<Eigen::Index>(h) * n * d;
    scores.noalias() = (In(query + at, n, d) * scale) * In(key + at, n, d).transpose();
    softmaxRows(scores, [&](Eigen::Index i) { return causal ? i + 1 : static_cast<Eigen::Index>(n); });
    Out(out + at, n, d).noalias() = scores * In(value + at, n, d);
  }
}

// x, out (batch, n, width); parameters (out, in); valid (batch) or null; weights (batch, heads, n, n) or null.
EXPORT(multiHead)
void multiHead(const float* x, const float* wq, const float* wk, const float* wv, const float* wo, const int* valid,
               float* weights, float* out, int batch, int n, int width, int heads) {
  const int rows = batch * n, d = width / heads;
  const In input(x, rows, width);
  Matrix q(rows, width), k(rows, width), v(rows, width), mixed(rows, width), own;
  q.noalias() = input * In(wq, width, width).transpose();
  k.noalias() = input * In(wk, width, width).transpose();
  v.noalias() = input * In(wv, width, width).transpose();
  q *= 1.0f / std::sqrt(static_cast<float>(d));
  if (!weights) own.resize(n, n);
  const Eigen::OuterStride<> stride(width);
  for (int b = 0; b < batch; ++b) {
    for (int h = 0; h < heads; ++h) {
      const Eigen::Index at = static_cast<Eigen::Index>(b) * n * width + h * d;
      Out scores(weights ? weights + static_cast<Eigen::Index>(b * heads + h) * n * n : own.data(), n, n);
      scores.noalias() = StridedIn(q.data() + at, n, d, stride) * StridedIn(k.data() + at, n, d, stride).transpose();
      softmaxRows(scores, [&](Eigen::Index) { return static_cast<Eigen::Index>(valid ? valid[b] : n); });
      StridedOut(mixed.data() + at, n, d, stride).noalias() = scores * StridedIn(v.data() + at, n, d, stride);
    }
  }
  Out(out, rows, width).noalias() = mixed * In(wo, width, width).transpose();
}

EXPORT(softmax) void softmax(const float* x, const int* valid, float* out, int rows, int cols) {
  Out y(out, rows, cols);
  y = In(x, rows, cols);
  softmaxRows(y, [&](Eigen::Index i) { return static_cast<Eigen::Index>(valid ? valid[i] : cols); });
}

// Angles are in double, which large positions need; the sines come from libm.
EXPORT(encoding) void encoding(float* out, int length, int width) {
  Eigen::ArrayXd frequency(width / 2);
  for (int j = 0; j < width / 2; ++j) frequency[j] = std::pow(10000.0, -2.0 * j / width);
  for (int i = 0; i < length; ++i) {
    Eigen::Map<Eigen::Array<float, 2, Eigen::Dynamic>> row(out + static_cast<Eigen::Index>(i) * width, 2, width / 2);
    const Eigen::ArrayXd angle = frequency * i;
    row.row(0) = angle.sin().cast<float>().transpose();
    row.row(1) = angle.cos().cast<float>().transpose();
  }
}

EXPORT(addTable) void addTable(const float* x, const float* table, float* out, int batch, int length, int width) {
  for (int b = 0; b < batch; ++b) {
    const Eigen::Index at = static_cast<Eigen::Index>(b) * length * width;
    Out(out + at, length, width) = In(x + at, length, width) + In(table, length, width);
  }
}
