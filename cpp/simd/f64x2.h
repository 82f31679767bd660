// Vectors of two float64s. clang's and GCC's vector extensions have + - * and, on i64x2, & | ^ ~ <<; this file has the
// rest.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace wasm_attention {

typedef double f64x2 __attribute__((vector_size(16)));
typedef int64_t i64x2 __attribute__((vector_size(16)));

inline f64x2 splat(double x) { return f64x2{x, x}; }

// Through memcpy, because addresses are only aligned to 8 bytes.
inline f64x2 load(const double* p) {
  f64x2 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, f64x2 v) { std::memcpy(p, &v, sizeof v); }

/// Rounds to float32 and writes a0 b0 a1 b1 to `p`.
inline void storeFloatsInterleaved(float* p, f64x2 a, f64x2 b) {
#ifdef __wasm_simd128__
  const v128_t low = wasm_f32x4_demote_f64x2_zero((v128_t)a);
  const v128_t high = wasm_f32x4_demote_f64x2_zero((v128_t)b);
  wasm_v128_store(p, wasm_i32x4_shuffle(low, high, 0, 4, 1, 5));
#else
  p[0] = static_cast<float>(a[0]);
  p[1] = static_cast<float>(b[0]);
  p[2] = static_cast<float>(a[1]);
  p[3] = static_cast<float>(b[1]);
#endif
}

/// Rounds to float32 and writes a0 a1 to `p`, b0 b1 to `q`. Two vectors at once, because the compiler would round the
/// lanes of a single one separately.
inline void storeFloats(float* p, f64x2 a, float* q, f64x2 b) {
#ifdef __wasm_simd128__
  const v128_t both =
      wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero((v128_t)a), wasm_f32x4_demote_f64x2_zero((v128_t)b), 0, 2);
  wasm_v128_store64_lane(p, both, 0);
  wasm_v128_store64_lane(q, both, 1);
#else
  p[0] = static_cast<float>(a[0]);
  p[1] = static_cast<float>(a[1]);
  q[0] = static_cast<float>(b[0]);
  q[1] = static_cast<float>(b[1]);
#endif
}

}  // namespace wasm_attention
