import { checkOut, toTensorOfRank } from '../../check/arrays.js';
import {
  checkBoolean,
  checkInteger,
  checkOptions,
  checkSeed,
  showShape,
  wrongValue,
} from '../../check/values.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { Tensor, TensorLike } from '../../types.js';
import { backwardOnce } from '../base/layer.js';
import type { BackwardOptions } from '../base/types.js';

/** What a forward pass may be told. */
export interface PositionalEncodingForwardOptions {
  /** Applies dropout, and returns `backward`. Default false. */
  training?: boolean;
  /** Position of the first token; default 0. A whole number. */
  offset?: number;
  /** Dropout's seed for this pass. By default each pass in training takes the next one from the layer's on. */
  seed?: number;
  /** As of every layer. */
  out?: { output?: Float32Array };
}

/** What a forward pass returns. */
export interface PositionalEncodingResult {
  /** The shape of x. */
  output: Tensor;
  /**
   * Present when `training`; can be called once. The gradient passes where dropout let the token pass; a learned table's is
   * added to `grad`.
   */
  backward?: (gradOutput: TensorLike, options?: BackwardOptions) => { input: Tensor };
}

/** A checked forward pass over tokens. */
export interface Tokens {
  readonly input: Tensor;
  readonly batch: number;
  /** Tokens of a sequence, at positions offset, offset + 1, … */
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
  const given = checkOptions<PositionalEncodingForwardOptions>(operation, options);
  const offset = given.offset === undefined ? 0 : checkInteger(operation, 'offset', given.offset, 0);
  const training = given.training !== undefined && checkBoolean(operation, 'training', given.training);
  const seed = given.seed === undefined ? undefined : checkSeed(operation, given.seed);
  const input = toTensorOfRank(operation, 'x', x, 2, 3);
  const [length, width] = input.shape.slice(-2) as [number, number];
  if (width !== expectedWidth) {
    wrongValue(operation, `x of width ${expectedWidth}`, `shape ${showShape(input.shape)}`);
  }
  const batch = input.shape.length === 3 ? input.shape[0]! : 1;
  const into = checkOut(operation, 'out.output', given.out?.output, input.data.length);
  return { input, batch, length, width, offset, training, seed, into };
}

/** The layer's side of a pass: where its table's rows for these tokens stand. */
export interface PositionTable {
  /** The layer's name. */
  readonly operation: string;
  readonly dropout: number;
  /** Throws where the layer was disposed. */
  check(operation: string): void;
  /** The address of the rows; within a scope. */
  rows(): number;
  /** The address of their gradient, 0 for a table that is not learned; within a scope. */
  gradient(): number;
}

/** dropout(x + table), dropout only in training, and the way back. */
export function addPositions(
  { raw, memory }: Wasm,
  { input, batch, length, width, training, into }: Tokens,
  seed: number,
  table: PositionTable,
): PositionalEncodingResult {
  const dropout = training ? table.dropout : 0;
  const { shape } = input;
  const data = memory.scope(`${table.operation}.forward`, () => {
    const sum = memory.floats(input.data);
    raw.addPositions(sum, table.rows(), sum, batch, length, width, seed, dropout);
    return memory.read(sum, input.data.length, into);
  });
  const output = { data, shape: [...shape] };
  if (!training) return { output };
  const backward = backwardOnce(memory, table.operation, table, shape, shape, (gradient, into) => {
    raw.addPositionsBackward(gradient, gradient, table.gradient(), batch, length, width, seed, dropout);
    return memory.read(gradient, data.length, into);
  });
  return { output, backward };
}
