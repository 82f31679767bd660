import { slopesOf } from '../../ops/alibiSlopes.js';
import { tableType } from '../../check/weightType.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { Matrix } from '../../steps/steps.js';
import type { Architecture, LayerNames } from '../config/architecture.js';
import type { Tensors } from '../files.js';
import { rotaryFrequencies } from '../rotary.js';
import { head } from './head.js';
import { normOf } from './norm.js';
import { partOf, type Source } from './parts.js';
import { tablesOf } from '../pictures/positionTable.js';
import { pictureWeights } from './pictures.js';
import { readTensors, type ReadingOptions } from './reading.js';
import { Store, type Job } from './store.js';
import { distanceVectors, type FileWeights } from './distanceVectors.js';
import type { HeadWeights, LayerWeights, ModelWeights } from './types.js';

/** Checks all tensors, and then reads and places them. */
export async function placeWeights(
  wasm: Wasm,
  tensors: Tensors,
  a: Architecture,
  weightType: number,
  options: ReadingOptions = {},
): Promise<{ store: Store; weights: ModelWeights }> {
  const store = new Store(wasm, tensors, weightType);
  weightsOf(store, tensors, a);
  tensors.checkLayers();
  store.startPlacing();
  try {
    let weights = weightsOf(store, tensors, a);
    // The head has bytes of its own after all.
    const separate = (): Job[] => {
      weights = { ...weights, ...tokensOf(store, a), head: { ...weights.head!, isTied: false } };
      return store.takeJobs();
    };
    await readTensors(tensors, store.takeJobs(), separate, options);
    store.finish();
    const allocate = (floats: number) => store.allocate(floats);
    const frequenciesAt = rotaryFrequencies(wasm, a, allocate);
    const distances = distanceVectors(wasm, a, weights, allocate);
    const tableFor = tablesOf(wasm.memory, a, weights.positions);
    return { store, weights: { ...weights, frequenciesAt, distances, tableFor } };
  } catch (error) {
    store.dispose();
    throw error;
  }
}

type Tokens = Pick<ModelWeights, 'tokens' | 'tokensType' | 'tokensPacked'>;

/** The embedding, which may be the head's matrix. */
function tokensOf(store: Store, a: Architecture, found?: HeadWeights): Tokens {
  const { names, embedding: e } = a;
  const { weightType } = store;
  if (a.pictures) return { tokens: 0, tokensType: 0, tokensPacked: false };
  if (found?.isTied) return { tokens: found.decoder.packed, tokensType: weightType, tokensPacked: true };
  const tokensType = tableType(weightType);
  if (weightType === 0) {
    return { tokens: store.plain(`${names.tokens}.weight`, [a.vocab, e]), tokensType, tokensPacked: false };
  }
  const { packed } = store.matrix(e, [partOf(names.tokens!, 'weight', a.vocab, e)], undefined, tokensType);
  return { tokens: packed, tokensType, tokensPacked: true };
}

function weightsOf(store: Store, tensors: Tensors, a: Architecture): FileWeights {
  const { names, embedding: e, hiddens: d } = a;
  const found = head(store, tensors, a);
  const [width, hasMapBias] = names.outputMap === undefined ? [e, true] : [d, false];
  const table = (name: string | undefined, rows: number): number => store.plain(`${name}.weight`, [rows, width]);
  const map = (name: string | undefined, inputs: number, outputs: number) =>
    name === undefined ? undefined : store.linear(name, inputs, outputs, hasMapBias);
  const tokens = tokensOf(store, a, found);
  const { positions, pictures, projection } = a;
  const positionsAt = (): number => {
    if (!positions) return 0;
    if (positions.table) return store.computed(positions.table);
    const { positionTable: name } = names;
    return name === undefined ? table(names.positions, positions.rows) : store.plain(name, [1, positions.rows, d]);
  };
  const { attentionPooler } = names;
  const hasProjection = projection && (!projection.isOptional || tensors.has(`${projection.name}.weight`));
  // Some families' is a scalar, others' a vector of one.
  const number = (name: string | undefined): number =>
    name === undefined ? 0 : store.plain(name, tensors.shapeOf(name)?.length === 1 ? [1] : []);
  const groups = Array.from({ length: Math.max(...a.groups) + 1 }, (_, i) => layerOf(store, a, names.layer(i)));
  const hasPooler = names.pooler !== undefined && tensors.has(`${names.pooler}.weight`);
  return {
    weightType: store.weightType,
    ...tokens,
    positions: positionsAt(),
    types: a.tokenTypes > 0 ? table(names.types, a.tokenTypes) : 0,
    embeddingNorm: normOf(store, a, names.embeddingNorm, width),
    embeddingMap: map(names.embeddingMap, e, d),
    outputMap: map(names.outputMap, d, e),
    relativeVectors: a.relativeVectors
      ? store.plain(`${names.relativeVectors}.weight`, [a.relativeVectors.rows, d])
      : 0,
    relativeNorm: normOf(store, a, names.relativeNorm, d),
    relativeBias: a.relativeBias ? store.plain(`${names.relativeBias}.weight`, [a.relativeBias.rows, a.heads]) : 0,
    alibiSlopes: a.positionKind === 'alibi' ? store.computed(() => Float32Array.from(slopesOf(a.heads))) : 0,
    layers: a.groups.map((group) => groups[group]!),
    finalNorm: normOf(store, a, names.finalNorm, d),
    pooler: hasPooler ? store.linear(names.pooler, d, a.poolerWidth ?? d) : undefined,
    poolerNorm: normOf(store, a, names.poolerNorm, d),
    attentionPooler: attentionPooler && {
      ...layerOf(store, a, attentionPooler),
      probe: store.plain(attentionPooler.probe, [1, 1, d]),
    },
    projection: hasProjection ? store.linear(projection.name, d, projection.outputs, false) : undefined,
    pictures: pictures && pictureWeights(store, names.patches!, pictures, d),
    logitScale: number(names.logitScale),
    logitBias: number(names.logitBias),
    head: found,
  };
}

function layerOf(store: Store, a: Architecture, names: LayerNames): LayerWeights {
  const { hiddens, ffnHiddens, headDim, bias } = a;
  const [wide, narrow] = [a.heads * headDim, a.kvHeads * headDim];
  const { headNorm = 'each' } = a;
  const headNormOf = (name: string | undefined, heads: number) => {
    const isOwn = headNorm === 'own' && name !== undefined;
    const names = isOwn ? Array.from({ length: heads }, (_, head) => `${name}.${head}`) : name;
    return normOf(store, a, names, headNorm === 'all' ? heads * headDim : headDim, bias.headNorm);
  };
  const query = store.linear(names.query, hiddens, wide, bias.qkv);
  const key = store.linear(names.key, hiddens, narrow, bias.qkv);
  // Distances may have the maps of tokens.
  const ofDistances = (source: Source | undefined, own: Matrix): Matrix | undefined => {
    if (source === undefined) return undefined;
    return source === names.key || source === names.query ? own : store.linear(source, hiddens, own.outputs);
  };
  return {
    query,
    key,
    value: store.linear(names.value, hiddens, narrow, bias.qkv),
    output: store.linear(names.output, wide, hiddens, bias.output),
    up: store.linear(names.up, hiddens, a.gated ? 2 * ffnHiddens : ffnHiddens, bias.up),
    down: store.linear(names.down, ffnHiddens, hiddens, bias.down),
    norm1: normOf(store, a, names.norm1, hiddens),
    norm2: normOf(store, a, names.norm2, hiddens),
    outputNorm: normOf(store, a, names.outputNorm, hiddens),
    downNorm: normOf(store, a, names.downNorm, hiddens),
    queryNorm: headNormOf(names.queryNorm, a.heads),
    keyNorm: headNormOf(names.keyNorm, a.kvHeads),
    relativeKey: ofDistances(names.relativeKey, key),
    relativeQuery: ofDistances(names.relativeQuery, query),
    sinks: names.sinks === undefined ? 0 : store.plain(names.sinks, [a.heads]),
  };
}
