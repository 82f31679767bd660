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

function rowsOf({ data, shape }: Tensor): Float32Array[] {
  const width = shape.at(-1)!;
  return Array.from({ length: data.length / width }, (_, i) => data.subarray(i * width, (i + 1) * width));
}

/** A row's blocks of so many numbers, rounded each for itself. */
const blocksOf = (row: Float32Array, steps: number, width = BLOCK): { q: number[]; scale: number }[] =>
  Array.from({ length: Math.ceil(row.length / width) }, (_, i) =>
    rounded(row.subarray(i * width, (i + 1) * width), steps),
  );

/** What rounded blocks stand for. */
const valuesOf = (blocks: readonly { q: number[]; scale: number }[]): number[] =>
  blocks.flatMap(({ q, scale }) => q.map((value) => Math.fround(value * scale)));

/**
 * A power of two for each column of a matrix, with which inputs are multiplied and weights divided: 1 if the column's
 * mean share of its rows' magnitudes is within 8 times that of the median column. The largest is made 1.
 */
function factorsOf(rows: readonly Float32Array[], width: number): number[] {
  const shares = new Float32Array(width);
  // Of about 64 rows: eight of so many.
  const step = 8 * Math.ceil(rows.length / 64);
  for (const row of rows.filter((_, i) => i % step < 8)) {
    const sum = row.reduce((sum, value) => Math.fround(sum + Math.abs(value)), 0);
    const inverse = Math.fround(1 / sum);
    if (!(sum > 0 && inverse > 0 && inverse < Infinity)) continue;
    row.forEach((value, k) => (shares[k]! += Math.fround(Math.abs(value) * inverse)));
  }
  const median = shares.slice().sort()[Math.floor(width / 2)]!;
  const factors = Array.from(shares, (share) => {
    const times = Math.fround(share / median);
    if (!(times > 0 && times < Infinity) || (times >= 1 / 8 && times <= 8)) return 1;
    let factor = 1;
    while (factor > times && factor > 2 ** -32) factor /= 2;
    while (2 * factor <= times && factor < 2 ** 32) factor *= 2;
    return factor;
  });
  return factors.map((factor) => factor / Math.max(...factors));
}

/** The positions of the numbers above 8 times the mean magnitude, of which there are 16 at most: the largest. */
function largeOf(row: Float32Array): number[] {
  const lanes = [0, 0, 0, 0];
  row.forEach((value, k) => (lanes[k % 4] = Math.fround(lanes[k % 4]! + Math.abs(value))));
  const sum = lanes.reduce((sum, value) => Math.fround(sum + value));
  const least = Math.fround(sum * Math.fround(8 / row.length));
  return [...row.keys()]
    .filter((k) => Math.abs(row[k]!) > least)
    .sort((i, j) => Math.abs(row[j]!) - Math.abs(row[i]!))
    .slice(0, 16)
    .sort((i, j) => i - j);
}

/** The largest whole numbers of weights and of inputs. */
const STEPS = { int8: [63, 127], 'int8-fine': [127, 32767] } as const;
type Bytes = keyof typeof STEPS;

/** A matrix of products as int8 keeps it. */
export function int8(matrix: Tensor, type: Bytes = 'int8'): Tensor {
  const rows = rowsOf(matrix);
  const factors = factorsOf(rows, matrix.shape[1]!);
  const data = rows.flatMap((row) => {
    const divided = row.map((value, k) => value / factors[k]!);
    return valuesOf(blocksOf(divided, STEPS[type][0])).map((value, k) => value * factors[k]!);
  });
  return { data: Float32Array.from(data), shape: matrix.shape };
}

/** A table as int8 keeps it. */
export const int8Table = (table: Tensor): Tensor => ({
  data: Float32Array.from(rowsOf(table).flatMap((row) => valuesOf(blocksOf(row, 127, 32)))),
  shape: table.shape,
});

/**
 * x · weightᵀ + bias with int8 weights, to the bit: exact sums of whole numbers, and each operation on floats rounded
 * once.
 */
export function int8Linear(type: Bytes, x: Tensor, weight: Tensor, bias?: Tensor): Float32Array {
  const [weightSteps, inputSteps] = STEPS[type];
  const factors = factorsOf(rowsOf(weight), weight.shape[1]!);
  const columns = rowsOf(weight).map((row) =>
    blocksOf(
      row.map((value, k) => value / factors[k]!),
      weightSteps,
    ),
  );
  const out: number[] = [];
  for (const given of rowsOf(x)) {
    const row = given.map((value, k) => value * factors[k]!);
    const large = largeOf(row);
    const inputs = blocksOf(
      row.map((value, k) => (large.includes(k) ? 0 : value)),
      inputSteps,
    );
    columns.forEach((blocks, j) => {
      let total = 0;
      blocks.forEach(({ q, scale }, i) => {
        const sum = q.reduce((sum, value, k) => sum + value * inputs[i]!.q[k]!, 0);
        total = Math.fround(total + Math.fround(Math.fround(Math.fround(sum) * scale) * inputs[i]!.scale));
      });
      const weights = valuesOf(blocks);
      for (const k of large) total = Math.fround(total + Math.fround(weights[k]! * row[k]!));
      out.push(bias ? Math.fround(bias.data[j]! + total) : total);
    });
  }
  return Float32Array.from(out);
}
