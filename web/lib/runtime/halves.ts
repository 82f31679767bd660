/** float16 as bits: a sign, 5 bits of exponent with a bias of 15, 10 of fraction. */

/** Writes float16s into an array of floats of the same length. */
export function widen(halves: Uint16Array, floats: Float32Array): Float32Array {
  for (let i = 0; i < floats.length; ++i) {
    const half = halves[i]!;
    // Read as a float32, these bits are 2^112 times too small (the biases differ by 112), subnormals too.
    BITS[0] = (half & 0x7fff) << 13;
    let value = FLOAT[0]! * 2 ** 112;
    if (value >= 2 ** 16) value = half & 0x3ff ? NaN : Infinity;
    floats[i] = half & 0x8000 ? -value : value;
  }
  return floats;
}
const FLOAT = new Float32Array(1);
const BITS = new Int32Array(FLOAT.buffer);

/** Writes floats into an array of float16s of the same length, rounded to nearest, ties to even. */
export function narrow(floats: Float32Array, halves: Uint16Array): Uint16Array {
  for (let i = 0; i < floats.length; ++i) {
    FLOAT[0] = floats[i]!;
    const bits = BITS[0]!;
    const value = Math.abs(FLOAT[0]);
    // Subnormals have the exponent of the smallest normal number.
    const exponent = Math.min(Math.max(((bits >> 23) & 0xff) - 127, -14), 15);
    // Numbers from 2^52 on have no fraction, so adding it rounds.
    const digits = value * 2 ** (10 - exponent) + 2 ** 52 - 2 ** 52;
    const half = value < Infinity ? Math.min((exponent + 14) * 1024 + digits, 0x7c00) : value > 0 ? 0x7c00 : 0x7e00;
    halves[i] = half | ((bits >>> 16) & 0x8000);
  }
  return halves;
}
