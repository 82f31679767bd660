/* Shared by encoder and decoder layers: their options, and a forward pass with its backward function. */
import { checkOut, toTensorOfShape } from '../../check/arrays.js';
import { checkOptions } from '../../check/options.js';
import { checkBoolean, checkNonNegative, checkProbability, wrongValue } from '../../check/values.js';
import { norms } from '../../generated/bindings/enums.js';
import { checkRequestedResults } from '../../ops/attention/requestedResults.js';
import { ATTENTION_OPTIONS, checkAttentionOptions } from '../../ops/attention/options.js';
import type { RotaryOptions } from '../../ops/rotary/options.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { KeyValueCache } from '../../steps/cache.js';
import { Steps } from '../../steps/steps.js';
import type { AttentionOptions, AttentionResult, TensorLike } from '../../types.js';
import {
  checkBiases,
  checkHeads,
  checkSize,
  type HeadOptions,
  type ProjectionBiases,
} from '../attention/headOptions.js';
import { ownTensors } from '../attention/inputs.js';
import { createLayerCache, memoryPast, pastOf, type CacheOptions } from '../attention/past.js';
import { checkPosition, rotaryPositions, withoutRotary, type RotaryPositioning } from '../attention/rotaryPositions.js';
import { OPTION_TENSORS, type LayerForwardOptions } from '../attention/types.js';
import { Activations } from '../base/activations.js';
import { checkInto, checkTraining, runOnce } from '../base/layer.js';
import { Parameters } from '../base/parameters.js';
import { seedOf } from '../base/random.js';
import type { BackwardOptions } from '../base/types.js';
import { checkActivation, type Activation } from '../feedForward.js';
import { blockSpecs, type BlockShape } from './parameters.js';
import { inferBlock } from './inference.js';
import { trainBlock, trainBlockBackward, type Block, type BlockGradients, type BlockPass } from './training.js';

/** The options of both layers; some are for the encoder only. */
export interface BlockOptions extends HeadOptions {
  numHiddens: number;
  numHeads: number;
  ffnHiddens: number;
  dropout?: number;
  bias?: boolean | ProjectionBiases;
  activation?: Activation;
  norm?: 'pre' | 'post';
  normType?: 'layer' | 'rms';
  feedForward?: 'plain' | 'gated';
  eps?: number;
  rotary?: RotaryOptions;
  seed?: number;
}

/** The options of a decoder's attention to its memory. */
export type CrossOptions = Omit<AttentionOptions, 'pastKey' | 'pastValue' | 'out'>;

/** XORed with the seed of dropout for the weights of the cross-attention. */
const CROSS_STREAM = 0x9e3779b9;

export interface BlockCall {
  readonly self: AttentionResult;
  readonly cross: AttentionResult | undefined;
  readonly backward: ((gradOutput: TensorLike, options?: BackwardOptions) => BlockGradients) | undefined;
}

function oneOf<T extends string>(operation: string, name: string, value: T | undefined, values: readonly T[]): T {
  const given = value ?? values[0]!;
  if (values.includes(given)) return given;
  return wrongValue(operation, `${name} to be one of ${values.join(', ')}`, given);
}

/** The parameters of a layer, and its passes. */
export class BlockLayer {
  readonly parameters: Parameters;
  readonly #operation: string;
  readonly #block: Block;
  readonly #dropout: number;
  readonly #rotary: RotaryPositioning | undefined;
  #seed: number;

  constructor(wasm: Wasm, operation: string, given: BlockOptions, crosses: boolean) {
    const numHiddens = checkSize(operation, 'numHiddens', given.numHiddens);
    const heads = checkHeads(operation, given, numHiddens);
    const hiddenWidth = checkSize(operation, 'ffnHiddens', given.ffnHiddens);
    const preNorm = oneOf(operation, 'norm', given.norm, ['post', 'pre']) === 'pre';
    const rms = oneOf(operation, 'normType', given.normType, norms) === 'rms';
    const gated = oneOf(operation, 'feedForward', given.feedForward, ['plain', 'gated']) === 'gated';
    const bias = checkBiases(operation, given.bias, true);
    if (bias.query !== bias.key || bias.key !== bias.value) {
      wrongValue(operation, 'biases of queries, keys and values together, which are one tensor', 'some of them');
    }
    const eps = checkNonNegative(operation, 'eps', given.eps ?? (rms ? 1e-6 : 1e-5));
    const activation = checkActivation(operation, given.activation, gated ? 'silu' : 'relu');
    const dropout = checkProbability(operation, 'dropout', given.dropout ?? 0);
    const rotary = given.rotary == null ? undefined : rotaryPositions(operation, given.rotary, heads.width);
    const seed = seedOf(operation, given.seed);
    const feedBias = given.bias == null || given.bias === true;
    const shape: BlockShape = { numHiddens, hiddenWidth, heads, crosses, gated, rms, bias, feedBias };
    this.parameters = new Parameters(wasm, operation, blockSpecs(shape, seed));
    this.#operation = operation;
    const activations = new Activations(wasm.memory);
    const steps = new Steps();
    this.#block = { wasm, parameters: this.parameters, activations, steps, shape, activation, preNorm, eps };
    this.#dropout = dropout;
    this.#rotary = rotary;
    this.#seed = seed;
  }

  /** A forward pass; `checkOptions` has already read `given`. */
  forward(x: TensorLike, given: LayerForwardOptions, memory?: TensorLike, crossOptions?: AttentionOptions): BlockCall {
    const operation = `${this.#operation}.forward`;
    const { shape } = this.#block;
    const { numHiddens, heads, crosses } = shape;
    const training = checkTraining(operation, given.training);
    const offset = checkPosition(operation, given.offset);
    for (const name of ['pastKey', 'pastValue'] as const) {
      if (given[name] != null) wrongValue(operation, `no ${name}`, 'one');
    }
    const input = toTensorOfShape(operation, 'x', x, ['B', 'L', numHiddens]);
    const [batch, length] = input.shape as [number, number, number];
    const over = crosses ? toTensorOfShape(operation, 'memory', memory!, [batch, 'S', numHiddens]) : undefined;
    const into = checkOut(operation, 'out.output', given.out?.output, input.data.length);
    const { cache } = given;
    const past = pastOf(operation, { ...(cache && { cache }) }, this, { batch, ...heads }, length);
    const keeps = training && cache == null;
    const sizesOf = (keys: number, past: number) => {
      const { heads: count, width } = heads;
      const scoresShape = [batch, count, length, keys];
      return { batch, heads: count, queries: length, keys, width, valueWidth: width, past, scoresShape };
    };
    const read = (options: AttentionOptions, keys: number, past: number, dropout: number, seed: number) => {
      const used = keeps ? ownTensors(operation, options, OPTION_TENSORS) : { ...options };
      used.dropout ??= training ? dropout : 0;
      used.seed ??= seed;
      const sizes = sizesOf(keys, past);
      return {
        used,
        keys,
        plan: checkAttentionOptions(operation, used, sizes),
        placeRequested: checkRequestedResults(operation, used, sizes),
      };
    };
    const self = read(given, past.length + length, past.length, this.#dropout, this.#seed);
    const { plan } = self;
    const rotation = (this.#rotary ?? withoutRotary)(operation, offset, plan.offset, {
      batch,
      queries: length,
      tokens: length,
      past: past.length,
      packed: plan.packed,
      positions: given.positions,
    });
    let cross: BlockPass['cross'];
    if (over) {
      const options = checkOptions<AttentionOptions>(operation, crossOptions, ATTENTION_OPTIONS, 'options of cross');
      for (const name of ['pastKey', 'pastValue', 'out'] as const) {
        if (options[name] != null) wrongValue(operation, `no cross.${name}`, 'one');
      }
      const keys = over.shape[1]!;
      const stored = memoryPast(operation, cache, this, batch, keys);
      const seed = ((self.used.seed ?? 0) ^ CROSS_STREAM) >>> 0;
      const part = read(options, keys, 0, self.used.dropout ?? 0, seed);
      cross = { ...part, past: stored, memory: stored.length > 0 ? undefined : over };
    }
    const pass: BlockPass = {
      batch,
      length,
      self: { ...self, past, rotation },
      ...(cross && { cross }),
      dropout: training ? { seed: self.used.seed!, dropout: self.used.dropout! } : undefined,
    };
    const { kept, ...result } = (keeps ? trainBlock : inferBlock)(operation, this.#block, pass, input, into);
    if (over) cross!.past.commit(over.shape[1]!);
    past.commit(length);
    // Each training step drops different elements.
    if (training) this.#seed = (this.#seed + 1) >>> 0;
    if (!kept) return { ...result, backward: undefined };
    const backward = runOnce(
      this.#operation,
      this.parameters,
      [batch, length, numHiddens],
      (operation, gradOutput, options) => {
        const into = checkInto(operation, options, gradOutput.length);
        return trainBlockBackward(operation, this.#block, pass, kept, gradOutput, into);
      },
    );
    return { ...result, backward };
  }

  createCache(options: CacheOptions): KeyValueCache {
    const { wasm, shape } = this.#block;
    return createLayerCache(wasm, this, this.parameters, shape.heads, options);
  }

  dispose(): void {
    this.#block.activations.dispose();
  }
}

/** Checks the option `bias` of a layer whose projections all have biases or none. */
export function checkBias(operation: string, given: unknown): void {
  if (given != null) checkBoolean(operation, 'bias', given);
}
