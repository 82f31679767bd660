import type { Tensor } from '../types.js';

export type Data = Tensor<Float32Array | Int32Array | Uint8Array>['data'];

/** A type of numbers in a file. */
export interface Dtype {
  /** Bytes of an element. */
  readonly size: number;
  /** Turns bytes, which may be changed, into an array; returns undefined if a byte is not allowed. */
  read(bytes: Uint8Array<ArrayBuffer>): Data | undefined;
}

/** Turns the bits of a float16 (sign, 5 bits of exponent, 10 of fraction) into the bits of the same float32. */
function widenHalf(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  // Subnormal: fraction·2^-24. Its highest bit becomes the implicit one.
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13);
}

const widened = (widen: (bits: number) => number) => (bytes: Uint8Array<ArrayBuffer>) =>
  new Float32Array(Int32Array.from(new Uint16Array(bytes.buffer), widen).buffer);

// Files are little-endian, like every machine on which WebAssembly runs.
export const DTYPES: Readonly<Record<string, Dtype>> = {
  F32: { size: 4, read: (bytes) => new Float32Array(bytes.buffer) },
  F16: { size: 2, read: widened(widenHalf) },
  BF16: { size: 2, read: widened((bits) => bits << 16) },
  I32: { size: 4, read: (bytes) => new Int32Array(bytes.buffer) },
  U8: { size: 1, read: (bytes) => bytes },
  BOOL: { size: 1, read: (bytes) => (bytes.every((byte) => byte <= 1) ? bytes : undefined) },
};
