/** Rounded weights, and the integer product with the exact bits that it must have. */
import type { Tensor } from 'wasm-attention';

const BLOCK = 128;

function nearestEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** The nearest float16: multiples of the last digit's value, ties to even. */
export function float16(x: number): number {
  if (!Number.isFinite(x) || x === 0) return x;
  // Below 2^-14 digits are worth what they are there.
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), -14);
  // log2 may be off by one next to a power of two; of both grids, that of the number's own exponent is right.
  const own = Math.abs(x) < 2 ** exponent && exponent > -14 ? exponent - 1 : exponent;
  const digit = 2 ** (own - 10);
  const rounded = nearestEven(Math.abs(x) / digit) * digit;
  return Math.sign(x) * (rounded > 65504 ? Infinity : rounded);
}

/** The number whose bits in float16 these are: a sign, 5 bits of exponent, 10 of fraction. */
export function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
}

/** Whole numbers up to `steps` and the float32 that they are multiplied with. */
export function rounded(x: ArrayLike<number>, steps: number): { q: number[]; scale: number } {
  const most = Math.max(0, ...Array.from(x, Math.abs));
  const inverse = Math.fround(steps / most);
  // All zeros, or too small.
  if (!Number.isFinite(inverse)) return { q: Array<number>(x.length).fill(0), scale: 0 };
  return {
    q: Array.from(x, (value) => nearestEven(Math.fround(value * inverse))),
    scale: Math.fround(most / steps),
  };
}

/** The blocks of a matrix's rows. */
function blocksOf(row: Float32Array): { q: number[]; scale: number }[] {
  return Array.from({ length: Math.ceil(row.length / BLOCK) }, (_, i) =>
    rounded(row.subarray(i * BLOCK, (i + 1) * BLOCK), 63),
  );
}

function rowsOf({ data, shape }: Tensor): Float32Array[] {
  const width = shape.at(-1)!;
  return Array.from({ length: data.length / width }, (_, i) => data.subarray(i * width, (i + 1) * width));
}

/** A matrix as int8 keeps it. */
export function int8(matrix: Tensor): Tensor {
  const data = rowsOf(matrix).flatMap((row) =>
    blocksOf(row).flatMap(({ q, scale }) => q.map((value) => Math.fround(value * scale))),
  );
  return { data: Float32Array.from(data), shape: matrix.shape };
}

/**
 * x · weightᵀ + bias with int8 weights, to the bit: exact sums of whole numbers, and each operation on floats rounded
 * once.
 */
export function int8Linear(x: Tensor, weight: Tensor, bias?: Tensor): Float32Array {
  const blocks = rowsOf(weight).map(blocksOf);
  const out: number[] = [];
  for (const row of rowsOf(x)) {
    const { q, scale } = rounded(row, 127);
    blocks.forEach((own, j) => {
      let total = 0;
      own.forEach((block, i) => {
        const sum = block.q.reduce((sum, value, k) => sum + value * q[i * BLOCK + k]!, 0);
        total = Math.fround(total + Math.fround(sum * block.scale));
      });
      total = Math.fround(total * scale);
      out.push(bias ? Math.fround(bias.data[j]! + total) : total);
    });
  }
  return Float32Array.from(out);
}
