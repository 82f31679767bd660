import type { ArrayForm, LayerLogits, LensArrays, Shaped } from '../../package-types.js';
import { checkWords, isWhole, toShaped } from '../arrays/shaped.js';
import { likeliest, rankOf, type Likely } from '../likeliest.js';

/** How many of the most likely tokens are kept. */
const KEPT = 5;
/** How long reading may keep the browser from the reader's input, in milliseconds. */
const SLICE = 12;

/** What a model predicts after each layer and token, read row by row. */
export class Lens {
  /** (layers, T): the most likely next tokens; undefined until they are read. */
  readonly best: (readonly Likely[] | undefined)[];
  /** (layers, T): the rank of the token that the reader follows; undefined until it is known. */
  ranks: (number | undefined)[] = [];
  /** The number V of tokens in the vocabulary; 0 until the first logits are there. */
  size = 0;

  constructor(
    private readonly sources: readonly (() => Shaped | Promise<Shaped>)[],
    readonly tokens: number,
  ) {
    this.best = new Array<undefined>(this.layers * tokens).fill(undefined);
  }

  get layers(): number {
    return this.sources.length;
  }

  /**
   * Reads what is missing, and the ranks of a token. Yields when the browser should draw what is new.
   *
   * @throws TypeError, RangeError for logits that do not fit
   */
  async *read(followed: number | undefined): AsyncGenerator<void> {
    this.ranks = [];
    let end = performance.now() + SLICE;
    for (const [layer, source] of this.sources.entries()) {
      const first = layer * this.tokens;
      const isKnown = this.best.slice(first, first + this.tokens).every((best) => best !== undefined);
      if (isKnown && followed === undefined) continue;
      const { data, size } = rowsOf(await source(), layer, this.tokens, this.size);
      this.size = size;
      for (let token = 0; token < this.tokens; ++token) {
        const row = data.subarray(token * size, (token + 1) * size);
        const best = (this.best[first + token] ??= likeliest(row, KEPT));
        if (Number.isNaN(best[0]!.share))
          throw new RangeError(`loadArrays: expected logits[${layer}] to hold numbers, got NaN for token ${token}`);
        if (followed !== undefined && followed < size) this.ranks[first + token] = rankOf(row, followed);
        if (performance.now() < end) continue;
        yield;
        end = performance.now() + SLICE;
      }
    }
    yield;
  }
}

/** What is shown: the lens, perhaps a second one, and the names of tokens. */
export interface Lenses {
  readonly sides: readonly Lens[];
  readonly tokens: readonly string[];
  /** What a token of the vocabulary is called. */
  readonly nameOf: (id: number) => string;
  /** The token that a reader writes, with or without the mark of a space before it; undefined if there is none. */
  readonly find: (text: string) => number | undefined;
}

export const NO_LENSES: Lenses = { sides: [], tokens: [], nameOf: String, find: () => undefined };

/**
 * Reads arrays of logits, or functions that give them.
 *
 * @throws TypeError for anything but these
 * @throws RangeError for shapes or numbers of tokens that do not match
 */
export function lensesOf({ logits, ablated, tokens, vocabulary }: LensArrays): Lenses {
  const sides = [sourcesOf('logits', logits), ...(ablated == null ? [] : [sourcesOf('ablated', ablated)])];
  const known: number | undefined = sides[0]!.count ?? tokens?.length;
  if (known === undefined) throw new TypeError('loadArrays: expected tokens, as logits are functions');
  const names = checkWords('tokens', tokens ?? undefined, known);
  const layers = sides[0]!.sources.length;
  for (const { what, sources, count } of sides)
    if (sources.length !== layers || (count ?? known) !== known)
      throw new RangeError(
        `loadArrays: expected ${what} of ${layers} layers and ${known} tokens, got ${sources.length} and ${count ?? known}`,
      );
  const size = sides[0]!.size ?? vocabulary?.length;
  const words = size === undefined ? undefined : checkWords('vocabulary', vocabulary ?? undefined, size);
  return {
    sides: sides.map(({ sources }) => new Lens(sources, known)),
    tokens: names ?? Array.from({ length: known }, (_, i) => String(i + 1)),
    // Spaces and line breaks alone would be invisible.
    nameOf: (id) => (words?.[id]?.trim() === '' ? JSON.stringify(words[id]) : (words?.[id] ?? String(id))),
    find: (text) => (words === undefined ? numberIn(text, size) : wordIn(words, text)),
  };
}

interface Sources {
  readonly what: string;
  readonly sources: readonly (() => Shaped | Promise<Shaped>)[];
  /** The numbers of tokens and of logits, where arrays are given. */
  readonly count?: number | undefined;
  readonly size?: number | undefined;
}

function sourcesOf(what: string, given: LensArrays['logits']): Sources {
  const isList = Array.isArray(given) && given.length > 0 && given.every((each) => isFunction(each) || isWhole(each));
  const layers = isList ? (given as readonly LayerLogits[]) : split(what, given);
  const shaped = layers.map((layer, i) => (isFunction(layer) ? undefined : toShaped(`${what}[${i}]`, layer)));
  const [count, size] = shaped.find((layer) => layer !== undefined)?.shape.slice(-2) ?? [];
  shaped.forEach((layer, i) => layer && rowsOf(layer, i, count!, size!));
  const read = (layer: () => ArrayForm | Promise<ArrayForm>, i: number) => async (): Promise<Shaped> =>
    toShaped(`${what}[${i}]`, await layer());
  return {
    what,
    sources: layers.map((layer, i) => (isFunction(layer) ? read(layer, i) : (): Shaped => shaped[i]!)),
    count,
    size,
  };
}

function isFunction(value: unknown): value is () => ArrayForm | Promise<ArrayForm> {
  return typeof value === 'function';
}

/** The layers of one array (layers, T, V). */
function split(what: string, given: unknown): Shaped[] {
  const { data, shape } = toShaped(what, given);
  const [layers = 0, tokens = 0, size = 0] = shape;
  if (shape.length !== 3 || layers * tokens * size === 0 || data.length !== layers * tokens * size)
    throw new RangeError(`loadArrays: expected ${what} of shape (layers, T, V), got (${shape.join(', ')})`);
  const numbers = toFloats(data);
  const part = tokens * size;
  return Array.from({ length: layers }, (_, i) => ({
    data: numbers.subarray(i * part, (i + 1) * part),
    shape: [tokens, size],
  }));
}

/** A layer's rows, without a copy if they are float32. `size` is 0 while any will do. */
function rowsOf(
  { data, shape }: Shaped,
  layer: number,
  tokens: number,
  size: number,
): { data: Float32Array; size: number } {
  const [batch, rows, columns] = [1, ...shape].slice(-3) as [number, number, number];
  const fits = shape.length >= 2 && shape.length <= 3 && batch === 1 && rows === tokens && tokens * columns > 0;
  if (!fits || (size > 0 && columns !== size) || data.length !== rows * columns)
    throw new RangeError(
      `loadArrays: expected logits[${layer}] of shape (${tokens}, ${size || 'V'}), got (${shape.join(', ')})`,
    );
  return { data: toFloats(data), size: columns };
}

function toFloats(data: ArrayLike<number>): Float32Array {
  return data instanceof Float32Array ? data : Float32Array.from(data);
}

/** How vocabularies mark that a space is before a token. */
const MARK = /^[ ▁Ġ␣]/;

function wordIn(words: readonly string[], text: string): number | undefined {
  const bare = text.replace(MARK, '');
  const marked = words.findIndex((word) => MARK.test(word) && word.slice(1) === bare);
  const found = marked >= 0 ? marked : words.indexOf(text);
  return found >= 0 ? found : undefined;
}

function numberIn(text: string, size = Infinity): number | undefined {
  return /^\d+$/.test(text.trim()) && Number(text) < size ? Number(text) : undefined;
}
