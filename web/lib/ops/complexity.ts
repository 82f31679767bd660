import { checkInteger, wrongKind, wrongValue } from '../check.js';

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
      return {
        multiplyAdds: k * n * d * d,
        sequentialOperations: 1,
        // Each layer widens what a token sees by k - 1.
        maximumPathLength: n === 1 ? 1 : Math.ceil((n - 1) / (k - 1)),
        order: { computation: 'O(k·n·d²)', sequentialOperations: 'O(1)', maximumPathLength: 'O(n/k)' },
      };
    case 'rnn':
      return {
        multiplyAdds: 2 * n * d * d,
        sequentialOperations: n,
        maximumPathLength: n,
        order: { computation: 'O(n·d²)', sequentialOperations: 'O(n)', maximumPathLength: 'O(n)' },
      };
    case 'self-attention':
      return {
        multiplyAdds: 2 * n * n * d,
        sequentialOperations: 1,
        maximumPathLength: 1,
        order: { computation: 'O(n²·d)', sequentialOperations: 'O(1)', maximumPathLength: 'O(1)' },
      };
    default:
      return wrongValue(OPERATION, "the architecture to be 'cnn', 'rnn' or 'self-attention'", architecture);
  }
}
