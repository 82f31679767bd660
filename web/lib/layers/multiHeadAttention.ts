/// <reference lib="esnext.disposable" preserve="true" />
import { checkOut, toTensorOfShape } from '../check/arrays.js';
import {
  checkBoolean,
  checkInteger,
  checkOptions,
  checkProbability,
  checkRequired,
  checkSeed,
  sizeOf,
  wrongValue,
} from '../check/values.js';
import * as AT from '../ops/attention/fields.js';
import { keptOptions } from '../ops/attention/keptOptions.js';
import { checkAttentionOptions, type CheckedAttentionOptions } from '../ops/attention/options.js';
import { disposeSymbol } from '../runtime/dispose.js';
import type { Wasm } from '../runtime/wasm.js';
import type { AttentionOptions, Tensor, TensorLike } from '../types.js';
import { multiHeadAttentionBackward } from './attention/backward.js';
import { attentionOfHeads } from './attention/heads.js';
import { Cache, type KeyValueCache } from './attention/keyValueCache.js';
import { checkPast, type StoredPast } from './attention/past.js';
import {
  NO_ROTATION,
  rotaryPositions,
  type RotaryPositioning,
  type Rotation,
} from './attention/rotaryPositions.js';
import { fromTorch } from './attention/torchNames.js';
import type {
  LayerForwardOptions,
  MultiHeadAttention,
  MultiHeadAttentionOptions,
  MultiHeadAttentionResult,
} from './attention/types.js';
import { linearSpecs, Parameters, type Parameter } from './base/parameters.js';
import { freshSeed } from './base/random.js';

const OPERATION = 'MultiHeadAttention';
const FORWARD = `${OPERATION}.forward`;
const PROJECTIONS = ['W_q', 'W_k', 'W_v', 'W_o'] as const;

/** The class for a loaded module. */
export function multiHeadAttentionClass(
  wasm: Wasm,
): new (options: MultiHeadAttentionOptions) => MultiHeadAttention {
  return class MultiHeadAttention extends MultiHeadAttentionLayer {
    constructor(options: MultiHeadAttentionOptions) {
      super(wasm, options);
    }
  };
}

class MultiHeadAttentionLayer implements MultiHeadAttention {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #heads: number;
  readonly #kvHeads: number;
  readonly #headWidth: number;
  readonly #numHiddens: number;
  /** Dq, Dk, Dv */
  readonly #inputs: readonly [number, number, number];
  readonly #dropout: number;
  readonly #rotary: RotaryPositioning | undefined;
  #seed: number;

  constructor(wasm: Wasm, options: MultiHeadAttentionOptions) {
    const given = checkRequired<MultiHeadAttentionOptions>(OPERATION, options, 'numHiddens and numHeads');
    const size = (name: string, value: number) => checkInteger(OPERATION, name, value, 1, 2 ** 24);
    const numHiddens = size('numHiddens', given.numHiddens);
    const heads = size('numHeads', given.numHeads);
    const kvHeads = size('numKvHeads', given.numKvHeads ?? heads);
    if (numHiddens % heads !== 0)
      wrongValue(OPERATION, `numHeads to divide numHiddens (${numHiddens})`, heads);
    if (heads % kvHeads !== 0) wrongValue(OPERATION, `numKvHeads to divide numHeads (${heads})`, kvHeads);
    const bias = given.bias === undefined ? false : checkBoolean(OPERATION, 'bias', given.bias);
    this.#dropout = given.dropout === undefined ? 0 : checkProbability(OPERATION, 'dropout', given.dropout);
    this.#seed = given.seed === undefined ? freshSeed() : checkSeed(OPERATION, given.seed);
    this.#inputs = [
      size('querySize', given.querySize ?? numHiddens),
      size('keySize', given.keySize ?? numHiddens),
      size('valueSize', given.valueSize ?? numHiddens),
    ];
    this.#rotary =
      given.rotary == null ? undefined : rotaryPositions(OPERATION, given.rotary, numHiddens / heads);
    this.#wasm = wasm;
    this.#heads = heads;
    this.#kvHeads = kvHeads;
    this.#headWidth = numHiddens / heads;
    this.#numHiddens = numHiddens;
    const kvWidth = kvHeads * this.#headWidth;
    const widths = [numHiddens, kvWidth, kvWidth, numHiddens];
    const inputs = [...this.#inputs, numHiddens];
    this.#parameters = new Parameters(
      wasm,
      OPERATION,
      PROJECTIONS.flatMap((name, i) => linearSpecs(name, widths[i]!, inputs[i]!, bias, this.#seed, 2 * i)),
    );
  }

  forward(
    queries: TensorLike,
    keys: TensorLike,
    values: TensorLike,
    options?: LayerForwardOptions,
  ): MultiHeadAttentionResult {
    this.#parameters.check(FORWARD);
    const { raw, memory } = this.#wasm;
    const given = checkOptions<LayerForwardOptions>(FORWARD, options);
    const [q, k, v] = this.#checkInputs(queries, keys, values);
    const [batch, length] = q.shape as [number, number, number];
    const tokens = k.shape[1]!;
    const heads = { batch, kvHeads: this.#kvHeads, width: this.#headWidth };
    const past = checkPast(FORWARD, given, this, heads, tokens);
    const { kvHeads, width } = heads;
    const sizes = { batch, heads: this.#heads, kvHeads, queries: length, keys: past.length + tokens, width };
    const { options: used, training } = this.#checkTraining(given);
    const check = (options: AttentionOptions): CheckedAttentionOptions => {
      const scoresShape = [batch, sizes.heads, length, sizes.keys];
      const { heads, queries, keys } = sizes;
      return checkAttentionOptions(FORWARD, options, { batch, heads, queries, keys, width, valueWidth: width, past: past.length, scoresShape }); // prettier-ignore
    };
    const plan = check(used);
    // Every training step drops other weights.
    if (training) this.#seed = (this.#seed + 1) >>> 0;
    const keeps = training && past.length === 0 && given.cache == null && given.pastKey == null;
    const rotation = this.#rotary?.(FORWARD, given, { batch, queries: length, tokens, past: past.length });
    const outputShape = [batch, length, this.#numHiddens];
    const into = checkOut(FORWARD, 'out.output', given.out?.output, sizeOf(outputShape));

    const result = memory.scope(FORWARD, () => {
      const stored = past.place(memory);
      const projections = this.#placeProjections(q, k, v, keeps);
      const [query, key, value, output] = projections;
      const rows = { query: query.output, key: key.output, value: value.output, output: output.input };
      const args = attentionOfHeads(sizes, rows, stored);
      plan.place(memory, args);
      args.words[AT.scratch] = memory.reserve(raw.scaledDotProductAttentionScratch(args.place(memory)));
      const rotated = rotation ? rotation(this.#wasm) : NO_ROTATION;
      raw.multiHeadAttention(args.place(memory, multiHeadArgs(projections, stored, rotated)));
      const data = memory.read(output.output, sizeOf(outputShape), into);
      const result: MultiHeadAttentionResult = { output: { data, shape: outputShape } };
      plan.read(memory, args, result);
      past.read(memory, stored, result);
      if (keeps) {
        const kept = ({ output, rows, outputs }: Projection) => memory.read(output, rows * outputs);
        const copies = new Map([q, k, v].map((input) => [input, copyOf(input)]));
        result.backward = multiHeadAttentionBackward(this.#wasm, this.#parameters, {
          sizes,
          plan: check(keptOptions(used)),
          inputs: [copies.get(q)!, copies.get(k)!, copies.get(v)!],
          projected: [kept(query), kept(key), kept(value)],
          heads: memory.read(output.input, output.rows * output.inputs),
          rotation,
        });
      }
      return result;
    });
    past.commit(tokens);
    return result;
  }

  createCache(options: { batch: number; maxLength: number }): KeyValueCache {
    this.#parameters.check('createCache');
    const { batch, maxLength } = checkOptions('createCache', options);
    checkInteger('createCache', 'batch', batch, 1, 2 ** 24);
    checkInteger('createCache', 'maxLength', maxLength, 1, 2 ** 30);
    return new Cache(this.#wasm, this, batch, maxLength, this.#kvHeads * this.#headWidth);
  }

  parameters(): Parameter[] {
    return this.#parameters.list();
  }

  stateDict(): Record<string, Tensor> {
    return this.#parameters.stateDict();
  }

  loadStateDict(state: Record<string, TensorLike>): void {
    this.#parameters.load(fromTorch(`${OPERATION}.loadStateDict`, state, this.#kvHeads * this.#headWidth));
  }

  dispose(): void {
    this.#parameters.dispose();
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  /** Queries, keys and values; one that is given twice stays one object, so that it is copied once. */
  #checkInputs(queries: TensorLike, keys: TensorLike, values: TensorLike): [Tensor, Tensor, Tensor] {
    const [queryWidth, keyWidth, valueWidth] = this.#inputs;
    const q = toTensorOfShape(FORWARD, 'queries', queries, ['B', 'L', queryWidth]);
    const [batch] = q.shape as [number];
    const k =
      keys === queries && keyWidth === queryWidth
        ? q
        : toTensorOfShape(FORWARD, 'keys', keys, [batch, 'S', keyWidth]);
    const v =
      values === keys && valueWidth === keyWidth
        ? k
        : toTensorOfShape(FORWARD, 'values', values, [batch, k.shape[1]!, valueWidth]);
    return [q, k, v];
  }

  /**
   * What the attention is told: the layer's dropout in training, and its seed. Options that need neither stay as they are, for
   * copying them costs a small call dearly.
   */
  #checkTraining(given: LayerForwardOptions): { options: AttentionOptions; training: boolean } {
    const training = given.training !== undefined && checkBoolean(FORWARD, 'training', given.training);
    if (!training && given.dropout == null) return { options: given, training };
    const dropout = given.dropout ?? this.#dropout;
    return { options: { ...given, dropout, seed: given.seed ?? this.#seed }, training };
  }

  /**
   * Copies the inputs in, each once, and makes room for the projections: C++'s query, key, value and output, which takes the
   * projected queries' place unless they are kept.
   */
  #placeProjections(q: Tensor, k: Tensor, v: Tensor, keeps: boolean): Projections {
    const { memory } = this.#wasm;
    const placed = new Map<Float32Array, number>();
    const project = (name: string, { data, shape }: Tensor, inputs: number, outputs: number): Projection => {
      if (!placed.has(data)) placed.set(data, memory.floats(data));
      const rows = shape[0]! * shape[1]!;
      return {
        input: placed.get(data)!,
        packed: this.#parameters.packed(`${name}.weight`),
        bias: this.#parameters.address(`${name}.bias`),
        output: memory.reserve(rows * outputs),
        rows,
        inputs,
        outputs,
      };
    };
    const [queryWidth, keyWidth, valueWidth] = this.#inputs;
    const kvWidth = this.#kvHeads * this.#headWidth;
    const query = project('W_q', q, queryWidth, this.#numHiddens);
    const key = project('W_k', k, keyWidth, kvWidth);
    const value = project('W_v', v, valueWidth, kvWidth);
    const output = {
      input: memory.reserve(query.rows * this.#numHiddens),
      packed: this.#parameters.packed('W_o.weight'),
      bias: this.#parameters.address('W_o.bias'),
      output: keeps ? memory.reserve(query.rows * this.#numHiddens) : query.output,
      rows: query.rows,
      inputs: this.#numHiddens,
      outputs: this.#numHiddens,
    };
    return [query, key, value, output];
  }
}

function copyOf({ data, shape }: Tensor): Tensor {
  return { data: data.slice(), shape: [...shape] };
}

/** What C++'s MultiHeadAttentionArgs has behind its AttentionArgs. */
function multiHeadArgs(projections: readonly Projection[], stored: StoredPast, rotation: Rotation): number[] {
  const rest: number[] = [];
  for (const p of projections) rest.push(p.input, p.packed, p.bias, p.output, p.rows, p.inputs, p.outputs);
  rest.push(stored.keys, stored.values, stored.length, stored.capacity, ...rotation);
  return rest;
}

/** C++'s Projection: addresses and sizes. */
interface Projection {
  readonly input: number;
  readonly packed: number;
  readonly bias: number;
  readonly output: number;
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
}

type Projections = readonly [query: Projection, key: Projection, value: Projection, output: Projection];
