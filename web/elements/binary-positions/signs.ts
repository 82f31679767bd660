/** The bits of 0 … rows − 1, (rows, bits), highest first. There are as many bits as the last number needs. */
export function bitsOf(rows: number): { bits: Uint8Array; columns: number } {
  const columns = Math.max(1, Math.ceil(Math.log2(rows)));
  const bits = new Uint8Array(rows * columns);
  for (let i = 0; i < rows; ++i) {
    for (let k = 0; k < columns; ++k) bits[i * columns + k] = (i >> (columns - 1 - k)) & 1;
  }
  return { bits, columns };
}

/** 1 where the sine of a pair of P (rows, dim) is above zero, the slowest pair first as the highest bit is: (rows, dim / 2). */
export function signsOf(P: Float32Array, rows: number, dim: number): { signs: Uint8Array; columns: number } {
  const columns = dim / 2;
  const signs = new Uint8Array(rows * columns);
  for (let i = 0; i < rows; ++i) {
    for (let k = 0; k < columns; ++k)
      signs[i * columns + k] = P[i * dim + 2 * (columns - 1 - k)]! > 0 ? 1 : 0;
  }
  return { signs, columns };
}

/** The base for which each pair is half as fast as the one before it. */
export function baseOfHalves(dim: number): number {
  return 2 ** (dim / 2);
}

/** Positions after which the sine of pair j repeats. */
export function periodOf(j: number, dim: number, base: number): number {
  return 2 * Math.PI * base ** ((2 * j) / dim);
}
