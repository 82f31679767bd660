/// <reference lib="esnext.disposable" preserve="true" />
import { checkOut } from '../check/arrays.js';
import { checkOptions } from '../check/options.js';
import { sizeOf } from '../check/values.js';
import * as N from '../generated/bindings/headNorms.js';
import * as M from '../generated/bindings/multiHeadAttentionArgs.js';
import { checkAskedResults } from '../ops/attention/askedResults.js';
import { checkAttentionOptions } from '../ops/attention/options.js';
import { floats, within, words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { AttentionOptions, TensorLike } from '../types.js';
import { multiHeadAttentionBackward } from './attention/backward.js';
import type { HeadShape } from './attention/headOptions.js';
import { attentionOfHeads } from './attention/heads.js';
import { checkInputs, copiesOf } from './attention/inputs.js';
import { createCache, type CacheOptions, type KeyValueCache } from './attention/keyValueCache.js';
import { ownTensors } from './attention/ownTensors.js';
import { pastOf } from './attention/past.js';
import { placeProjections, setProjections, type Projection } from './attention/projections.js';
import { checkPosition, setRotation, withoutRotary, type RotaryPositioning } from './attention/rotaryPositions.js';
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

/** The class for a loaded module. */
export function multiHeadAttentionClass(wasm: Wasm): new (options: MultiHeadAttentionOptions) => MultiHeadAttention {
  return class MultiHeadAttention extends MultiHeadAttentionLayer {
    constructor(options: MultiHeadAttentionOptions) {
      super(wasm, options);
    }
  };
}

class MultiHeadAttentionLayer extends ParameterOwner implements MultiHeadAttention {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
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
    const { raw, memory } = this.#wasm;
    const given = checkOptions(FORWARD, options, LAYER_FORWARD_OPTIONS);
    const inputs = checkInputs(FORWARD, this.#inputs, queries, keys, values);
    const [q, k] = inputs;
    const [batch, length] = q.shape as [number, number, number];
    const tokens = k.shape[1]!;
    const { heads, kvHeads, width, normEps } = this.#heads;
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
    // Not a spread of `sizes`: as the engine builds that, it took half of a small call's time.
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
    const asked = checkAskedResults(FORWARD, used, attentionSizes);
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
    // Again: reading what is the caller's may have run his code.
    this.#parameters.check(FORWARD);
    // Each training step drops different weights.
    if (training) this.#seed = (this.#seed + 1) >>> 0;
    // Before there are results, which may be written over the inputs.
    const kept = keeps ? { sizes, rotation, plan, inputs: copiesOf(inputs) } : undefined;

    const result = memory.scope(FORWARD, () => {
      const stored = past.place(memory);
      const projections = placeProjections(memory, this.#parameters, inputs, sizes, this.#numHiddens, keeps);
      const [query, key, value, output] = projections;
      const outputOf = ({ output, rows, outputs }: Projection) => memory.read(output, rows * outputs);
      const rows = { query: query.output, key: key.output, value: value.output, output: output.input };
      if (keeps && normEps !== undefined) {
        rows.query = memory.reserve(query.rows * query.outputs);
        rows.key = memory.reserve(key.rows * key.outputs);
      }
      const turned = rotation?.(this.#wasm);
      attentionOfHeads(sizes, rows, stored);
      plan.place(memory);
      asked.place(memory);
      setProjections(projections);
      words[M.keyCache] = stored.keys;
      words[M.valueCache] = stored.values;
      words[M.cacheLength] = stored.length;
      words[M.cacheCapacity] = stored.capacity;
      if (turned) setRotation(M.rotation, turned);
      if (normEps !== undefined) {
        words[within(M.norms, N.query)] = this.#parameters.address('q_norm.weight');
        words[within(M.norms, N.key)] = this.#parameters.address('k_norm.weight');
        words[within(M.norms, N.queries)] = rows.query;
        words[within(M.norms, N.keys)] = rows.key;
        floats[within(M.norms, N.eps)] = normEps;
      }
      memory.run(raw.multiHeadAttention);
      const result: MultiHeadAttentionResult = { output: memory.tensor(output.output, outputShape, into) };
      asked.read(memory, result);
      past.read(memory, stored, result);
      if (kept) {
        const attended = [query, key, value].map((projection, i) =>
          outputOf({ ...projection, output: [rows.query, rows.key, rows.value][i]! }),
        ) as [Float32Array, Float32Array, Float32Array];
        result.backward = multiHeadAttentionBackward(this.#wasm, this.#parameters, {
          ...kept,
          attended,
          norms: normEps === undefined ? undefined : { eps: normEps, inputs: [outputOf(query), outputOf(key)] },
          heads: memory.read(output.input, output.rows * output.inputs),
        });
      }
      return result;
    });
    past.commit(tokens);
    return result;
  }

  createCache(options: CacheOptions): KeyValueCache {
    return createCache(this.#wasm, this, this.#parameters, this.#heads, options);
  }

  override loadStateDict(state: Record<string, TensorLike>): void {
    const { kvHeads, width } = this.#heads;
    super.loadStateDict(fromTorch(`${OPERATION}.loadStateDict`, state, kvHeads * width));
  }
}
