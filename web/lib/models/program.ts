/**
 * A pass over a model as a list of steps (C++'s `runSteps`). It is built for one shape, and for one place in wasm memory: first
 * without a place, to learn its size, and then there.
 */
import * as A from '../generated/bindings/attentionArgs.js';
import type { Double, Float, Within, Word } from '../generated/bindings/args.js';
import { activations, scoresStages, stepActions } from '../generated/bindings/enums.js';
import * as F from '../generated/bindings/feedForwardArgs.js';
import * as R from '../generated/bindings/rotaryTableArgs.js';
import * as T from '../generated/bindings/step.js';
import * as ST from '../generated/bindings/strides.js';
import { within } from '../runtime/args.js';
import type { Architecture } from './config.js';
import type { Frequencies } from './rotary.js';
import type { Matrix, ModelWeights, NormWeights } from './weights.js';

/** What a pass is built for. */
export interface Request {
  readonly batch: number;
  readonly tokens: number;
  /** Tokens in the cache; each with room for `capacity`. */
  readonly past: number;
  readonly cache: { readonly keys: number; readonly values: number; readonly capacity: number } | undefined;
  readonly window: number | undefined;
  readonly hasMask: boolean;
  readonly hasTypes: boolean;
  /** 'own' positions are the caller's, one list for each sequence. */
  readonly positions: 'counted' | 'none' | 'own';
  readonly rotary: Frequencies;
  readonly needWeights: boolean;
  readonly needHiddenStates: boolean;
  readonly lastOnly: boolean;
  /** Whether to go on to logits and the pooled vector. */
  readonly needHeads: boolean;
  readonly ablate: readonly (readonly [layer: number, head: number])[];
  /** The names of hooks. */
  readonly hooks: ReadonlySet<string>;
}

/** A tensor in wasm memory. */
export interface Place {
  readonly address: number;
  readonly shape: readonly number[];
  /** Whether it lies there as (B, T, H, E) and is called (B, H, T, E). */
  readonly heads?: boolean;
}

/** What a hook sees, and after which step. */
export interface HookPoint extends Place {
  readonly after: number;
}

export interface Program {
  /** Words to be copied to where the program was built for; the numbers of the tokens and so on have places in them. */
  readonly start: number;
  readonly image: Int32Array;
  /** Of the image and everything behind it. */
  readonly size: number;
  readonly steps: number;
  readonly count: number;
  readonly inputs: {
    readonly ids: number;
    readonly types: number;
    readonly positions: number;
    readonly angles: number;
    readonly mask: number;
    readonly last: number;
    readonly offsets: number;
  };
  readonly hooks: ReadonlyMap<string, HookPoint>;
  readonly hidden: Place;
  readonly logits: Place | undefined;
  readonly pooled: Place | undefined;
  readonly weights: readonly Place[];
  readonly hiddenStates: readonly Place[];
}

const STEP_WORDS = T.eps + 1;
export const STEP_BYTES = 4 * STEP_WORDS;

/** The names of a layer's hooks, behind `blocks.{i}.`; the others are `hook_embed` and `ln_final.hook_normalized`. */
export const LAYER_HOOKS = [
  'hook_resid_pre',
  'attn.hook_q',
  'attn.hook_k',
  'attn.hook_v',
  'attn.hook_rot_q',
  'attn.hook_rot_k',
  'attn.hook_attn_scores',
  'attn.hook_pattern',
  'attn.hook_z',
  'hook_attn_out',
  'hook_resid_mid',
  'hook_mlp_out',
  'hook_resid_post',
  'hook_normalized_resid_post',
] as const;

type StepFields = Partial<Record<Exclude<keyof typeof T, 'action' | 'eps'>, number> & { eps: number }>;

/** A field of a struct, by its index. */
type Field =
  | readonly [field: Word, value: number, type?: undefined]
  | readonly [field: Float, value: number, type: 'float']
  | readonly [field: Double, value: number, type: 'double'];

/** Hands out places, and writes steps and the structs that these refer to. */
class Builder {
  readonly #base: number;
  /** Words of structs and inputs, which come before the other memory. */
  readonly #image: number[] = [];
  readonly #steps: number[] = [];
  readonly #doubles = new Float64Array(1);
  readonly #floats = new Float32Array(this.#doubles.buffer);
  readonly #bits = new Int32Array(this.#doubles.buffer);
  #reserved = 0;
  /** Bytes of the image in the program that is built. */
  readonly #imageBytes: number;

  constructor(base: number, imageBytes: number) {
    this.#base = base;
    this.#imageBytes = imageBytes;
  }

  get count(): number {
    return this.#steps.length / STEP_WORDS;
  }

  /** Room for floats, aligned as vectors are. */
  floats(count: number): number {
    const address = this.#base + this.#imageBytes + this.#reserved;
    this.#reserved += Math.ceil(count / 4) * 16;
    return address;
  }

  /** A struct of so many words. */
  struct(fields: readonly Field[], words: number): number {
    const at = this.#image.length;
    // Aligned as doubles are, and as vectors.
    for (let i = 0; i < words || i % 4 !== 0; ++i) this.#image.push(0);
    for (const [field, value, type] of fields) {
      if (type === 'double') {
        this.#doubles[0] = value;
        this.#image.splice(at + 2 * field, 2, ...this.#bits);
      } else {
        this.#image[at + field] = type === 'float' ? this.#float(value) : value;
      }
    }
    return this.#base + 4 * at;
  }

  step(action: (typeof stepActions)[number], fields: StepFields): void {
    const at = this.#steps.length;
    for (let i = 0; i < STEP_WORDS; ++i) this.#steps.push(0);
    this.#steps[at + T.action] = stepActions.indexOf(action);
    for (const [name, value] of Object.entries(fields)) {
      this.#steps[at + T[name as keyof typeof T]] = name === 'eps' ? this.#float(value) : value;
    }
  }

  finish(): { start: number; image: Int32Array; size: number; steps: number } {
    const steps = this.#base + 4 * this.#image.length;
    const words = this.#image.length + this.#steps.length;
    const image = new Int32Array(Math.ceil(words / 4) * 4);
    image.set(this.#image);
    image.set(this.#steps, this.#image.length);
    return { start: this.#base, image, size: 4 * image.length + this.#reserved, steps };
  }

  #float(value: number): number {
    this.#floats[0] = value;
    return this.#bits[0]!;
  }
}

/** What tells passes apart that need different programs. Most do not depend on how many tokens are in the cache: C++ is told that. */
export function keyOf(request: Request): string {
  const { past, hooks, needWeights, hasMask, cache, rotary, ...rest } = request;
  const { keys, values, capacity } = cache ?? { keys: 0, values: 0, capacity: 0 };
  const length = needWeights || hasMask || hooks.size > 0 ? past : 0;
  return [
    ...Object.values(rest),
    needWeights,
    hasMask,
    ...hooks,
    length,
    keys,
    values,
    capacity,
    rotary.frequencies,
    rotary.amplitude,
  ].join();
}

/** Builds a pass for memory that begins at `base`, a multiple of 16. */
export function buildProgram(a: Architecture, w: ModelWeights, request: Request, base: number): Program {
  // The size of the image does not depend on places.
  const sketch = build(a, w, request, new Builder(base, 0));
  return build(a, w, request, new Builder(base, 4 * sketch.image.length));
}

function build(a: Architecture, w: ModelWeights, request: Request, builder: Builder): Program {
  const { batch, tokens, past, hooks: wanted } = request;
  const rows = batch * tokens;
  const keys = past + tokens;
  const { hiddens: d, heads, kvHeads, headDim, eps } = a;
  const [wide, narrow] = [heads * headDim, kvHeads * headDim];
  const hooks = new Map<string, HookPoint>();
  const point = (name: string, address: number, shape: readonly number[], isHeads = false): void => {
    hooks.set(name, { address, shape, after: builder.count, heads: isHeads });
  };
  const inputsOf = (count: number) => builder.struct([], count);
  const inputs = {
    ids: inputsOf(rows),
    types: request.hasTypes ? inputsOf(rows) : 0,
    positions: a.positions && request.positions !== 'none' ? inputsOf(rows) : 0,
    // Doubles.
    angles: request.positions === 'own' ? inputsOf(2 * rows) : 0,
    // A sequence's masks begin where the one before ends.
    mask: request.hasMask ? inputsOf(Math.ceil((batch * keys) / 4)) : 0,
    last: inputsOf(batch),
    offsets: inputsOf(batch),
  };
  const norm = (x: number, { weight, bias }: NormWeights, out: number, count = rows, inputs = d): void =>
    builder.step(a.norm === 'rms' ? 'rmsNorm' : 'layerNorm', {
      x,
      weight,
      bias,
      out,
      rows: count,
      inputs,
      eps,
    });
  const linear = (x: number, m: Matrix, out: number, count = rows): void =>
    builder.step('linear', {
      x,
      weight: m.packed,
      bias: m.bias,
      out,
      rows: count,
      inputs: m.inputs,
      outputs: m.outputs,
    });
  const add = (x: number, y: number, out: number, inputs = d): void =>
    builder.step('add', { x, y, out, rows, inputs });

  // ---- embeddings

  const e = a.embedding;
  let x = builder.floats(rows * e);
  builder.step('gather', {
    x: inputs.ids,
    weight: w.tokens,
    out: x,
    rows,
    inputs: e,
    option: w.tokensPacked ? a.vocab : 0,
  });
  point('hook_embed', x, [batch, tokens, e]);
  const addRows = (ids: number, weight: number): void => {
    const some = builder.floats(rows * e);
    builder.step('gather', { x: ids, weight, out: some, rows, inputs: e });
    add(x, some, x, e);
  };
  if (a.tokenTypes > 0) {
    // Tokens are of type 0 where no types are given: ids of zeros, which nobody writes to.
    addRows(request.hasTypes ? inputs.types : inputsOf(rows), w.types);
  }
  if (inputs.positions) addRows(inputs.positions, w.positions);
  if (w.embeddingNorm) norm(x, w.embeddingNorm, x, rows, e);
  if (w.embeddingMap) {
    const mapped = builder.floats(rows * d);
    linear(x, w.embeddingMap, mapped);
    x = mapped;
  }

  // ---- what all layers share

  let table = 0;
  const rotary = request.positions === 'none' ? undefined : a.rotary;
  const isOwn = request.positions === 'own';
  if (rotary) {
    const count = isOwn ? rows : tokens;
    table = builder.floats(count * rotary.dim);
    const args = builder.struct(
      [
        [R.frequencies, request.rotary.frequencies],
        [R.positions, inputs.angles],
        [R.out, table],
        [R.rows, count],
        [R.dim, rotary.dim],
        [R.amplitude, request.rotary.amplitude, 'double'],
      ],
      R.dim + 1,
    );
    builder.step('rotaryTable', { args });
  }
  const normed = builder.floats(rows * d);
  const query = builder.floats(rows * wide);
  const key = builder.floats(rows * narrow);
  const value = builder.floats(rows * narrow);
  const z = builder.floats(rows * wide);
  const attended = builder.floats(rows * d);
  const fed = builder.floats(rows * d);
  const capacity = request.cache?.capacity ?? tokens;
  const layerCache = batch * kvHeads * capacity * headDim;
  const ownKeys = request.cache ? 0 : builder.floats(layerCache);
  const ownValues = request.cache ? 0 : builder.floats(layerCache);
  const scoresShape = [batch, heads, tokens, keys];
  const scoresSize = batch * heads * tokens * keys;
  const weights: Place[] = [];
  const hiddenStates: Place[] = [];
  const rowsShape = [batch, tokens, d];
  /** Where a layer's sum goes: it stays where hidden states are asked for. */
  const nextX = (): number => (request.needHiddenStates ? builder.floats(rows * d) : x);
  const keep = (address: number): void => {
    if (request.needHiddenStates) hiddenStates.push({ address, shape: rowsShape });
  };

  keep(x);
  w.layers.forEach((layer, i) => {
    const name = (hook: (typeof LAYER_HOOKS)[number]) => `blocks.${i}.${hook}`;
    point(name('hook_resid_pre'), x, rowsShape);

    // ---- attention
    let from = x;
    if (a.order !== 'post') norm(x, layer.norm1, (from = normed));
    linear(from, layer.query, query);
    linear(from, layer.key, key);
    linear(from, layer.value, value);
    const queryShape = [batch, heads, tokens, headDim];
    const keyShape = [batch, kvHeads, tokens, headDim];
    point(name('attn.hook_q'), query, queryShape, true);
    point(name('attn.hook_k'), key, keyShape, true);
    point(name('attn.hook_v'), value, keyShape, true);
    if (layer.queryNorm !== undefined) {
      norm(query, { weight: layer.queryNorm, bias: 0 }, query, rows * heads, headDim);
      norm(key, { weight: layer.keyNorm!, bias: 0 }, key, rows * kvHeads, headDim);
    }
    if (rotary) {
      const rotate = (out: number, outputs: number): void =>
        builder.step('rotate', {
          y: table,
          out,
          rows,
          inputs: headDim,
          outputs,
          batch,
          stride: rotary.dim,
          option: isOwn ? tokens * rotary.dim : 0,
        });
      rotate(query, heads);
      rotate(key, kvHeads);
    }
    point(name('attn.hook_rot_q'), query, queryShape, true);
    point(name('attn.hook_rot_k'), key, keyShape, true);
    const keysAt = request.cache ? request.cache.keys + 4 * i * layerCache : ownKeys;
    const valuesAt = request.cache ? request.cache.values + 4 * i * layerCache : ownValues;
    const append = (x: number, out: number): void =>
      builder.step('append', { x, out, rows, inputs: headDim, outputs: kvHeads, batch, stride: capacity });
    append(key, keysAt);
    append(value, valuesAt);

    const hooksScores = wanted.has(name('attn.hook_attn_scores'));
    const hooksPattern = wanted.has(name('attn.hook_pattern')) || hooksScores;
    const pattern = request.needWeights || hooksPattern ? builder.floats(scoresSize) : 0;
    const scores = hooksScores ? builder.floats(scoresSize) : 0;
    const window = request.window ?? a.windows[i];
    const strides = (field: Within<'Strides'>, batchStride: number, head: number, row: number): Field[] => [
      [within(field, ST.batch), batchStride],
      [within(field, ST.head), head],
      [within(field, ST.row), row],
    ];
    const cached = [kvHeads * capacity * headDim, capacity * headDim, headDim] as const;
    const attention = builder.struct(
      [
        [A.batch, batch],
        [A.heads, heads],
        [A.kvHeads, kvHeads],
        [A.queries, tokens],
        [A.keys, keys],
        [A.width, headDim],
        [A.valueWidth, headDim],
        [A.query, query],
        ...strides(A.queryStrides, tokens * wide, headDim, wide),
        [A.key, keysAt],
        ...strides(A.keyStrides, ...cached),
        [A.value, valuesAt],
        ...strides(A.valueStrides, ...cached),
        [A.output, z],
        ...strides(A.outputStrides, tokens * wide, headDim, wide),
        [A.offsets, inputs.offsets],
        [A.windowLeft, window === undefined ? -1 : window - 1],
        [A.windowRight, a.causal ? 0 : -1],
        [A.mask, inputs.mask],
        ...strides(A.maskStrides, keys, 0, 0),
        [A.maskColumns, keys],
        [A.maskStep, 1],
        [A.weights, pattern],
        [A.scores, scores],
        [A.scoresStage, scores ? scoresStages.indexOf('masked') : 0],
        [A.scale, 1 / Math.sqrt(headDim), 'float'],
      ],
      A.dropout + 1,
    );
    builder.step('attend', { args: attention });
    if (hooksScores) {
      point(name('attn.hook_attn_scores'), scores, scoresShape);
      builder.step('softmax', { x: scores, out: pattern, rows: batch * heads * tokens, inputs: tokens });
    }
    if (hooksPattern) {
      point(name('attn.hook_pattern'), pattern, scoresShape);
      builder.step('mix', { x: pattern, args: attention });
    }
    if (request.needWeights) weights.push({ address: pattern, shape: scoresShape });
    for (const [silenced, head] of request.ablate) {
      if (silenced === i) {
        builder.step('silence', { out: z + 4 * head * headDim, rows, inputs: headDim, stride: wide });
      }
    }
    point(name('attn.hook_z'), z, queryShape, true);
    linear(z, layer.output, attended);
    point(name('hook_attn_out'), attended, rowsShape);

    // ---- the sum, and the feed-forward
    const out = nextX();
    const sum = a.order === 'parallel' ? x : attended;
    if (a.order !== 'parallel') {
      add(x, attended, attended);
      point(name('hook_resid_mid'), attended, rowsShape);
    }
    let feed = normed;
    if (a.order === 'post') norm(attended, layer.norm1, (feed = attended));
    else norm(sum, layer.norm2, normed);
    const args = builder.struct(
      [
        [F.x, feed],
        [F.packed1, layer.up.packed],
        [F.bias1, layer.up.bias],
        [F.packed2, layer.down.packed],
        [F.bias2, layer.down.bias],
        [F.out, fed],
        [F.rows, rows],
        [F.width, d],
        [F.hiddenWidth, a.ffnHiddens],
        [F.gated, Number(a.gated)],
        [F.activation, activations.indexOf(a.activation)],
      ],
      F.dropout + 1,
    );
    builder.step('feedForward', { args });
    point(name('hook_mlp_out'), fed, rowsShape);
    add(sum === x ? x : attended, fed, out);
    if (a.order === 'parallel') add(out, attended, out);
    point(name('hook_resid_post'), out, rowsShape);
    if (a.order === 'post') {
      norm(out, layer.norm2, out);
      point(name('hook_normalized_resid_post'), out, rowsShape);
    }
    x = out;
    if (i < w.layers.length - 1 || !w.finalNorm) keep(x);
  });

  // ---- heads

  let hidden = x;
  if (w.finalNorm) {
    hidden = nextX();
    norm(x, w.finalNorm, hidden);
    keep(hidden);
    point('ln_final.hook_normalized', hidden, rowsShape);
  }
  const shared = { hidden: { address: hidden, shape: rowsShape }, hooks, inputs, weights, hiddenStates };
  const found = request.needHeads
    ? buildHeads(a, w, request, builder, { hidden, last: inputs.last, linear, norm })
    : { logits: undefined, pooled: undefined };
  return { ...shared, ...found, count: builder.count, ...builder.finish() };
}

interface HeadTools {
  readonly hidden: number;
  readonly last: number;
  readonly linear: (x: number, m: Matrix, out: number, count?: number) => void;
  readonly norm: (x: number, weights: NormWeights, out: number, count?: number, inputs?: number) => void;
}

function buildHeads(
  a: Architecture,
  w: ModelWeights,
  { batch, tokens, lastOnly }: Request,
  builder: Builder,
  { hidden, last, linear, norm }: HeadTools,
): Pick<Program, 'logits' | 'pooled'> {
  const d = a.hiddens;
  const tanh = (x: number, rows: number, inputs: number): void =>
    builder.step('tanh', { x, out: x, rows, inputs });
  /** One row of each sequence: the first, or the last that is no padding. */
  const rowsOf = (which: 'first' | 'last'): number => {
    const some = builder.floats(batch * d);
    const ids =
      which === 'last'
        ? last
        : builder.struct(
            Array.from({ length: batch }, (_, b) => [b as Word, b * tokens] as const),
            batch,
          );
    builder.step('gather', { x: ids, weight: hidden, out: some, rows: batch, inputs: d });
    return some;
  };
  let pooled: Place | undefined;
  if (w.pooler) {
    const address = builder.floats(batch * d);
    linear(rowsOf('first'), w.pooler, address, batch);
    tanh(address, batch, d);
    pooled = { address, shape: [batch, d] };
  }
  const some = lastOnly ? batch : batch * tokens;
  const { predictions, classifier } = w;
  if (classifier) {
    const { map, decoder, activation, reads } = classifier;
    const count = reads === 'each' ? some : batch;
    let x =
      reads === 'each' && !lastOnly
        ? hidden
        : reads === 'pooled'
          ? pooled!.address
          : rowsOf(reads === 'first' ? 'first' : 'last');
    if (map) {
      const mapped = builder.floats(count * d);
      linear(x, map, mapped, count);
      if (activation === 'tanh') tanh(mapped, count, d);
      else
        builder.step('activate', {
          x: mapped,
          out: mapped,
          rows: count,
          inputs: d,
          option: activations.indexOf('relu'),
        });
      x = mapped;
    }
    const address = builder.floats(count * decoder.outputs);
    linear(x, decoder, address, count);
    const shape =
      reads === 'each' ? [batch, lastOnly ? 1 : tokens, decoder.outputs] : [batch, decoder.outputs];
    return { pooled, logits: { address, shape } };
  }
  if (!predictions) return { pooled, logits: undefined };
  let x = lastOnly ? rowsOf('last') : hidden;
  const width = a.embedding;
  if (predictions.map) {
    const mapped = builder.floats(some * width);
    linear(x, predictions.map, mapped, some);
    builder.step('activate', {
      x: mapped,
      out: mapped,
      rows: some,
      inputs: width,
      option: activations.indexOf(a.activation),
    });
    norm(mapped, predictions.norm!, mapped, some, width);
    x = mapped;
  }
  const address = builder.floats(some * a.vocab);
  linear(x, predictions.decoder, address, some);
  return { pooled, logits: { address, shape: [batch, lastOnly ? 1 : tokens, a.vocab] } };
}
