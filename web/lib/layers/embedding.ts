import { checkOut, toInt32 } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, sizeOf } from '../check/values.js';
import { checkMatrixType, tableType, type MatrixType } from '../check/weightType.js';
import type { Wasm } from '../runtime/wasm.js';
import { setEmbedding } from '../steps/steps.js';
import type { TensorLike } from '../types.js';
import { backwardOnce, checkForward, ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { normal, seedOf } from './base/random.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';

/** The options of `Embedding`. */
export interface EmbeddingOptions {
  /** The number of rows of the table; ids are below it. */
  numEmbeddings: number;
  /** D, the width of a row. */
  dim: number;
  /**
   * How the table is stored: 'float16' takes half the memory, 'int8' and 'int8-fine' a quarter. Only
   * 'float32', the default, can be trained.
   */
  weightType?: MatrixType;
  /** Seed of the initial values, which are standard normal as in PyTorch. By default each layer has a random one. */
  seed?: number;
}

/** A learned vector for each id: torch.nn.Embedding. State: `weight` (numEmbeddings, dim). */
export interface Embedding extends Layer {
  /**
   * Looks up row `id` of the table for each id. `backward` adds to the gradients of these rows, and returns zeros for
   * the ids.
   *
   * @param ids (…), whole numbers from 0 to numEmbeddings - 1
   * @returns output (…, dim)
   * @throws RangeError also for an id beyond the table
   * @example
   * const layer = new attention.Embedding({ numEmbeddings: 1000, dim: 64 });
   * const { output } = layer.forward([[3, 1, 4], [1, 5, 9]]); // (2, 3, 64)
   */
  forward(ids: TensorLike, options?: ForwardOptions): LayerResult;
}

const OPERATION = 'Embedding';
const OPTIONS: Known<EmbeddingOptions> = { numEmbeddings: 1, dim: 1, weightType: 1, seed: 1 };
const FORWARD = `${OPERATION}.forward`;

export class EmbeddingLayer extends ParameterOwner implements Embedding {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #rows: number;
  readonly #width: number;

  constructor(wasm: Wasm, options: EmbeddingOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    const rows = checkInteger(OPERATION, 'numEmbeddings', given.numEmbeddings, 1);
    const width = checkInteger(OPERATION, 'dim', given.dim, 1, 2 ** 24);
    const seed = seedOf(OPERATION, given.seed);
    const initial = () => normal(seed, 0, rows * width);
    const weightType = checkMatrixType(OPERATION, 'weightType', given.weightType);
    const specs = [{ name: 'weight', shape: [rows, width], initial }];
    const parameters = new Parameters(wasm, OPERATION, specs, tableType(weightType));
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#rows = rows;
    this.#width = width;
  }

  forward(ids: TensorLike, options?: ForwardOptions): LayerResult {
    const parameters = this.#parameters;
    const { raw, memory } = this.#wasm;
    const width = this.#width;
    parameters.check(FORWARD);
    const { training, out: given } = checkForward(FORWARD, options);
    parameters.checkTraining(FORWARD, training);
    const rows = toInt32(FORWARD, 'ids', ids, 0, this.#rows - 1);
    const count = rows.data.length;
    const shape = [...rows.shape, width];
    const into = checkOut(FORWARD, 'out.output', given, sizeOf(shape));
    const data = memory.scope(FORWARD, () => {
      const placed = memory.ints(rows.data);
      const out = memory.reserve(sizeOf(shape));
      const { weightType } = parameters;
      const isPacked = weightType > 0;
      const table = isPacked ? parameters.packed('weight') : parameters.address('weight');
      const packedRows = isPacked ? this.#rows : 0;
      setEmbedding({ ids: placed, table, out, count, dim: width, packedRows, weightType });
      raw.embedding(memory.args());
      return memory.read(out, sizeOf(shape), into);
    });
    const output = { data, shape };
    if (!training) return { output };
    const backward = backwardOnce(memory, OPERATION, parameters, shape, rows.shape, (gradient, into) => {
      const placed = memory.ints(rows.data);
      const scratch = memory.reserve(raw.embeddingBackwardScratch(count, this.#rows, width));
      const gradTable = parameters.gradient('weight');
      raw.embeddingBackward(gradient, placed, gradTable, scratch, count, this.#rows, width);
      return into.fill(0);
    });
    return { output, backward };
  }
}
