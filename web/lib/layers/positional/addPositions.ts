import { checkOut, toTensorOfRank } from '../../check/arrays.js';
import { checkOptions, type Known } from '../../check/options.js';
import { checkInteger, checkSeed, showShape, wrongValue } from '../../check/values.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { FloatArray, Tensor, TensorLike } from '../../types.js';
import { backwardOnce, checkTraining } from '../base/layer.js';
import type { BackwardOptions } from '../base/types.js';

/** The options of a forward pass. */
export interface PositionalEncodingForwardOptions {
  /** Whether to apply dropout and return `backward`. Default false. */
  training?: boolean;
  /** Position of the first token; default 0. A whole number. */
  offset?: number;
  /**
   * Seed of dropout for this pass. By default the first training pass uses the layer's seed, and each later one the
   * next number.
   */
  seed?: number;
  /** As in other layers. */
  out?: { output?: FloatArray };
}

const OPTIONS: Known<PositionalEncodingForwardOptions> = {
  training: 1,
  offset: 1,
  seed: 1,
  out: { output: 1 },
};

/** What a forward pass returns. */
export interface PositionalEncodingResult {
  /** The shape of x. */
  output: Tensor;
  /**
   * Present if `training`; can be called once. Returns the gradient of x, which is 0 for dropped elements, and adds the
   * gradient of a learned table to its `grad`.
   */
  backward?: (gradOutput: TensorLike, options?: BackwardOptions) => { input: Tensor };
}

/** The checked arguments of a forward pass. */
export interface Tokens {
  readonly input: Tensor;
  readonly batch: number;
  /** The number of tokens in a sequence; their positions are offset, offset + 1, … */
  readonly length: number;
  readonly width: number;
  readonly offset: number;
  readonly training: boolean;
  readonly seed: number | undefined;
  readonly into: Float32Array | undefined;
}

export function checkTokens(
  operation: string,
  x: TensorLike,
  options: PositionalEncodingForwardOptions | undefined,
  expectedWidth: number,
): Tokens {
  const given = checkOptions(operation, options, OPTIONS);
  const offset = given.offset === undefined ? 0 : checkInteger(operation, 'offset', given.offset, 0);
  const training = checkTraining(operation, given.training);
  const seed = given.seed === undefined ? undefined : checkSeed(operation, 'seed', given.seed);
  const input = toTensorOfRank(operation, 'x', x, 2, 3);
  const [length, width] = input.shape.slice(-2) as [number, number];
  if (width !== expectedWidth) {
    wrongValue(operation, `x of width ${expectedWidth}`, `shape ${showShape(input.shape)}`);
  }
  const batch = input.shape.length === 3 ? input.shape[0]! : 1;
  const into = checkOut(operation, 'out.output', given.out?.output, input.data.length);
  return { input, batch, length, width, offset, training, seed, into };
}

/** The rows of a layer's table for these tokens. */
export interface PositionTable {
  /** The name of the layer. */
  readonly operation: string;
  readonly dropout: number;
  /** Throws if the layer was disposed. */
  check(operation: string): void;
  /** The address of the rows; within a scope. */
  rows(): number;
  /** The address of their gradient, or 0 for a table that is not learned; within a scope. */
  gradient(): number;
}

/** dropout(x + table), with dropout only in training, and its backward pass. */
export function addPositions(
  { raw, memory }: Wasm,
  { input, batch, length, width, training, into }: Tokens,
  seed: number,
  table: PositionTable,
): PositionalEncodingResult {
  const dropout = training ? table.dropout : 0;
  const { shape } = input;
  const data = memory.scope(`${table.operation}.forward`, () => {
    const rows = table.rows();
    return memory.mapRows(
      input.data,
      width,
      (piece, first, count) => raw.addPositions(piece, rows, piece, first, count, length, width, seed, dropout),
      into,
    );
  });
  const output = { data, shape: [...shape] };
  if (!training) return { output };
  const backward = backwardOnce(memory, table.operation, table, shape, shape, (gradient, into) => {
    raw.addPositionsBackward(gradient, gradient, table.gradient(), batch, length, width, seed, dropout);
    return memory.read(gradient, data.length, into);
  });
  return { output, backward };
}
