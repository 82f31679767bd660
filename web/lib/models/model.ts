import { checkOptions, type Known } from '../check/options.js';
import { toTensor } from '../check/arrays.js';
import { checkBoolean, checkInteger, checkShape, wrongUse, wrongValue } from '../check/values.js';
import { checkWeightType, type WeightType } from '../check/weightType.js';
import { disposeSymbol } from '../runtime/dispose.js';
import type { Memory } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import { createCache } from '../steps/cache.js';
import { runSteps } from '../steps/steps.js';
import { hiddenWidth, type Architecture, type PositionKind } from './config/architecture.js';
import { generate, type Generator } from './generation/generate.js';
import { checkPass, type Pass, type Read } from './pass/check.js';
import { pointsOf, swapped, transposed } from './pass/hooks.js';
import { placeInputs } from './pass/inputs.js';
import { buildProgram, isLike } from './pass/program.js';
import type { Place, Program, Request } from './pass/types.js';
import type { Prompts, TokenIds } from './tokens.js';
import { dimOf, embedded, POOLINGS } from './sentence/embed.js';
import type { Sentence } from './sentence/modules.js';
import type {
  EmbedOptions,
  GenerateOptions,
  Model,
  ModelHooks,
  ModelForwardOptions,
  ModelResult,
  ModelCache,
  ModelCacheOptions,
} from './types.js';
import type { Store } from './weights/store.js';
import type { ModelWeights } from './weights/types.js';

const FORWARD = 'forward';
const EMBED_OPTIONS: Known<EmbedOptions> = { attentionMask: 1, tokenTypes: 1, pooling: 1, normalize: 1, dim: 1 };

// Frees the memory of a model that was garbage-collected without dispose().
const registry = new FinalizationRegistry<Store>((store) => store.dispose());

export class OpenModel implements Model {
  readonly family: string;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numHiddens: number;
  readonly vocabSize: number;
  readonly maxLength: number;
  readonly isCausal: boolean;
  readonly positionKind: PositionKind;
  readonly labels: readonly string[] | undefined;
  readonly parameterBytes: number;
  readonly unused: readonly string[];
  readonly #wasm: Wasm;
  readonly #architecture: Architecture;
  readonly #weights: ModelWeights;
  readonly #store: Store;
  readonly #cacheType: WeightType | undefined;
  readonly #sentence: Sentence;
  #disposed = false;
  #isBusy = false;
  /** The last pass's program, which similar passes, such as those of a decoder, run again. */
  #last: { readonly request: Request; readonly program: Program } | undefined;

  constructor(
    wasm: Wasm,
    architecture: Architecture,
    { store, weights }: { store: Store; weights: ModelWeights },
    unused: readonly string[],
    cacheType: WeightType | undefined,
    sentence: Sentence,
  ) {
    this.#wasm = wasm;
    this.#architecture = architecture;
    this.#weights = weights;
    this.#store = store;
    this.#cacheType = cacheType;
    this.#sentence = sentence;
    this.family = architecture.family;
    this.numLayers = architecture.layers;
    this.numHeads = architecture.heads;
    this.numHiddens = architecture.hiddens;
    this.vocabSize = architecture.vocab;
    this.maxLength = architecture.maxLength;
    this.isCausal = architecture.causal;
    this.positionKind = architecture.positionKind;
    this.labels = weights.head?.labels;
    this.parameterBytes = store.bytes;
    this.unused = Object.freeze(unused);
    registry.register(this, store, this);
  }

  forward(ids: TokenIds, options?: ModelForwardOptions): ModelResult {
    return this.#run(checkPass(this, this.#architecture, FORWARD, ids, options, true), resultOf);
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
    const kept = dimOf(operation, sentence, hiddenWidth(this.#architecture), dim);
    const given = { attentionMask, tokenTypes } as ModelForwardOptions;
    const pass = checkPass(this, this.#architecture, operation, ids, given, false);
    const { hidden } = this.#run(pass, resultOf);
    return embedded(hidden, pass.given.mask, sentence, kept);
  }

  generate(ids: readonly number[], options?: GenerateOptions): AsyncGenerator<number>;
  generate(prompts: readonly (readonly number[])[], options?: GenerateOptions): AsyncGenerator<number[]>;
  async *generate(ids: Prompts, options?: GenerateOptions): AsyncGenerator<number | number[]> {
    const operation = 'generate';
    this.#checkUse(operation);
    const generator: Generator = {
      owner: this,
      architecture: this.#architecture,
      predicts: this.#weights.head?.predictsTokens === true,
      run: (pass, read) => this.#run(pass, read),
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
    this.#checkUse(operation);
    if (!this.#architecture.causal) wrongUse(operation, 'a decoder', this.family);
    const { layers, kvHeads, headDim: width } = this.#architecture;
    return createCache(operation, this.#wasm, this, { layers, batch, kvHeads, width, capacity, type });
  }

  dispose(): void {
    this.#checkIdle('dispose');
    this.#disposed = true;
    this.#last = undefined;
    this.#store.dispose();
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  #checkUse(operation: string): void {
    if (this.#disposed) wrongUse(operation, 'a model in use', 'a disposed one');
    this.#checkIdle(operation);
  }

  /** A hook must not change the model in the middle of a pass. */
  #checkIdle(operation: string): void {
    if (this.#isBusy) wrongUse(operation, 'a model between passes', "a hook's call in one");
  }

  #run<T>(pass: Pass, read: Read<T>): T {
    const { operation, cache } = pass;
    this.#checkUse(operation);
    this.#isBusy = true;
    if (cache) cache.isBusy = true;
    try {
      const result = this.#runSteps(pass, read);
      cache?.append(operation, pass.request.tokens, pass.mask);
      return result;
    } finally {
      this.#isBusy = false;
      if (cache) cache.isBusy = false;
    }
  }

  #runSteps<T>(pass: Pass, read: Read<T>): T {
    const { operation, length } = pass;
    const { hooks } = pass.request;
    const a = this.#architecture;
    const { memory } = this.#wasm;
    return memory.scope(operation, () => {
      const request: Request = { ...pass.request, frequencies: this.#weights.frequenciesAt(length) };
      // Where the next reservation will begin.
      const base = memory.reserve(0);
      const last = this.#last;
      const build = (at: number): Program => buildProgram(a, this.#weights, request, at);
      let program = last?.program.layout.base === base && isLike(a, request, last.request) ? last.program : build(base);
      const place = memory.reserve(program.layout.size / 4);
      if (place !== base) program = build(place);
      // Not with hooks, so as not to keep the caller's functions.
      if (!hooks) this.#last = { request, program };
      const points = pointsOf(operation, program, hooks);
      placeInputs(memory, a, this.#weights, program, pass);
      const steps = program.steps.place(memory);
      const run = (from: number, to: number): void => {
        if (from < to) runSteps(this.#wasm, steps + from, to - from, request.past);
      };
      let done = 0;
      for (const { after, name, ...point } of points) {
        run(done, after);
        done = after;
        this.#callHook(operation, name, hooks!.get(name)!, point);
      }
      run(done, program.steps.bytes);
      return read(memory, program, request);
    });
  }

  /** Calls a hook with a tensor, and replaces that with the tensor it returns. */
  #callHook(operation: string, name: string, hook: ModelHooks[string], point: Place): void {
    const { memory } = this.#wasm;
    const length = point.shape.reduce((product, axis) => product * axis, 1);
    const data = memory.read(point.address, length);
    const value = { data: point.heads ? transposed(data, point.shape) : data, shape: [...point.shape] };
    const returned: unknown = hook(value);
    if (returned === undefined) return;
    const { data: replaced, shape } = toTensor(operation, `what hook '${name}' returns`, returned as TensorLike);
    checkShape(operation, `hook '${name}' to return a tensor`, shape, point.shape);
    memory.write(point.address, point.heads ? transposed(replaced, swapped(shape)) : replaced);
  }
}

function resultOf(memory: Memory, program: Program, request: Request): ModelResult {
  const read = (place: Place): Tensor => memory.tensor(place.address, place.shape);
  return {
    hidden: read(program.hidden),
    ...(program.logits && { logits: read(program.logits) }),
    ...(program.pooled && { pooled: read(program.pooled) }),
    ...(request.needWeights && { weights: program.weights.map(read) }),
    ...(request.needHiddenStates && { hiddenStates: program.hiddenStates.map(read) }),
  };
}
