import { checkOptions, namesOf, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, showShape, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { toTensor } from '../check/arrays.js';
import * as S from '../generated/bindings/runStepsArgs.js';
import { disposeSymbol } from '../runtime/dispose.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import { createModelCache, storeOf, type CacheStore, type ModelCache } from './cache.js';
import type { Architecture } from './config.js';
import { generate } from './generate.js';
import {
  buildProgram,
  keyOf,
  STEP_BYTES,
  type HookPoint,
  type Place,
  type Program,
  type Request,
} from './program.js';
import { toRows, toTokens, type TokenIds, type Tokens } from './tokens.js';
import type { GenerateOptions, Model, ModelForwardOptions, ModelHooks, ModelResult } from './types.js';
import type { ModelWeights, Store } from './weights.js';

const FORWARD = 'forward';
const FORWARD_OPTIONS: Known<ModelForwardOptions> = {
  attentionMask: 1,
  tokenTypes: 1,
  needWeights: 1,
  needHiddenStates: 1,
  lastOnly: 1,
  cache: 1,
  window: 1,
  ablate: 1,
  hooks: 1,
  positions: 1,
};

// Frees the memory of a model that was garbage-collected without dispose().
const registry = new FinalizationRegistry<Store>((store) => store.dispose());

/** A pass whose arguments have been checked. */
interface Pass {
  readonly operation: string;
  readonly given: Tokens;
  readonly request: Omit<Request, 'rotary'>;
  readonly cache: CacheStore | undefined;
  readonly types: Int32Array | undefined;
  readonly positions: Int32Array | undefined;
  readonly hooks: ReadonlyMap<string, ModelHooks[string]>;
}

export class OpenModel implements Model {
  readonly family: string;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numHiddens: number;
  readonly vocabSize: number;
  readonly maxLength: number;
  readonly parameterBytes: number;
  readonly unused: readonly string[];
  readonly #wasm: Wasm;
  readonly #architecture: Architecture;
  readonly #weights: ModelWeights;
  readonly #store: Store;
  #disposed = false;
  /** The last pass's program: a decoder's steps differ from each other only in what they read. */
  #program: { readonly key: string; readonly base: number; readonly program: Program } | undefined;

  constructor(
    wasm: Wasm,
    architecture: Architecture,
    { store, weights }: { store: Store; weights: ModelWeights },
    unused: readonly string[],
  ) {
    this.#wasm = wasm;
    this.#architecture = architecture;
    this.#weights = weights;
    this.#store = store;
    this.family = architecture.family;
    this.numLayers = architecture.layers;
    this.numHeads = architecture.heads;
    this.numHiddens = architecture.hiddens;
    this.vocabSize = architecture.vocab;
    this.maxLength = architecture.maxLength;
    this.parameterBytes = store.bytes;
    this.unused = Object.freeze(unused);
    registry.register(this, store, this);
  }

  forward(ids: TokenIds, options?: ModelForwardOptions): ModelResult {
    return this.#run(this.#check(FORWARD, ids, options, true));
  }

  embed(ids: TokenIds, options?: { attentionMask?: TokenIds; normalize?: boolean }): Tensor {
    const operation = 'embed';
    const { attentionMask, normalize = false } = checkOptions(operation, options, {
      attentionMask: 1,
      normalize: 1,
    });
    checkBoolean(operation, 'normalize', normalize);
    const pass = this.#check(operation, ids, attentionMask === undefined ? {} : { attentionMask }, false);
    const { hidden } = this.#run(pass);
    return meanOfTokens(hidden, pass.given.mask, normalize);
  }

  generate(ids: readonly number[], options?: GenerateOptions): AsyncGenerator<number> {
    return generate(this, this.#architecture, ids, options);
  }

  createCache(options?: { batch?: number; maxLength?: number }): ModelCache {
    const operation = 'createCache';
    const { batch = 1, maxLength = this.maxLength } = checkOptions(operation, options, {
      batch: 1,
      maxLength: 1,
    });
    checkInteger(operation, 'batch', batch, 1, 2 ** 24);
    checkInteger(operation, 'maxLength', maxLength, 1, this.maxLength);
    this.#checkUse(operation);
    return createModelCache(this.#wasm, this, this.#architecture, batch, maxLength);
  }

  dispose(): void {
    this.#disposed = true;
    this.#store.dispose();
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  #checkUse(operation: string): void {
    if (this.#disposed) wrongUse(operation, 'a model in use', 'a disposed one');
  }

  #check(
    operation: string,
    ids: TokenIds,
    options: ModelForwardOptions | undefined,
    needHeads: boolean,
  ): Pass {
    const a = this.#architecture;
    const given = checkOptions(operation, options, FORWARD_OPTIONS);
    const flag = (name: 'needWeights' | 'needHiddenStates' | 'lastOnly'): boolean =>
      given[name] != null && checkBoolean(operation, name, given[name]);
    const rows = toTokens(operation, ids, a.vocab, a.padId ?? 0, given.attentionMask);
    const { batch, tokens } = rows;
    const cache = given.cache == null ? undefined : storeOf(operation, given.cache, this, batch);
    if (cache && rows.mask) wrongUse(operation, 'no padding with a cache', 'an attentionMask with zeros');
    const past = cache?.length ?? 0;
    const room = cache?.capacity ?? a.maxLength;
    if (past + tokens > room) wrongValue(operation, `up to ${room} tokens`, past + tokens);
    if (cache && !a.causal)
      wrongUse(operation, `no cache for ${a.family}, in which tokens see later ones`, 'one');
    if (given.tokenTypes != null && a.tokenTypes === 0) {
      wrongUse(operation, `no tokenTypes for ${a.family}`, 'some');
    }
    const types =
      given.tokenTypes == null
        ? undefined
        : toRows(operation, 'tokenTypes', given.tokenTypes, a.tokenTypes - 1, rows).data;
    const hooks = checkHooks(operation, given.hooks);
    const own =
      given.positions == null || given.positions === 'none'
        ? undefined
        : toRows(operation, 'positions', checkPositions(operation, given.positions), a.maxLength - 1, rows)
            .data;
    const request = {
      batch,
      tokens,
      past,
      cache: cache && {
        keys: cache.addresses![0],
        values: cache.addresses![1],
        capacity: cache.capacity,
      },
      window: given.window == null ? undefined : checkInteger(operation, 'window', given.window, 1, 2 ** 30),
      hasMask: rows.mask !== undefined,
      hasTypes: types !== undefined,
      positions:
        given.positions === 'none' ? ('none' as const) : own ? ('own' as const) : ('counted' as const),
      needWeights: flag('needWeights'),
      needHiddenStates: flag('needHiddenStates'),
      lastOnly: flag('lastOnly'),
      needHeads,
      ablate: checkAblate(operation, given.ablate, a),
      hooks: new Set(hooks.keys()),
    };
    // Last, because reading what is the caller's may have run his code.
    this.#checkUse(operation);
    return { operation, given: rows, request, cache, types, positions: own, hooks };
  }

  #run(pass: Pass): ModelResult {
    const { operation, cache, hooks, positions } = pass;
    const { raw, memory } = this.#wasm;
    const result = memory.scope(operation, () => {
      const length = positions ? Math.max(...positions) + 1 : pass.request.past + pass.request.tokens;
      const request: Request = { ...pass.request, rotary: this.#weights.frequenciesAt(length) };
      const key = keyOf(request);
      // Where the next piece begins, without taking it.
      const base = memory.reserve(0);
      let program =
        this.#program?.key === key && this.#program.base === base ? this.#program.program : undefined;
      if (!program) {
        const build = (at: number): Program => buildProgram(this.#architecture, this.#weights, request, at);
        program = build(base);
        const place = memory.reserve(program.size / 4);
        if (place !== base) program = build(place);
        this.#program = { key, base: place, program };
      } else {
        memory.reserve(program.size / 4);
      }
      const points = pointsOf(operation, program, hooks);
      this.#placeInputs(program, pass);
      const run = (first: number, end: number): void => {
        if (first === end) return;
        const struct = new Int32Array(3);
        struct[S.steps] = program.steps + first * STEP_BYTES;
        struct[S.count] = end - first;
        struct[S.past] = request.past;
        memory.run(raw.runSteps, struct);
      };
      let done = 0;
      for (const { after, name, ...point } of points) {
        run(done, after);
        done = after;
        this.#callHook(pass, name, point);
      }
      run(done, program.count);
      const read = (place: Place): Tensor => memory.tensor(place.address, place.shape);
      return {
        hidden: read(program.hidden),
        ...(program.logits && { logits: read(program.logits) }),
        ...(program.pooled && { pooled: read(program.pooled) }),
        ...(request.needWeights && { weights: program.weights.map(read) }),
        ...(request.needHiddenStates && { hiddenStates: program.hiddenStates.map(read) }),
      };
    });
    if (cache) cache.length = pass.request.past + pass.request.tokens;
    return result;
  }

  #placeInputs({ start, image, inputs }: Program, { given, request, types, positions }: Pass): void {
    const { memory } = this.#wasm;
    const a = this.#architecture;
    const { batch, tokens, past } = request;
    memory.writeInts(start, image);
    memory.writeInts(inputs.ids, given.data);
    if (types) memory.writeInts(inputs.types, types);
    if (inputs.positions) {
      memory.writeInts(
        inputs.positions,
        positions ? positions.map((p) => p + a.positions!.first) : learnedRows(a, given, past),
      );
    }
    if (inputs.angles) memory.writeInts(inputs.angles, new Int32Array(Float64Array.from(positions!).buffer));
    if (inputs.mask) {
      const bytes = new Uint8Array(Math.ceil(given.mask!.length / 4) * 4);
      bytes.set(given.mask!);
      memory.writeInts(inputs.mask, new Int32Array(bytes.buffer));
    }
    const last = Int32Array.from({ length: batch }, (_, b) => {
      const row = given.mask?.subarray(b * tokens, (b + 1) * tokens);
      return b * tokens + (row ? row.lastIndexOf(1) : tokens - 1);
    });
    memory.writeInts(inputs.last, last);
    if (past > 0) memory.writeInts(inputs.offsets, new Int32Array(batch).fill(past));
  }

  /** Shows a tensor to a hook, and takes what it returns in its place. */
  #callHook({ operation, request, cache, hooks }: Pass, name: string, point: Place): void {
    const { memory } = this.#wasm;
    const length = point.shape.reduce((product, axis) => product * axis, 1);
    const data = memory.read(point.address, length);
    const value = { data: point.heads ? transposed(data, point.shape) : data, shape: [...point.shape] };
    const returned: unknown = hooks.get(name)!(value);
    this.#checkUse(operation);
    if (cache && (!cache.addresses || cache.length !== request.past)) {
      wrongUse(operation, `hook '${name}' to leave the cache as it is`, 'a changed one');
    }
    if (returned === undefined) return;
    const { data: replaced, shape } = toTensor(
      operation,
      `what hook '${name}' returns`,
      returned as TensorLike,
    );
    if (showShape(shape) !== showShape(point.shape)) {
      wrongValue(operation, `hook '${name}' to return shape ${showShape(point.shape)}`, showShape(shape));
    }
    memory.write(point.address, point.heads ? transposed(replaced, swapped(shape)) : replaced);
  }
}

/** The rows of the learned table of positions. RoBERTa counts what is no padding. */
function learnedRows(a: Architecture, { batch, tokens, data }: Tokens, past: number): Int32Array {
  const { first } = a.positions!;
  const rows = new Int32Array(batch * tokens);
  for (let b = 0, i = 0; b < batch; ++b) {
    let seen = 0;
    for (let t = 0; t < tokens; ++t, ++i) {
      if (a.family !== 'roberta') rows[i] = first + past + t;
      else rows[i] = data[i] === a.padId ? a.padId! : first + seen++;
    }
  }
  return rows;
}

/** (B, X, Y, E) as (B, Y, X, E), for the shape (B, Y, X, E) that it has then. */
function transposed(data: Float32Array, [batch, ys, xs, width]: readonly number[]): Float32Array {
  const result = new Float32Array(data.length);
  let to = 0;
  for (let b = 0; b < batch!; ++b) {
    for (let y = 0; y < ys!; ++y) {
      for (let x = 0; x < xs!; ++x, to += width!) {
        const from = ((b * xs! + x) * ys! + y) * width!;
        result.set(data.subarray(from, from + width!), to);
      }
    }
  }
  return result;
}

function swapped([batch, x, y, width]: readonly number[]): readonly number[] {
  return [batch!, y!, x!, width!];
}

function checkPositions(operation: string, positions: unknown): TokenIds {
  if (typeof positions === 'string')
    wrongValue(operation, "positions to be 'none' or whole numbers", positions);
  return positions as TokenIds;
}

function checkHooks(operation: string, hooks: unknown): Map<string, ModelHooks[string]> {
  const checked = new Map<string, ModelHooks[string]>();
  if (hooks == null) return checked;
  if (typeof hooks !== 'object') wrongKind(operation, 'hooks to be an object of functions', hooks);
  for (const name of namesOf(hooks)) {
    const hook = (hooks as Record<string, unknown>)[name];
    if (typeof hook !== 'function') wrongKind(operation, `hook '${name}' to be a function`, hook);
    checked.set(name, hook as ModelHooks[string]);
  }
  return checked;
}

function checkAblate(operation: string, ablate: unknown, a: Architecture): [number, number][] {
  if (ablate == null) return [];
  if (!Array.isArray(ablate)) wrongKind(operation, 'ablate to be a list of [layer, head]', ablate);
  return Array.from(ablate as readonly unknown[], (pair) => {
    if (!Array.isArray(pair) || pair.length !== 2)
      wrongKind(operation, 'ablate to be a list of [layer, head]', pair);
    const [layer, head] = pair as [unknown, unknown];
    return [
      checkInteger(operation, "ablate's layer", layer, 0, a.layers - 1),
      checkInteger(operation, "ablate's head", head, 0, a.heads - 1),
    ];
  });
}

/** The hooks in the order of the pass. */
function pointsOf(
  operation: string,
  { hooks: points }: Program,
  hooks: Pass['hooks'],
): (HookPoint & { readonly name: string })[] {
  for (const name of hooks.keys()) {
    if (!points.has(name))
      wrongUse(
        operation,
        `hooks of this model, such as ${[...points.keys()].slice(0, 3).join(', ')}`,
        `'${name}'`,
      );
  }
  return [...points].filter(([name]) => hooks.has(name)).map(([name, point]) => ({ ...point, name }));
}

function meanOfTokens({ data, shape }: Tensor, mask: Uint8Array | undefined, normalize: boolean): Tensor {
  const [batch, tokens, width] = shape as [number, number, number];
  const means = new Float32Array(batch * width);
  for (let b = 0; b < batch; ++b) {
    const sum = new Float64Array(width);
    let count = 0;
    for (let t = 0; t < tokens; ++t) {
      const row = b * tokens + t;
      if (mask?.[row] === 0) continue;
      count += 1;
      for (let i = 0; i < width; ++i) sum[i]! += data[row * width + i]!;
    }
    const length = normalize ? Math.sqrt(sum.reduce((squares, x) => squares + x * x, 0)) || 1 : count;
    for (let i = 0; i < width; ++i) means[b * width + i] = sum[i]! / length;
  }
  return { data: means, shape: [batch, width] };
}
