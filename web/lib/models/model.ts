import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, wrongUse, wrongValue } from '../check/values.js';
import { checkWeightType, type WeightType } from '../check/weightType.js';
import type { Tensor } from '../types.js';
import { createCache } from '../steps/cache.js';
import { hiddenWidth } from './config/architecture.js';
import { generate, type Generator } from './generation/generate.js';
import { OpenedModel } from './openedModel.js';
import { activationsOf } from './pass/activations.js';
import { checkPass } from './pass/check.js';
import { resultOf, type Passes } from './pass/passes.js';
import type { Prompts, TokenIds } from './tokens.js';
import { dimOf, embedded, POOLINGS } from './sentence/embed.js';
import type { Sentence } from './sentence/modules.js';
import type {
  EmbedOptions,
  GenerateOptions,
  Model,
  ModelForwardOptions,
  ModelResult,
  ModelCache,
  ModelCacheOptions,
} from './types.js';

const EMBED_OPTIONS: Known<EmbedOptions> = { attentionMask: 1, tokenTypes: 1, pooling: 1, normalize: 1, dim: 1 };

export class OpenModel extends OpenedModel implements Model {
  readonly #passes: Passes;
  readonly #cacheType: WeightType | undefined;
  readonly #sentence: Sentence;

  constructor(passes: Passes, unused: readonly string[], cacheType: WeightType | undefined, sentence: Sentence) {
    super(passes, unused);
    this.#passes = passes;
    this.#cacheType = cacheType;
    this.#sentence = sentence;
  }

  forward(ids: TokenIds, options?: ModelForwardOptions): ModelResult {
    const passes = this.#passes;
    return passes.run(checkPass(this, passes.architecture, 'forward', ids, options, true), resultOf);
  }

  activations(ids: TokenIds, names: RegExp | readonly string[], options?: ModelForwardOptions): Record<string, Tensor> {
    const operation = 'activations';
    const check = () => checkPass(this, this.#passes.architecture, operation, ids, options, false);
    return activationsOf(operation, this.#passes, names, check);
  }

  embed(ids: TokenIds, options?: EmbedOptions): Tensor {
    const operation = 'embed';
    const { attentionMask, tokenTypes, pooling, normalize, dim } = checkOptions(operation, options, EMBED_OPTIONS);
    const poolings = Object.keys(POOLINGS);
    if (pooling != null && !poolings.includes(pooling)) {
      wrongValue(operation, `pooling to be one of ${poolings.join(', ')}`, pooling);
    }
    if (normalize != null) checkBoolean(operation, 'normalize', normalize);
    const sentence: Sentence = {
      ...this.#sentence,
      ...(pooling != null && { pooling: [pooling] }),
      ...(normalize != null && { normalize }),
    };
    const kept = dimOf(operation, sentence, hiddenWidth(this.#passes.architecture), dim);
    const given = { attentionMask, tokenTypes } as ModelForwardOptions;
    const pass = checkPass(this, this.#passes.architecture, operation, ids, given, false);
    const { hidden } = this.#passes.run(pass, resultOf);
    return embedded(hidden, pass.given.mask, sentence, kept);
  }

  generate(ids: readonly number[], options?: GenerateOptions): AsyncGenerator<number>;
  generate(prompts: readonly (readonly number[])[], options?: GenerateOptions): AsyncGenerator<number[]>;
  async *generate(ids: Prompts, options?: GenerateOptions): AsyncGenerator<number | number[]> {
    const operation = 'generate';
    this.#passes.checkUse(operation);
    const generator: Generator = {
      owner: this,
      architecture: this.#passes.architecture,
      predicts: this.#passes.weights.head?.predictsTokens === true,
      run: (pass, read) => this.#passes.run(pass, read),
      createCache: (batch, capacity) => this.#createCache(operation, batch, capacity, this.#cacheType),
    };
    yield* generate(generator, ids, options);
  }

  createCache(options?: ModelCacheOptions): ModelCache {
    const operation = 'createCache';
    const given = { batch: 1, maxLength: 1, cacheType: 1 } as const;
    const {
      batch = 1,
      maxLength = this.maxLength,
      cacheType = this.#cacheType,
    } = checkOptions(operation, options, given);
    checkInteger(operation, 'batch', batch, 1, 2 ** 24);
    checkInteger(operation, 'maxLength', maxLength, 1, this.maxLength);
    return this.#createCache(operation, batch, maxLength, cacheType);
  }

  #createCache(operation: string, batch: number, capacity: number, cacheType: WeightType | undefined): ModelCache {
    const type = checkWeightType(operation, 'cacheType', cacheType);
    this.#passes.checkUse(operation);
    if (!this.#passes.architecture.causal) wrongUse(operation, 'a decoder', this.family);
    const { layers, kvHeads, headDim: width } = this.#passes.architecture;
    return createCache(operation, this.#passes.wasm, this, { layers, batch, kvHeads, width, capacity, type });
  }
}
