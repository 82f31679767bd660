/** The bits of 0 … rows − 1, (rows, bits), highest first, as many as the last number needs. */
export function bitsOf(rows: number): { bits: Uint8Array; columns: number } {
  const columns = Math.max(1, Math.ceil(Math.log2(rows)));
  const bits = new Uint8Array(rows * columns);
  for (let i = 0; i < rows; ++i) {
    for (let k = 0; k < columns; ++k) bits[i * columns + k] = (i >> (columns - 1 - k)) & 1;
  }
  return { bits, columns };
}

/**
 * The signs of the sines of P (rows, dim), the slowest pair first, like the highest bit: 1, −1, or 0 for a sine of
 * zero, as all are at position 0; (rows, dim / 2).
 */
export function signsOf(P: Float32Array, rows: number, dim: number): { signs: Int8Array; columns: number } {
  const columns = dim / 2;
  const signs = new Int8Array(rows * columns);
  for (let i = 0; i < rows; ++i) {
    for (let k = 0; k < columns; ++k) signs[i * columns + k] = Math.sign(P[i * dim + 2 * (columns - 1 - k)]!);
  }
  return { signs, columns };
}

/** A sign as text; empty for zero. */
export function writtenSign(sign: number): string {
  return sign === 0 ? '0' : sign > 0 ? '+' : '−';
}

/** The base for which each pair has half the frequency of the previous one. */
export function baseOfHalves(dim: number): number {
  return 2 ** (dim / 2);
}
