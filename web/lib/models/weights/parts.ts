/** Where matrices are in the tensors of a file. */

/** Reads elements of the tensor in the file. The next call may overwrite the result. */
type Read = (begin: number, end: number) => Float32Array;

/** A matrix of `count` rows in a tensor of the file. */
export interface Part {
  readonly name: string;
  readonly shape: readonly number[];
  readonly count: number;
  /** A tensor (count) whose numbers multiply the rows. */
  readonly factors?: string;
  /** Makes a function that reads rows [first, first + count) of the matrix. */
  readonly rows: (read: Read) => (first: number, count: number) => Float32Array;
}

/**
 * A linear map: the name of a module with a weight (outputs, inputs) and perhaps a bias (outputs), or a function that
 * finds these in other tensors.
 */
export type Source = string | ((tensor: 'weight' | 'bias', outputs: number, inputs: number) => Part);

/** The weight or the bias of a linear map. A bias is a matrix with 1 input. */
export function partOf(source: Source, tensor: 'weight' | 'bias', outputs: number, inputs: number): Part {
  const columns = tensor === 'weight' ? inputs : 1;
  if (typeof source !== 'string') return source(tensor, outputs, columns);
  return part(`${source}.${tensor}`, tensor === 'weight' ? [outputs, inputs] : [outputs]);
}

/** The map with index `which` of several of one size whose outputs are one under another. */
export function stacked(module: string, which: number, maps: number): Source {
  return (tensor, outputs, inputs) => rowsOf(module, which * outputs, maps * outputs)(tensor, outputs, inputs);
}

/** The map that begins at row `start` of `all`. */
export function rowsOf(module: string, start: number, all: number): Exclude<Source, string> {
  return (tensor, outputs, inputs) => ({
    name: `${module}.${tensor}`,
    shape: tensor === 'weight' ? [all, inputs] : [all],
    count: outputs,
    rows: (read) => (first, count) => {
      const begin = (start + first) * inputs;
      return read(begin, begin + count * inputs);
    },
  });
}

/** A map whose outputs are multiplied by the numbers of a tensor. */
export function scaled(source: Source, factors: string): Source {
  return (tensor, outputs, inputs) => ({ ...partOf(source, tensor, outputs, inputs), factors });
}

/** The map with index `which` of several of one size whose inputs are side by side; the bias is the first one's. */
export function columnsOf(module: string, which: number, maps: number): Source {
  return (tensor, outputs, inputs) => {
    if (tensor === 'bias') return partOf(module, tensor, outputs, inputs);
    const all = maps * inputs;
    return {
      ...part(`${module}.weight`, [outputs, all]),
      rows: (read) => (first, count) => {
        const rows = new Float32Array(count * inputs);
        for (let r = 0; r < count; ++r) {
          const row = read((first + r) * all, (first + r + 1) * all);
          rows.set(row.subarray(which * inputs, (which + 1) * inputs), r * inputs);
        }
        return rows;
      },
    };
  };
}

/** The map with index `which` of three whose outputs lie side by side for each head. */
export function interleaved(module: string, which: number, headDim: number): Source {
  return (tensor, outputs, inputs) => ({
    name: `${module}.${tensor}`,
    shape: tensor === 'weight' ? [3 * outputs, inputs] : [3 * outputs],
    count: outputs,
    rows: (read) => (first, count) => {
      const rows = new Float32Array(count * inputs);
      for (let r = 0; r < count; ++r) {
        const head = Math.floor((first + r) / headDim);
        const at = ((3 * head + which) * headDim + ((first + r) % headDim)) * inputs;
        rows.set(read(at, at + inputs), r * inputs);
      }
      return rows;
    },
  });
}

/** A whole tensor. */
export function part(name: string, shape: readonly [count: number, inputs?: number]): Part {
  const [count, inputs = 1] = shape;
  return {
    name,
    shape: shape as readonly number[],
    count,
    // Not all at once, because widened numbers take more memory than the file.
    rows: (read) => (first, count) => read(first * inputs, (first + count) * inputs),
  };
}
