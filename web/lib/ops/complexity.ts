import { checkInteger, wrongKind, wrongValue } from '../check/values.js';

/** The three ways from a sequence to a sequence that the textbook compares. */
export type Architecture = 'cnn' | 'rnn' | 'self-attention';

/** What `complexity` is asked about. */
export interface ComplexitySize {
  /** Tokens, at least 1. */
  n: number;
  /** Width of a token, at least 1. */
  d: number;
  /** Width of a convolution's kernel; default 3. */
  k?: number;
}

/** What `complexity` returns. */
export interface Complexity {
  /** Multiplications, each with an addition, of one layer. */
  multiplyAdds: number;
  /** Steps that must wait for one another. */
  sequentialOperations: number;
  /** Layers or steps until the first and the last token have met; Infinity where they never do. */
  maximumPathLength: number;
  /** The same as asymptotic classes, such as 'O(n²·d)'. */
  order: { computation: string; sequentialOperations: string; maximumPathLength: string };
}

const OPERATION = 'complexity';

/** See `WasmAttention.complexity`. */
export function complexity(architecture: Architecture, size: ComplexitySize): Complexity {
  if (typeof architecture !== 'string') wrongKind(OPERATION, 'the architecture to be a string', architecture);
  if (typeof size !== 'object' || size === null) wrongKind(OPERATION, 'an object with n and d', size);
  const n = checkInteger(OPERATION, 'n', size.n, 1);
  const d = checkInteger(OPERATION, 'd', size.d, 1);
  const k = size.k === undefined ? 3 : checkInteger(OPERATION, 'k', size.k, 1);
  switch (architecture) {
    case 'cnn':
      // Each layer widens what a token sees by k - 1.
      return cost([k * n * d * d, 1, n === 1 ? 1 : Math.ceil((n - 1) / (k - 1))], ['k·n·d²', '1', 'n/k']);
    case 'rnn':
      return cost([2 * n * d * d, n, n], ['n·d²', 'n', 'n']);
    case 'self-attention':
      return cost([2 * n * n * d, 1, 1], ['n²·d', '1', '1']);
    default:
      return wrongValue(OPERATION, "the architecture to be 'cnn', 'rnn' or 'self-attention'", architecture);
  }
}

/** Operations, those one after another, and the longest path: as numbers, and as classes. */
function cost(
  [multiplyAdds, sequentialOperations, maximumPathLength]: readonly [number, number, number],
  classes: readonly [string, string, string],
): Complexity {
  const [computation, sequential, path] = classes.map((inside) => `O(${inside})`) as [string, string, string];
  return {
    multiplyAdds,
    sequentialOperations,
    maximumPathLength,
    order: { computation, sequentialOperations: sequential, maximumPathLength: path },
  };
}
