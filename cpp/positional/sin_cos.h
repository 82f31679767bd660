// Sine and cosine of two float64 angles at once, for positional tables and rotations.
//
// Versions tried (ns of a sine and its cosine; Sapphire Rapids, Node 20):
//   reduction in four parts, fdlibm's polynomials     4   <- this
//   libm's sin and cos                                15, and 4.2 KB more wasm (brotli), mostly for angles above 2^30
#pragma once

#include "simd/f64x2.h"

namespace wasm_attention {

struct SinCos {
  f64x2 sin, cos;
};

/// Sine and cosine of `angle + low`, |angle| < 2^30, |low| < 2^-20 · |angle|. The error is below 2e-16 plus the error
/// of the sum.
///
/// Subtracts a multiple of pi/2, in four parts, so that the angle is in [-pi/4, pi/4] (Cody & Waite 1980). The first
/// three parts have 22 bits, so that their products with a 31-bit factor are exact. The polynomials are fdlibm's.
inline SinCos sinCos(f64x2 angle, f64x2 low) {
  // Adding 1.5·2^52 rounds to the nearest integer and leaves it in the low bits.
  const f64x2 rounder = splat(6755399441055744.0);
  const f64x2 rounded = angle * splat(0x1.45f306dc9c883p-1) + rounder;
  const f64x2 multiple = rounded - rounder;
  const i64x2 quadrant = (i64x2)rounded;

  f64x2 x = angle - multiple * splat(0x1.921fb0p+0);
  x -= multiple * splat(0x1.5110b0p-22);
  x -= multiple * splat(0x1.184698p-44);
  x -= multiple * splat(0x1.3198a2e037073p-69);
  x += low;

  const f64x2 z = x * x;
  f64x2 sin = splat(1.58969099521155010221e-10);
  sin = sin * z + splat(-2.50507602534068634195e-08);
  sin = sin * z + splat(2.75573137070700676789e-06);
  sin = sin * z + splat(-1.98412698298579493134e-04);
  sin = sin * z + splat(8.33333333332248946124e-03);
  sin = sin * z + splat(-1.66666666666666324348e-01);
  sin = x + x * z * sin;
  f64x2 cos = splat(-1.13596475577881948265e-11);
  cos = cos * z + splat(2.08757232129817482790e-09);
  cos = cos * z + splat(-2.75573143513906633035e-07);
  cos = cos * z + splat(2.48015872894767294178e-05);
  cos = cos * z + splat(-1.38888888888741095749e-03);
  cos = cos * z + splat(4.16666666666666019037e-02);
  cos = splat(1.0) - z * splat(0.5) + z * z * cos;

  // Odd quadrants swap sine and cosine; quadrants 2 and 3 flip the sine's sign, 1 and 2 the cosine's.
  const i64x2 odd = -(quadrant & 1);
  const i64x2 sin_bits = (i64x2)sin, cos_bits = (i64x2)cos;
  const i64x2 sin_sign = (quadrant & 2) << 62;
  const i64x2 cos_sign = ((quadrant + 1) & 2) << 62;
  return {(f64x2)(((sin_bits & ~odd) | (cos_bits & odd)) ^ sin_sign),
          (f64x2)(((cos_bits & ~odd) | (sin_bits & odd)) ^ cos_sign)};
}

}  // namespace wasm_attention
