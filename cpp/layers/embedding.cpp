// Versions of the backward pass tried (speed for 4096 rows of 256; Sapphire Rapids, Node 20, busy):
//   one thread                     1   <- this
//   two threads, by columns        0.57
#include <cstring>

#include "attention.h"
#include "kernels/cutter.h"
#include "layers/packed_weight.h"
#include "simd/long_sum.h"

namespace wasm_attention {
namespace {

// Counters of ids that share their last bits: if all counters are small, no id is frequent.
constexpr int kCounters = 1024;

struct EmbeddingScratch {
  int32_t *counters, *slots;  // for each row of the table the index of its compensation; -1 for none
  float* compensation;        // (frequent ids, dim): of their sums
  int64_t size;

  EmbeddingScratch(float* scratch, int count, int rows, int dim) {
    Cutter cut(count > kRun ? scratch : nullptr);
    counters = reinterpret_cast<int32_t*>(cut.take(kCounters));
    slots = reinterpret_cast<int32_t*>(cut.take(rows));
    compensation = cut.take(times(count / kRun, dim));
    size = count > kRun ? cut.used() : 0;
  }
};

/// Whether an id may occur more often than a run has terms.
bool meetsOften(const int32_t* ids, int count, int32_t* counters) {
  if (count <= kRun) return false;
  std::memset(counters, 0, kCounters * sizeof(int32_t));
  bool often = false;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (int i = 0; i < count; ++i) often |= ++counters[ids[i] % kCounters] > kRun;
  return often;
}

/// Gives a slot to each id that occurs more often than a run has terms.
void placeCompensations(const EmbeddingScratch& w, const int32_t* ids, int count, int rows, int dim) {
  std::memset(w.slots, 0, rows * sizeof(int32_t));
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (int i = 0; i < count; ++i) ++w.slots[ids[i]];
  int slots = 0;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (int id = 0; id < rows; ++id) w.slots[id] = w.slots[id] > kRun ? slots++ : -1;
  std::memset(w.compensation, 0, static_cast<size_t>(slots) * dim * sizeof(float));
}

}  // namespace

void embedding(const EmbeddingArgs& a) {
  if (a.packedRows > 0) return unpackWeight(a.ids, a.table, a.out, a.count, a.dim, a.packedRows, a.weightType);
  float* out = a.out;
  for (int i = 0; i < a.count; ++i, out += a.dim) {
    std::memcpy(out, a.table + static_cast<size_t>(a.ids[i]) * a.dim, a.dim * sizeof(float));
  }
}

int64_t embeddingBackwardScratch(int count, int rows, int dim) {
  return EmbeddingScratch(nullptr, count, rows, dim).size;
}

void embeddingBackward(const float* grad_out, const int32_t* ids, float* grad_table, float* scratch, int count,
                       int rows, int dim) {
  const EmbeddingScratch w(scratch, count, rows, dim);
  const bool often = meetsOften(ids, count, w.counters);
  if (often) placeCompensations(w, ids, count, rows, dim);
  for (int i = 0; i < count; ++i, grad_out += dim) {
    float* const row = grad_table + static_cast<size_t>(ids[i]) * dim;
    const int slot = often ? w.slots[ids[i]] : -1;
    if (slot >= 0) {
      addRun(grad_out, row, w.compensation + static_cast<size_t>(slot) * dim, dim);
    } else {
      int j = 0;
      for (; j + kLanes <= dim; j += kLanes) store(row + j, load(row + j) + load(grad_out + j));
      for (; j < dim; ++j) row[j] += grad_out[j];
    }
  }
}

}  // namespace wasm_attention
