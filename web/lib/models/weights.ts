/** A model's parameters in wasm memory: matrices packed for products, everything else as it is in the file. */
import { sizeOf, wrongValue } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import { OPERATION, type Architecture } from './config.js';
import type { Tensors } from './files.js';
import { namesOf, type LayerNames } from './names.js';
import { rotaryFrequencies, type FrequenciesAt } from './rotary.js';

/** A linear map. */
export interface Matrix {
  readonly packed: number;
  /** 0 for none. */
  readonly bias: number;
  readonly inputs: number;
  readonly outputs: number;
}
export interface NormWeights {
  readonly weight: number;
  readonly bias: number;
}
export interface LayerWeights {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly output: Matrix;
  readonly norm1: NormWeights;
  readonly norm2: NormWeights;
  /** Gates and then values, where the feed-forward is gated. */
  readonly up: Matrix;
  readonly down: Matrix;
  readonly queryNorm?: number;
  readonly keyNorm?: number;
}
export interface ModelWeights {
  /** (vocab, embedding); with `tokensPacked` it is the decoder's matrix. */
  readonly tokens: number;
  readonly tokensPacked: boolean;
  readonly positions: number;
  readonly types: number;
  readonly embeddingNorm?: NormWeights;
  readonly embeddingMap?: Matrix;
  readonly layers: readonly LayerWeights[];
  readonly finalNorm?: NormWeights;
  readonly pooler?: Matrix;
  readonly predictions?: { readonly map?: Matrix; readonly norm?: NormWeights; readonly decoder: Matrix };
  readonly classifier?: Classifier;
  readonly frequenciesAt: FrequenciesAt;
}
/** A head that sorts sequences, or with `each` every token. */
export interface Classifier {
  readonly map?: Matrix;
  readonly activation: 'tanh' | 'relu' | 'none';
  readonly decoder: Matrix;
  /** What it reads: the pooled first token, the first or the last token, or each one. */
  readonly reads: 'pooled' | 'first' | 'last' | 'each';
}

/** Rows [first, first + count) of a matrix (outputs, inputs), from the tensor in the file. */
type Rows = (data: Float32Array, first: number, count: number) => Float32Array;

/** A matrix (count, inputs) in a tensor of the file. */
interface Part {
  readonly name: string;
  readonly shape: readonly number[];
  readonly count: number;
  readonly rows: Rows;
}

/** Floats that are packed at a time. */
const CHUNK = 2 ** 16;

/** Owns the memory of a model's parameters. */
export class Store {
  readonly #wasm: Wasm;
  readonly #tensors: Tensors;
  readonly #addresses: number[] = [];
  /** What is done once everything has been checked. */
  readonly #placing: (() => void)[] = [];
  #bytes = 0;
  /** What everything that is asked for will take. */
  #total = 0;

  constructor(wasm: Wasm, tensors: Tensors) {
    this.#wasm = wasm;
    this.#tensors = tensors;
  }

  get bytes(): number {
    return this.#bytes;
  }

  allocate(floats: number): number {
    const address = this.#wasm.memory.allocate(OPERATION, floats);
    this.#addresses.push(address);
    this.#bytes += 4 * floats;
    return address;
  }

  dispose(): void {
    for (const address of this.#addresses.splice(0)) this.#wasm.memory.release(address);
  }

  /** A vector or a table, as it is in the file. */
  plain(name: string, shape: readonly number[]): () => number {
    this.#tensors.check(name, shape);
    this.#total += 4 * sizeOf(shape);
    return this.#later(() => {
      const address = this.allocate(sizeOf(shape));
      this.#wasm.memory.write(address, this.#tensors.read(name));
      return address;
    });
  }

  norm(name: string, width: number, hasBias: boolean): () => NormWeights {
    const weight = this.plain(`${name}.weight`, [width]);
    const bias = hasBias ? this.plain(`${name}.bias`, [width]) : () => 0;
    return () => ({ weight: weight(), bias: bias() });
  }

  /** The map of a module with a weight (outputs, inputs). */
  linear(name: string, inputs: number, outputs: number, hasBias = true): () => Matrix {
    const bias = hasBias ? [part(`${name}.bias`, [outputs], outputs, 1)] : undefined;
    return this.matrix(inputs, [part(`${name}.weight`, [outputs, inputs], outputs, inputs)], bias);
  }

  /** A matrix of the parts' rows, and a bias of its parts. */
  matrix(inputs: number, parts: readonly Part[], biasParts?: readonly Part[]): () => Matrix {
    for (const { name, shape } of [...parts, ...(biasParts ?? [])]) this.#tensors.check(name, shape);
    const outputs = parts.reduce((sum, { count }) => sum + count, 0);
    this.#total += 4 * (this.#wasm.raw.packWeightSize(inputs, outputs) + (biasParts ? outputs : 0));
    return this.#later(() => {
      const { raw, memory } = this.#wasm;
      const packed = this.allocate(raw.packWeightSize(inputs, outputs));
      const some = Math.max(8, Math.floor(CHUNK / inputs / 8) * 8);
      const read = this.#reader(parts, inputs);
      for (let first = 0; first < outputs; first += some) {
        const count = Math.min(some, outputs - first);
        memory.scope(OPERATION, () => {
          raw.packWeightRows(memory.floats(read(first, count)), packed, inputs, outputs, first, count);
        });
      }
      let bias = 0;
      if (biasParts) {
        bias = this.allocate(outputs);
        memory.write(bias, this.#reader(biasParts, 1)(0, outputs));
      }
      return { packed, bias, inputs, outputs };
    });
  }

  /** Places what has been asked for, in order. */
  place(onProgress?: (done: number, total: number) => void): void {
    for (const place of this.#placing) {
      place();
      onProgress?.(this.#bytes, this.#total);
    }
  }

  #later<T>(place: () => T): () => T {
    let placed: T | undefined;
    this.#placing.push(() => {
      placed = place();
    });
    return () => placed!;
  }

  /** Reads rows of several parts as if they were one matrix. */
  #reader(parts: readonly Part[], inputs: number): (first: number, count: number) => Float32Array {
    const read = parts.map(({ name }) => this.#tensors.read(name));
    return (first, count) => {
      const whole = parts.length > 1 ? new Float32Array(count * inputs) : undefined;
      let begin = 0;
      for (const [i, { count: rows, rows: take }] of parts.entries()) {
        const from = Math.max(first, begin);
        const to = Math.min(first + count, begin + rows);
        if (from < to) {
          const some = take(read[i]!, from - begin, to - from);
          if (!whole) return some;
          whole.set(some, (from - first) * inputs);
        }
        begin += rows;
      }
      return whole!;
    };
  }
}

/** A tensor (count, inputs), or (count) for inputs = 1. */
function part(name: string, shape: readonly number[], count: number, inputs: number): Part {
  return {
    name,
    shape,
    count,
    rows: (data, first, count) => data.subarray(first * inputs, (first + count) * inputs),
  };
}

/** Some columns of a tensor (inputs, columns): GPT-2's maps are transposed. */
function columns(name: string, inputs: number, all: number, begin: number, count: number): Part {
  return {
    name: `${name}.weight`,
    shape: [inputs, all],
    count,
    rows: (data, first, count) => {
      const rows = new Float32Array(count * inputs);
      for (let i = 0; i < inputs; ++i) {
        for (let r = 0, at = i * all + begin + first; r < count; ++r) rows[r * inputs + i] = data[at + r]!;
      }
      return rows;
    },
  };
}

/** Of a vector, `count` elements from `begin` on. */
function slice(name: string, all: number, begin: number, count: number): Part {
  return {
    name,
    shape: [all],
    count,
    rows: (data, first, count) => data.subarray(begin + first, begin + first + count),
  };
}

/** One of the three projections of GPT-NeoX, which lie side by side for each head. */
function interleaved(
  name: string,
  shape: readonly number[],
  a: Architecture,
  which: number,
  inputs: number,
): Part {
  const width = a.headDim;
  return {
    name,
    shape,
    count: a.heads * width,
    rows: (data, first, count) => {
      const rows = new Float32Array(count * inputs);
      for (let r = 0; r < count; ++r) {
        const head = Math.floor((first + r) / width);
        const at = ((3 * head + which) * width + ((first + r) % width)) * inputs;
        rows.set(data.subarray(at, at + inputs), r * inputs);
      }
      return rows;
    },
  };
}

type Projections = Pick<LayerWeights, 'query' | 'key' | 'value' | 'output' | 'up' | 'down'>;
type Later<T> = { readonly [K in keyof T]: () => T[K] };

function projections(store: Store, a: Architecture, names: LayerNames): Later<Projections> {
  const { hiddens: d, ffnHiddens: f } = a;
  const [wide, narrow] = [a.heads * a.headDim, a.kvHeads * a.headDim];
  if (a.family === 'gpt2') {
    const some = (name: string, inputs: number, all: number, begin: number, count: number): (() => Matrix) =>
      store.matrix(
        inputs,
        [columns(name, inputs, all, begin, count)],
        [slice(`${name}.bias`, all, begin, count)],
      );
    return {
      query: some(names.query, d, 3 * d, 0, d),
      key: some(names.key, d, 3 * d, d, d),
      value: some(names.value, d, 3 * d, 2 * d, d),
      output: some(names.output, d, d, 0, d),
      up: some(names.up, d, f, 0, f),
      down: some(names.down, f, d, 0, d),
    };
  }
  const joined = (which: number): (() => Matrix) =>
    store.matrix(
      d,
      [interleaved(`${names.query}.weight`, [3 * wide, d], a, which, d)],
      a.bias.qkv ? [interleaved(`${names.query}.bias`, [3 * wide], a, which, 1)] : undefined,
    );
  const isJoined = a.family === 'gpt_neox';
  const { gate, up } = names;
  const both = (kind: 'weight' | 'bias', inputs: number): Part[] => {
    const shape = kind === 'weight' ? [f, inputs] : [f];
    return [gate!, up].map((name) => part(`${name}.${kind}`, shape, f, inputs));
  };
  return {
    query: isJoined ? joined(0) : store.linear(names.query, d, wide, a.bias.qkv),
    key: isJoined ? joined(1) : store.linear(names.key, d, narrow, a.bias.qkv),
    value: isJoined ? joined(2) : store.linear(names.value, d, narrow, a.bias.qkv),
    output: store.linear(names.output, wide, d, a.bias.output),
    up: a.gated
      ? store.matrix(d, both('weight', d), a.bias.ffn ? both('bias', 1) : undefined)
      : store.linear(up, d, f, a.bias.ffn),
    down: store.linear(names.down, f, d, a.bias.ffn),
  };
}

function layer(store: Store, a: Architecture, names: LayerNames): () => LayerWeights {
  const maps = projections(store, a, names);
  const hasBias = a.norm === 'layer';
  const norm1 = store.norm(names.norm1, a.hiddens, hasBias);
  const norm2 = store.norm(names.norm2, a.hiddens, hasBias);
  const queryNorm = a.qkNorm ? store.plain(`${names.queryNorm}.weight`, [a.headDim]) : undefined;
  const keyNorm = a.qkNorm ? store.plain(`${names.keyNorm}.weight`, [a.headDim]) : undefined;
  return () => ({
    query: maps.query(),
    key: maps.key(),
    value: maps.value(),
    output: maps.output(),
    up: maps.up(),
    down: maps.down(),
    norm1: norm1(),
    norm2: norm2(),
    ...(queryNorm && { queryNorm: queryNorm(), keyNorm: keyNorm!() }),
  });
}

/** The head that predicts tokens, if the file has one or the embedding is one. */
function predictions(
  store: Store,
  tensors: Tensors,
  a: Architecture,
): (() => NonNullable<ModelWeights['predictions']>) | undefined {
  const { map, norm, decoder, bias } = namesOf(a).predictions;
  if (map && !tensors.has(`${map}.weight`)) return undefined;
  const own = tensors.has(`${decoder}.weight`);
  if (!own && !a.tied) return undefined;
  const biasName = [bias, `${decoder}.bias`].find((name) => name !== undefined && tensors.has(name));
  const name = own ? `${decoder}.weight` : `${namesOf(a).tokens}.weight`;
  // Some files have the same bias under both names.
  for (const other of [bias, `${decoder}.bias`]) {
    if (other !== undefined && tensors.has(other)) tensors.check(other, [a.vocab]);
  }
  const width = a.embedding;
  const mapped = map === undefined ? undefined : store.linear(map, a.hiddens, width);
  const normed = norm === undefined ? undefined : store.norm(norm, width, true);
  const decoded = store.matrix(
    width,
    [part(name, [a.vocab, width], a.vocab, width)],
    biasName === undefined ? undefined : [part(biasName, [a.vocab], a.vocab, 1)],
  );
  return () => ({
    ...(mapped && { map: mapped() }),
    ...(normed && { norm: normed() }),
    decoder: decoded(),
  });
}

/** The head that sorts sequences or tokens: `classifier` of BERT's kin, `score` of decoders. */
function classifier(store: Store, tensors: Tensors, a: Architecture): (() => Classifier) | undefined {
  const classes = (name: string): number => {
    const [count = 0] = tensors.shapeOf(`${name}.weight`);
    if (count < 1) wrongValue(OPERATION, `'${name}.weight' of at least one class`, count);
    return count;
  };
  const linear = (name: string, inputs = a.hiddens, outputs = classes(name)): (() => Matrix) =>
    store.linear(name, inputs, outputs, tensors.has(`${name}.bias`));
  if (a.causal) {
    if (!tensors.has('score.weight')) return undefined;
    const decoder = linear('score');
    return () => ({ decoder: decoder(), activation: 'none', reads: 'last' });
  }
  const first = ['classifier.dense', 'pre_classifier'].find((name) => tensors.has(`${name}.weight`));
  const last = first === 'classifier.dense' ? 'classifier.out_proj' : 'classifier';
  if (!tensors.has(`${last}.weight`)) return undefined;
  const map = first === undefined ? undefined : linear(first, a.hiddens, a.hiddens);
  const decoder = linear(last);
  if (map) {
    const activation = first === 'pre_classifier' ? 'relu' : 'tanh';
    return () => ({ map: map(), decoder: decoder(), activation, reads: 'first' });
  }
  const pooler = namesOf(a).pooler;
  const each =
    a.head.endsWith('ForTokenClassification') || pooler === undefined || !tensors.has(`${pooler}.weight`);
  return () => ({ decoder: decoder(), activation: 'none', reads: each ? 'each' : 'pooled' });
}

/** Checks all tensors, and then places them. */
export function placeWeights(
  wasm: Wasm,
  tensors: Tensors,
  a: Architecture,
  onProgress?: (done: number, total: number) => void,
): { store: Store; weights: ModelWeights } {
  const store = new Store(wasm, tensors);
  const names = namesOf(a);
  const head = predictions(store, tensors, a);
  const sharedTokens = head !== undefined && !tensors.has(`${names.predictions.decoder}.weight`);
  const tokens = sharedTokens ? undefined : store.plain(`${names.tokens}.weight`, [a.vocab, a.embedding]);
  const positions =
    a.positions === undefined
      ? () => 0
      : store.plain(`${names.positions}.weight`, [a.positions.rows, a.embedding]);
  const types =
    a.tokenTypes === 0 ? () => 0 : store.plain(`${names.types}.weight`, [a.tokenTypes, a.embedding]);
  const embeddingNorm =
    names.embeddingNorm === undefined ? undefined : store.norm(names.embeddingNorm, a.embedding, true);
  const embeddingMap =
    names.embeddingMap === undefined ? undefined : store.linear(names.embeddingMap, a.embedding, a.hiddens);
  const groups = Array.from({ length: Math.max(...a.groups) + 1 }, (_, i) => layer(store, a, names.layer(i)));
  const finalNorm =
    names.finalNorm === undefined ? undefined : store.norm(names.finalNorm, a.hiddens, a.norm === 'layer');
  const hasPooler = names.pooler !== undefined && tensors.has(`${names.pooler}.weight`);
  const pooler = hasPooler ? store.linear(names.pooler, a.hiddens, a.hiddens) : undefined;
  const classes = classifier(store, tensors, a);
  try {
    store.place(onProgress);
    const layers = groups.map((place) => place());
    const predicting = head?.();
    const weights: ModelWeights = {
      tokens: tokens ? tokens() : predicting!.decoder.packed,
      tokensPacked: !tokens,
      positions: positions(),
      types: types(),
      ...(embeddingNorm && { embeddingNorm: embeddingNorm() }),
      ...(embeddingMap && { embeddingMap: embeddingMap() }),
      layers: a.groups.map((group) => layers[group]!),
      ...(finalNorm && { finalNorm: finalNorm() }),
      ...(pooler && { pooler: pooler() }),
      ...(predicting && { predictions: predicting }),
      ...(classes && { classifier: classes() }),
      frequenciesAt: rotaryFrequencies(wasm, a, (floats) => store.allocate(floats)),
    };
    return { store, weights };
  } catch (error) {
    store.dispose();
    throw error;
  }
}
