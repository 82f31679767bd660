import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, wrongKind, wrongValue } from '../check/values.js';

/** The three kinds of layer that the textbook compares. */
export type Architecture = 'cnn' | 'rnn' | 'self-attention';

/** The sizes of a layer for `complexity`. */
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
  /** Pairs of a multiplication and an addition in one layer. */
  multiplyAdds: number;
  /** Steps that cannot run in parallel. */
  sequentialOperations: number;
  /** Layers or steps until some output depends on both the first and the last token; Infinity if none ever does. */
  maximumPathLength: number;
  /** The same as asymptotic classes, such as 'O(n²·d)'. */
  order: { computation: string; sequentialOperations: string; maximumPathLength: string };
}

const OPERATION = 'complexity';
const SIZE: Known<ComplexitySize> = { n: 1, d: 1, k: 1 };

/** See `WasmAttention.complexity`. */
export function complexity(architecture: Architecture, size: ComplexitySize): Complexity {
  if (typeof architecture !== 'string') wrongKind(OPERATION, 'the architecture to be a string', architecture);
  const { n, d, k = 3 } = checkOptions(OPERATION, size, SIZE);
  checkInteger(OPERATION, 'n', n, 1);
  checkInteger(OPERATION, 'd', d, 1);
  checkInteger(OPERATION, 'k', k, 1);
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

/** The result for multiply-adds, sequential steps and path length, as numbers and as asymptotic classes. */
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
