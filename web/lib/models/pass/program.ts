/** A pass over a model as a list of steps, built for one shape and one place in wasm memory. */
import * as AttentionArgs from '../../generated/bindings/attentionArgs.js';
import { scoresStages } from '../../generated/bindings/enums.js';
import { floats, setStack, words } from '../../runtime/args.js';
import { attend, type Attend } from '../../steps/attend.js';
import type { Matrix, Norm, Rotary } from '../../steps/steps.js';
import type { Architecture } from '../config/architecture.js';
import type { ModelWeights, NormWeights } from '../weights/types.js';
import { alibiInput, setAlibi } from './alibi.js';
import { feedForwardTools } from './feedForward.js';
import { headResultTools } from './headResults.js';
import { buildHeads } from './heads.js';
import { Layout } from './layout.js';
import { maskColumns, setMask } from './mask.js';
import { distanceInputs, distanceTools, type Distances } from './distances.js';
import type { Frequencies } from '../rotary.js';
import { pictureTokens } from './pictures.js';
import { Points } from './points.js';
import { ModelSteps } from './steps.js';
import type { Place, Program, Request } from './types.js';

/** Whether a pass can run another one's program. Most do not depend on the number of tokens in the cache. */
export function isLike(a: Architecture, one: Request, other: Request): boolean {
  const names = Object.keys(one) as (keyof Request)[];
  const depends = one.needWeights || a.relativeBias;
  return names.every((name) => one[name] === other[name] || (name === 'past' && !depends));
}

/** Builds a pass for memory that begins at `base`. */
export function buildProgram(a: Architecture, w: ModelWeights, request: Request, base: number): Program {
  const { batch, tokens, past } = request;
  const layout = new Layout(base);
  const steps = new ModelSteps();
  const rows = batch * tokens;
  const keys = past + tokens;
  const { hiddens: d, heads, kvHeads, headDim, eps, scale = 1 / Math.sqrt(headDim) } = a;
  const [wide, narrow] = [heads * headDim, kvHeads * headDim];
  const points = new Points(steps, request.hooks);
  const hasPositions = a.positions !== undefined && request.positions !== 'none';
  const inputs = {
    ids: layout.floats(rows),
    patches: w.pictures ? layout.floats(rows * w.pictures.patches.inputs) : 0,
    table: w.pictures && hasPositions ? layout.floats(tokens * a.hiddens) : 0,
    types: a.tokenTypes > 0 ? layout.floats(rows) : 0,
    positions: hasPositions ? layout.floats(rows) : 0,
    // Float64s.
    angles: request.positions === 'own' ? layout.floats(2 * rows) : 0,
    // Bytes. A sequence's mask begins where the previous one ends.
    mask: request.hasMask ? layout.floats(Math.ceil((batch * maskColumns(request)) / 4)) : 0,
    alibi: alibiInput(w, heads, request, layout),
    first: layout.floats(batch),
    last: layout.floats(batch),
    end: a.endId === undefined ? 0 : layout.floats(batch),
    offsets: layout.floats(batch),
    relativeBias: w.relativeBias && request.positions !== 'none' ? layout.floats(heads * (keys + tokens - 1)) : 0,
    ...distanceInputs(a, request, layout),
  };
  const normOf = (weights: NormWeights): Norm => ({ kind: a.norm, eps, ...weights });
  const norm = (x: number, weights: NormWeights, out: number, count = rows, dim = d): void =>
    steps.norm(x, normOf(weights), out, count, dim);
  const linear = (x: number, m: Matrix, out: number, count = rows): void => steps.linear(x, m, out, count);
  const add = (x: number, y: number, out: number, dim = d): void => steps.add(x, y, out, rows, dim);
  const scaleRows = (x: number, by: number | undefined, dim = d): void => {
    if (by !== undefined && by !== 1) steps.scale(x, by, 0, rows, dim);
  };
  const lookUp = (ids: number, table: number, dim: number, packedRows = 0): number => {
    const out = layout.floats(rows * dim);
    steps.embedding({ ids, table, out, count: rows, dim, packedRows, weightType: w.tokensType });
    return out;
  };

  // ---- embeddings

  let e = a.embedding;
  let x = w.pictures
    ? pictureTokens(w.pictures, request, d, { inputs, layout, steps })
    : lookUp(inputs.ids, w.tokens, e, w.tokensPacked ? a.vocab : 0);
  scaleRows(x, a.embeddingScale, e);
  points.add('hook_embed', x, [batch, tokens, e]);
  const widen = (): void => {
    if (!w.embeddingMap) return;
    const mapped = layout.floats(rows * d);
    linear(x, w.embeddingMap, mapped);
    [x, e] = [mapped, d];
  };
  if (w.outputMap) widen();
  for (const [ids, table] of [
    [inputs.types, w.types],
    [inputs.positions, inputs.table || w.positions],
  ] as const) {
    if (ids) add(x, lookUp(ids, table, e), x, e);
  }
  if (w.embeddingNorm) norm(x, w.embeddingNorm, x, rows, e);
  if (!w.outputMap) widen();

  // ---- what all layers share

  const rotations = new Map<Frequencies, Rotary>();
  for (const turn of request.positions === 'none' ? [] : request.frequencies) {
    if (!turn || rotations.has(turn)) continue;
    const { frequencies, dim, amplitude } = turn;
    const isOwn = request.positions === 'own';
    const count = isOwn ? rows : tokens;
    const table = layout.floats(count * dim);
    steps.rotaryTable(frequencies, inputs.angles, table, count, dim, amplitude);
    rotations.set(turn, { table, tableBatch: isOwn ? tokens * dim : 0, rotaryWidth: dim, interleaved: false });
  }
  const { ofDistances, setDistances } = distanceTools(a, request, inputs, layout, steps, scale);
  const normed = layout.floats(rows * d);
  const query = layout.floats(rows * wide);
  const key = layout.floats(rows * narrow);
  const value = layout.floats(rows * narrow);
  const z = layout.floats(rows * wide);
  const attended = layout.floats(rows * d);
  const fed = layout.floats(rows * d);
  // Heads lie side by side in rows.
  const [queryShape, queryStrides] = [
    [batch, heads, tokens, headDim],
    [tokens * wide, headDim, wide],
  ];
  const [keyShape, keyStrides] = [
    [batch, kvHeads, tokens, headDim],
    [tokens * narrow, headDim, narrow],
  ];
  const [resultShape, resultStrides] = [
    [batch, tokens, heads, d],
    [tokens * d, d, rows * d],
  ];
  const scoresShape = [batch, heads, tokens, keys];
  const scoresSize = batch * heads * tokens * keys;
  /** Places that hooks of each layer use in turn. */
  let [ownScores, ownPattern] = [0, 0];
  const { resultsOf, sumInto } = headResultTools(a, rows, layout, steps);
  const feedForward = feedForwardTools(a, request, { layout, steps, points });
  const weights: Place[] = [];
  const hiddenStates: Place[] = [];
  const rowsShape = [batch, tokens, d];
  /** The address of a layer's output; each has its own if hidden states are requested. */
  const nextX = (): number => (request.needHiddenStates ? layout.floats(rows * d) : x);
  const keep = (address: number): void => {
    if (request.needHiddenStates) hiddenStates.push({ address, shape: rowsShape });
  };

  keep(x);
  w.layers.forEach((layer, i) => {
    points.enter(i);
    points.add('hook_resid_pre', x, rowsShape);

    // ---- attention
    let from = x;
    if (a.order !== 'post' && layer.norm1) {
      norm(x, layer.norm1, (from = normed));
      points.add('ln1.hook_normalized', from, rowsShape);
    }
    linear(from, layer.query, query);
    linear(from, layer.key, key);
    linear(from, layer.value, value);
    points.add('attn.hook_q', query, queryShape, queryStrides);
    points.add('attn.hook_k', key, keyShape, keyStrides);
    points.add('attn.hook_v', value, keyShape, keyStrides);
    const { queryNorm, keyNorm } = layer;
    const isWhole = a.headNorm === 'all';
    if (isWhole && queryNorm) norm(query, queryNorm, query, rows, wide);
    if (isWhole && keyNorm) norm(key, keyNorm, key, rows, narrow);
    const hooksScores = points.wants('attn.hook_attn_scores');
    const hooksPattern = hooksScores || points.wants('attn.hook_pattern');
    const pattern = request.needWeights
      ? layout.floats(scoresSize)
      : hooksPattern
        ? (ownPattern ||= layout.floats(scoresSize))
        : 0;
    const scores = hooksScores ? (ownScores ||= layout.floats(scoresSize)) : 0;
    const window = request.window === undefined ? a.windows[i] : { left: request.window - 1 };
    const cache = request.cache?.place(i);
    const turn = request.frequencies[i];
    const rotation = turn && rotations.get(turn);
    let distances: Distances | undefined;
    const call: Attend = {
      // C++ adds the past.
      sizes: { batch, heads, kvHeads, queries: tokens, keys: tokens, width: headDim },
      rows: { query, key, value, output: z },
      tokens,
      norms:
        !isWhole && queryNorm && keyNorm
          ? { query: normOf(queryNorm), key: normOf(keyNorm), to: { query, key } }
          : undefined,
      rotation: rotation && { query: rotation, key: rotation },
      cache: cache && { ...cache, length: 0 },
      onRotated: () => {
        points.add('attn.hook_rot_q', query, queryShape, queryStrides);
        points.add('attn.hook_rot_k', key, keyShape, keyStrides);
        if (inputs.distances) distances = ofDistances(w.distances[i]!, key);
      },
      setOptions: () => {
        words[AttentionArgs.offsets] = inputs.offsets;
        words[AttentionArgs.windowLeft] = window?.left ?? -1;
        words[AttentionArgs.windowRight] = a.causal ? 0 : (window?.right ?? -1);
        setMask(inputs.mask, maskColumns(request));
        if (inputs.relativeBias) {
          // Each query's row begins one distance before the row of the query before it.
          const distances = keys + tokens - 1;
          const ofFirst = inputs.relativeBias + 4 * (tokens - 1);
          setStack(AttentionArgs.bias, AttentionArgs.biasStrides, ofFirst, { batch: 0, head: distances, row: -1 });
          words[AttentionArgs.biasColumns] = keys;
          words[AttentionArgs.biasStep] = 1;
        }
        if (distances) setDistances(distances);
        setAlibi(w, heads, inputs.alibi, request);
        words[AttentionArgs.sinks] = layer.sinks;
        words[AttentionArgs.weights] = pattern;
        floats[AttentionArgs.scale] = scale;
        floats[AttentionArgs.softcap] = a.softcap ?? 0;
      },
    };
    if (hooksScores) {
      const setOptions = (): void => {
        call.setOptions();
        words[AttentionArgs.scores] = scores;
        words[AttentionArgs.scoresStage] = scoresStages.indexOf('masked');
      };
      attend(steps, { ...call, setOptions });
      // Once more, since attention that gives scores may round otherwise.
      const { sizes, rows: places, cache: place, setOptions: setPlain } = call;
      attend(steps, { sizes, rows: places, tokens: 0, cache: place, setOptions: setPlain });
    } else {
      attend(steps, call);
    }
    if (hooksPattern) steps.keepAttention();
    points.add('attn.hook_attn_scores', scores, scoresShape);
    points.ifReplaced('attn.hook_attn_scores', () => {
      steps.softmax({ x: scores, out: pattern, batch, heads, queries: tokens, keys: tokens, sinks: layer.sinks });
      steps.mixValues();
    });
    points.add('attn.hook_pattern', pattern, scoresShape);
    points.ifReplaced('attn.hook_pattern', () => steps.mixValues());
    if (request.needWeights) weights.push({ address: pattern, shape: scoresShape });
    for (const [ablated, head] of request.ablate ?? []) {
      if (ablated === i) steps.zeroHead(z + 4 * head * headDim, rows, headDim, wide);
    }
    points.add('attn.hook_z', z, queryShape, queryStrides);
    linear(z, layer.output, attended);
    const results = points.wants('attn.hook_result') ? resultsOf(z, layer.output) : 0;
    points.add('attn.hook_result', results, resultShape, resultStrides);
    points.ifReplaced('attn.hook_result', () => sumInto(layer.output, attended));
    if (layer.outputNorm) norm(attended, layer.outputNorm, attended);
    scaleRows(attended, a.residualScale);
    points.add('hook_attn_out', attended, rowsShape);

    // ---- the sum, and the feed-forward
    const out = nextX();
    const isParallel = a.order === 'parallel';
    if (!isParallel) {
      add(a.addsToNormed ? from : x, attended, attended);
      points.add('hook_resid_mid', attended, rowsShape);
    }
    let feed = isParallel ? from : attended;
    if (a.order === 'post') {
      norm(attended, layer.norm1!, attended);
      points.add('ln1.hook_normalized', attended, rowsShape);
    } else if (layer.norm2) {
      norm(isParallel ? x : attended, layer.norm2, (feed = normed));
      points.add('ln2.hook_normalized', feed, rowsShape);
    }
    feedForward(i, feed, layer, fed);
    if (layer.downNorm) norm(fed, layer.downNorm, fed);
    scaleRows(fed, a.residualScale);
    points.add('hook_mlp_out', fed, rowsShape);
    add(isParallel ? x : a.addsToNormed ? feed : attended, fed, out);
    if (isParallel) add(out, attended, out);
    points.add('hook_resid_post', out, rowsShape);
    if (a.order === 'post') {
      norm(out, layer.norm2!, out);
      points.add('ln2.hook_normalized', out, rowsShape);
      points.add('hook_normalized_resid_post', out, rowsShape);
    }
    x = out;
    if (i < w.layers.length - 1) keep(x);
  });

  // ---- heads

  points.enter(undefined);
  let last: Place = { address: x, shape: rowsShape };
  if (w.finalNorm) {
    last = { address: nextX(), shape: rowsShape };
    norm(x, w.finalNorm, last.address);
    points.add('ln_final.hook_normalized', last.address, rowsShape);
  }
  if (w.outputMap) {
    const narrow = { address: layout.floats(rows * a.embedding), shape: [batch, tokens, a.embedding] };
    linear(last.address, w.outputMap, narrow.address);
    last = narrow;
  }
  if (request.needHiddenStates) hiddenStates.push(a.endsBeforeNorm ? { address: x, shape: rowsShape } : last);
  const found = request.needHeads
    ? buildHeads(a, w, request, { hidden: last, inputs, layout, steps, linear, norm })
    : { logits: undefined, pooled: undefined, embeds: undefined };
  return {
    layout,
    steps,
    inputs,
    hooks: points.all,
    hidden: last,
    weights,
    hiddenStates,
    ...found,
  };
}
