/** Matrices and their rows in the tensors of a file. */
import type { Architecture } from '../config/architecture.js';

/** Reads elements of the tensor in the file; all of them by default. */
type Read = (begin?: number, end?: number) => Float32Array;

/** A matrix (count, inputs) in a tensor of the file. */
export interface Part {
  readonly name: string;
  readonly shape: readonly number[];
  readonly count: number;
  /** Gives a function for rows [first, first + count) of the matrix. */
  readonly rows: (read: Read) => (first: number, count: number) => Float32Array;
}

/** A tensor (count, inputs), or (count) for inputs = 1. */
export function part(name: string, shape: readonly number[], count: number, inputs: number): Part {
  return {
    name,
    shape,
    count,
    // Not all at once, because numbers that are widened take more memory than the file.
    rows: (read) => (first, count) => read(first * inputs, (first + count) * inputs),
  };
}

/** Some columns of a tensor (inputs, columns), or (columns) for inputs = 1: GPT-2's maps are transposed. */
export function columns(name: string, shape: readonly number[], inputs: number, begin: number, count: number): Part {
  const all = shape.at(-1)!;
  return {
    name,
    shape,
    count,
    rows:
      (read, data = read()) =>
      (first, count) => {
        const rows = new Float32Array(count * inputs);
        for (let i = 0; i < inputs; ++i) {
          for (let r = 0, at = i * all + begin + first; r < count; ++r) rows[r * inputs + i] = data[at + r]!;
        }
        return rows;
      },
  };
}

/** One of the three projections of GPT-NeoX, which lie side by side for each head. */
export function interleaved(
  name: string,
  shape: readonly number[],
  a: Architecture,
  which: number,
  inputs: number,
): Part {
  const width = a.headDim;
  return {
    name,
    shape,
    count: a.heads * width,
    rows: (read) => (first, count) => {
      const rows = new Float32Array(count * inputs);
      for (let r = 0; r < count; ++r) {
        const head = Math.floor((first + r) / width);
        const at = ((3 * head + which) * width + ((first + r) % width)) * inputs;
        rows.set(read(at, at + inputs), r * inputs);
      }
      return rows;
    },
  };
}
