/**
 * A pass over a model as a list of steps (C++'s `runSteps`). It is built for one shape, and for one place in wasm
 * memory: first without a place, to learn its size, and then there. The file is longer than 200 lines, because a pass
 * is one sequence of steps.
 */
import * as A from '../../generated/bindings/attentionArgs.js';
import type { Within } from '../../generated/bindings/args.js';
import { activations, scoresStages } from '../../generated/bindings/enums.js';
import * as F from '../../generated/bindings/feedForwardArgs.js';
import * as R from '../../generated/bindings/rotaryTableArgs.js';
import * as ST from '../../generated/bindings/strides.js';
import { within } from '../../runtime/args.js';
import type { Architecture } from '../config/architecture.js';
import type { Matrix, ModelWeights, NormWeights } from '../weights/types.js';
import { Builder, type Field } from './builder.js';
import { buildHeads } from './heads.js';
import type { LAYER_HOOKS } from './types.js';
import { type HookPoint, type Place, type Program, type Request } from './types.js';

/**
 * Whether a pass can run the program of another one. Most do not depend on how many tokens are in the cache: C++ is
 * told that.
 */
export function isLike(one: Request, other: Request): boolean {
  const names = Object.keys(one) as (keyof Request)[];
  const depends = one.needWeights || one.hasMask;
  return names.every((name) => one[name] === other[name] || (name === 'past' && !depends));
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
      weightType: w.weightType,
      bias: m.bias,
      out,
      rows: count,
      inputs: m.inputs,
      outputs: m.outputs,
    });
  const add = (x: number, y: number, out: number, inputs = d): void => builder.step('add', { x, y, out, rows, inputs });

  // ---- embeddings

  const e = a.embedding;
  let x = builder.floats(rows * e);
  builder.step('gather', {
    x: inputs.ids,
    weight: w.tokens,
    weightType: w.weightType,
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
  const { capacity, row, type } = request.cache ?? { capacity: tokens, row: headDim, type: 0 };
  const layerCache = batch * kvHeads * capacity * row;
  const store = request.cache ?? { keys: builder.floats(layerCache), values: builder.floats(layerCache) };
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
    if (layer.queryNorm) norm(query, layer.queryNorm, query, rows * heads, headDim);
    if (layer.keyNorm) norm(key, layer.keyNorm, key, rows * kvHeads, headDim);
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
    const append = (x: number, first: number): number => {
      const out = request.cache ? first + 4 * i * layerCache : first;
      builder.step('append', {
        x,
        out,
        rows,
        inputs: headDim,
        outputs: kvHeads,
        batch,
        stride: capacity,
        weightType: type,
      });
      return out;
    };
    const keysAt = append(key, store.keys);
    const valuesAt = append(value, store.values);

    const hooksScores = !!wanted?.has(name('attn.hook_attn_scores'));
    const hooksPattern = hooksScores || wanted?.has(name('attn.hook_pattern'));
    const pattern = request.needWeights || hooksPattern ? builder.floats(scoresSize) : 0;
    const scores = hooksScores ? builder.floats(scoresSize) : 0;
    const window = request.window ?? a.windows[i];
    const strides = (field: Within<'Strides'>, batchStride: number, head: number, row: number): Field[] => [
      [within(field, ST.batch), batchStride],
      [within(field, ST.head), head],
      [within(field, ST.row), row],
    ];
    const cached = [kvHeads * capacity * row, capacity * row, row] as const;
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
        [A.cacheType, type],
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
    point(name('attn.hook_attn_scores'), scores, scoresShape);
    if (hooksScores) {
      builder.step('softmax', { x: scores, out: pattern, rows: batch * heads * tokens, inputs: tokens });
    }
    point(name('attn.hook_pattern'), pattern, scoresShape);
    if (hooksPattern) builder.step('mix', { x: pattern, args: attention });
    if (request.needWeights) weights.push({ address: pattern, shape: scoresShape });
    for (const [silenced, head] of request.ablate ?? []) {
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
        [F.weightType, w.weightType],
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
