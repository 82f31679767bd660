import { complexity, type Architecture, type Complexity, type ComplexitySize } from './ops/complexity.js';
import { conv1d, type Conv1dOptions } from './ops/conv1d.js';
import { rnn, type RnnOptions, type RnnResult, type RnnWeights } from './ops/rnn.js';
import type { Wasm } from './runtime/wasm.js';
import type { Tensor, TensorLike } from './types.js';

export type { Architecture, Complexity, ComplexitySize, Conv1dOptions, RnnOptions, RnnResult, RnnWeights };

/** What attention is compared with. These operations are like the others. */
export interface SequenceOperations {
  /**
   * torch.nn.functional.conv1d: cross-correlation along the last axis.
   *
   * @param x (B, Cin, n)
   * @param weight (Cout, Cin/groups, k)
   * @returns (B, Cout, floor((n + 2·padding - dilation·(k-1) - 1) / stride) + 1)
   * @example
   * attention.conv1d(x, weight, { padding: 1 }); // k = 3: as many tokens out as in
   */
  conv1d(x: TensorLike, weight: TensorLike, options?: Conv1dOptions): Tensor;

  /**
   * torch.nn.RNN, one layer, batch first: h_t = tanh(W_ih·x_t + b_ih + W_hh·h_{t-1} + b_hh). Elman 1990.
   *
   * @param x (B, n, Din)
   * @returns output (B, n, D) and finalState (B, D)
   * @example
   * const { output, finalState } = attention.rnn(x, { weightIh, weightHh });
   */
  rnn(x: TensorLike, weights: RnnWeights, options?: RnnOptions): RnnResult;

  /**
   * The cost of a layer that maps n tokens of width d to n tokens of width d, in numbers and as asymptotic classes. It
   * does not use the wasm.
   *
   * multiplyAdds counts the work of `conv1d`, `rnn` or `scaledDotProductAttention` (one head) for one sequence, without
   * biases and pointwise functions: 'cnn' k·n·d² (including padding, with d channels in and out), 'rnn' 2·n·d² (d² for
   * the token, d² for the state), 'self-attention' 2·n²·d (n²·d for QKᵀ, n²·d for the weights times V; the four
   * projections of MultiHeadAttention would add 4·n·d²).
   *
   * maximumPathLength is the number of layers (cnn, self-attention) or steps (rnn) after which some output depends on
   * both the first and the last token. For a cnn it is ceil((n-1)/(k-1)), so two layers with k = 3 connect x1 and x5,
   * or Infinity for k = 1 and n > 1.
   *
   * Vaswani et al. 2017, table 1; d2l.ai, section "Self-Attention and Positional Encoding".
   *
   * @param size n tokens of width d; k (default 3) is the width of a cnn's kernel
   * @example
   * attention.complexity('self-attention', { n: 512, d: 64 }).order.computation; // 'O(n²·d)'
   */
  complexity(architecture: Architecture, size: ComplexitySize): Complexity;
}

/** Binds them to a loaded module. */
export function sequenceOperations(wasm: Wasm): SequenceOperations {
  return { conv1d: conv1d.bind(undefined, wasm), rnn: rnn.bind(undefined, wasm), complexity };
}
