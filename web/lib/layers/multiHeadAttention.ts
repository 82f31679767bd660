/// <reference lib="esnext.disposable" preserve="true" />
import { checkOut } from '../check/arrays.js';
import { checkOptions } from '../check/options.js';
import { sizeOf } from '../check/values.js';
import { checkRequestedResults } from '../ops/attention/requestedResults.js';
import { checkAttentionOptions } from '../ops/attention/options.js';
import type { Wasm } from '../runtime/wasm.js';
import { attend, type HeadNorms, type HeadRows } from '../steps/attend.js';
import type { KeyValueCache } from '../steps/cache.js';
import { runSteps, Steps, type Norm } from '../steps/steps.js';
import type { AttentionOptions, TensorLike } from '../types.js';
import { multiHeadAttentionBackward } from './attention/backward.js';
import type { HeadShape } from './attention/headOptions.js';
import { checkInputs, copiesOf, ownTensors } from './attention/inputs.js';
import { createLayerCache, pastOf, type CacheOptions } from './attention/past.js';
import { placeProjections, type Projection, type Projections } from './attention/projections.js';
import { checkPosition, withoutRotary, type RotaryPositioning } from './attention/rotaryPositions.js';
import { settingsOf } from './attention/settings.js';
import { fromTorch } from './attention/torchNames.js';
import {
  LAYER_FORWARD_OPTIONS,
  OPTION_TENSORS,
  type LayerForwardOptions,
  type MultiHeadAttention,
  type MultiHeadAttentionOptions,
  type MultiHeadAttentionResult,
} from './attention/types.js';
import { checkTraining, ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';

const OPERATION = 'MultiHeadAttention';
const FORWARD = `${OPERATION}.forward`;

export class MultiHeadAttentionLayer extends ParameterOwner implements MultiHeadAttention {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #steps = new Steps();
  readonly #numHiddens: number;
  readonly #heads: HeadShape;
  /** Dq, Dk, Dv */
  readonly #inputs: readonly [number, number, number];
  readonly #dropout: number;
  readonly #rotary: RotaryPositioning | undefined;
  #seed: number;

  constructor(wasm: Wasm, options: MultiHeadAttentionOptions) {
    const settings = settingsOf(OPERATION, options);
    const parameters = new Parameters(wasm, OPERATION, settings.specs, settings.weightType);
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#numHiddens = settings.numHiddens;
    this.#heads = settings.heads;
    this.#inputs = settings.inputs;
    this.#dropout = settings.dropout;
    this.#rotary = settings.rotary;
    this.#seed = settings.seed;
  }

  forward(
    queries: TensorLike,
    keys: TensorLike,
    values: TensorLike,
    options?: LayerForwardOptions,
  ): MultiHeadAttentionResult {
    this.#parameters.check(FORWARD);
    const { memory } = this.#wasm;
    const given = checkOptions(FORWARD, options, LAYER_FORWARD_OPTIONS);
    const inputs = checkInputs(FORWARD, this.#inputs, queries, keys, values);
    const [q, k] = inputs;
    const [batch, length] = q.shape as [number, number, number];
    const tokens = k.shape[1]!;
    const { heads, kvHeads, width } = this.#heads;
    const past = pastOf(FORWARD, given, this, { batch, kvHeads, width }, tokens);
    const sizes = { batch, heads, kvHeads, queries: length, keys: past.length + tokens, width };
    const training = checkTraining(FORWARD, given.training);
    this.#parameters.checkTraining(FORWARD, training);
    const offset = checkPosition(FORWARD, given.offset);
    const keeps = training && past.length === 0 && given.cache == null && given.pastKey == null;
    const used: AttentionOptions = keeps ? ownTensors(FORWARD, given, OPTION_TENSORS) : given;
    if (training || given.dropout != null) {
      used.dropout ??= this.#dropout;
      used.seed ??= this.#seed;
    }
    const { keys: allKeys } = sizes;
    // Not a spread of `sizes`, which took half of a small call's time.
    const attentionSizes = {
      batch,
      heads,
      queries: length,
      keys: allKeys,
      width,
      valueWidth: width,
      past: past.length,
      scoresShape: [batch, heads, length, allKeys],
    };
    const plan = checkAttentionOptions(FORWARD, used, attentionSizes);
    const placeRequested = checkRequestedResults(FORWARD, used, attentionSizes);
    const rotation = (this.#rotary ?? withoutRotary)(FORWARD, offset, plan.offset, {
      batch,
      queries: length,
      tokens,
      past: past.length,
      packed: plan.packed,
      positions: given.positions,
    });
    const outputShape = [batch, length, this.#numHiddens];
    const into = checkOut(FORWARD, 'out.output', given.out?.output, sizeOf(outputShape));
    // Each training step drops different weights.
    if (training) this.#seed = (this.#seed + 1) >>> 0;
    // Copied before the results, which may be written over the inputs.
    const kept = keeps ? { sizes, rotation, plan, inputs: copiesOf(inputs) } : undefined;

    const result = memory.scope(FORWARD, () => {
      const stored = past.place(memory);
      const projections = placeProjections(memory, this.#parameters, inputs, keeps);
      const [query, key, value, output] = projections;
      const rows = { query: query.out, key: key.out, value: value.out, output: output.x };
      const norms = this.#norms(rows, keeps ? projections : undefined);
      const attended = { ...rows, ...norms?.to };
      let readRequested: ReturnType<typeof placeRequested>;
      const steps = this.#steps;
      steps.clear();
      for (const { x, matrix, out, rows } of [query, key, value]) steps.linear(x, matrix, out, rows);
      attend(steps, {
        sizes,
        rows,
        tokens,
        norms,
        rotation: rotation?.(this.#wasm),
        cache: stored,
        setOptions: () => {
          plan.place(memory);
          readRequested = placeRequested(memory);
        },
      });
      steps.linear(output.x, output.matrix, output.out, output.rows);
      runSteps(this.#wasm, steps.place(memory), steps.bytes);
      const result: MultiHeadAttentionResult = { output: memory.tensor(output.out, outputShape, into) };
      readRequested!(result);
      if (stored) past.read(memory, stored, result);
      if (kept) {
        const read = ({ rows, matrix }: Projection, address: number) => memory.read(address, rows * matrix.outputs);
        result.backward = multiHeadAttentionBackward(this.#wasm, this.#parameters, {
          ...kept,
          attended: [read(query, attended.query), read(key, attended.key), read(value, value.out)],
          norms: norms && { eps: norms.query.eps, inputs: [read(query, query.out), read(key, key.out)] },
          heads: memory.read(output.x, output.rows * output.matrix.inputs),
        });
      }
      return result;
    });
    past.commit(tokens);
    return result;
  }

  createCache(options: CacheOptions): KeyValueCache {
    return createLayerCache(this.#wasm, this, this.#parameters, this.#heads, options);
  }

  /** The norms of queries and keys, in place unless their inputs are `kept`. */
  #norms(rows: HeadRows, kept: Projections | undefined): HeadNorms | undefined {
    const eps = this.#heads.normEps;
    if (eps === undefined) return undefined;
    const { memory } = this.#wasm;
    const norm = (name: string): Norm => ({ kind: 'rms', weight: this.#parameters.address(name), bias: 0, eps });
    const apart = ({ rows, matrix }: Projection) => memory.reserve(rows * matrix.outputs);
    const to = kept ? { query: apart(kept[0]), key: apart(kept[1]) } : rows;
    return { query: norm('q_norm.weight'), key: norm('k_norm.weight'), to };
  }

  override loadStateDict(state: Record<string, TensorLike>): void {
    const { kvHeads, width } = this.#heads;
    super.loadStateDict(fromTorch(`${OPERATION}.loadStateDict`, state, kvHeads * width));
  }
}
