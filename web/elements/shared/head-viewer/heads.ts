import { checkWords, isWhole, toShaped, type ArrayForm, type Shaped } from '../arrays/shaped.js';

/** What `loadArrays` takes. */
export interface HeadArrays {
  /**
   * (L, S), (H, L, S) or (layers, H, L, S); or a list with (H, L, S) or (1, H, L, S) per layer, as models return them.
   */
  readonly weights: ArrayForm | readonly ArrayForm[];
  /** The L query tokens. Default: numbers from 1. */
  readonly tokens?: readonly string[];
  /** The S key tokens. Default: `tokens` if L = S. */
  readonly keyTokens?: readonly string[];
  /**
   * Whether a query sees no later keys, as in decoders; the others are hatched. The last query is aligned with the last
   * key. Default false.
   */
  readonly isCausal?: boolean;
}

/** A head; both numbers from 1. */
export interface HeadDetail {
  readonly layer: number;
  readonly head: number;
}

/** The weights of all heads of all layers over one text. */
export interface Heads {
  readonly layers: number;
  readonly heads: number;
  readonly tokens: readonly string[];
  readonly keyTokens: readonly string[];
  /** The (L, S) map of a head; both numbers from 1. */
  readonly mapOf: (layer: number, head: number) => ArrayLike<number>;
  /** (L, S): which keys a query may see. Default: all. */
  readonly mask?: readonly boolean[];
}

/** The weights of a layer, (H, L, S). */
interface Layer {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export const NO_HEADS: Heads = { layers: 0, heads: 0, tokens: [], keyTokens: [], mapOf: () => [] };

/**
 * Reads arrays of weights. Maps are views of the caller's array where possible.
 *
 * @throws TypeError for anything but arrays of numbers, or an `isCausal` that is no boolean
 * @throws RangeError for shapes or numbers of tokens that do not match
 */
export function headsOf({ weights, tokens, keyTokens, isCausal = false }: HeadArrays): Heads {
  if (typeof isCausal !== 'boolean')
    throw new TypeError(`loadArrays: expected isCausal to be a boolean, got ${String(isCausal)}`);
  const layers = Array.isArray(weights) && weights.length > 0 && weights.every(isWhole) ? weights : [weights];
  const all = layers.map((layer, index) => layersOf(toShaped('weights', layer), index));
  const parts = all.flat();
  const [first] = parts;
  if (first === undefined) throw new RangeError('loadArrays: expected weights, got none');
  const [heads, rows, columns] = first.shape as [number, number, number];
  const size = rows * columns;
  const other = parts.find(({ shape }) => shape.join() !== first.shape.join());
  if (other !== undefined)
    throw new RangeError(
      `loadArrays: expected layers of one shape, got (${first.shape.join(', ')}) and (${other.shape.join(', ')})`,
    );
  return {
    layers: parts.length,
    heads,
    tokens: names('tokens', tokens, rows),
    keyTokens: names('keyTokens', keyTokens ?? (rows === columns ? tokens : undefined), columns),
    mapOf: (layer, head) => parts[layer - 1]?.data.subarray((head - 1) * size, head * size) ?? [],
    ...(isCausal && {
      mask: Array.from({ length: size }, (_, at) => (at % columns) - Math.floor(at / columns) <= columns - rows),
    }),
  };
}

/** The layers of an array, (H, L, S) each. */
function layersOf({ data, shape }: Shaped, index: number): Layer[] {
  const what = `loadArrays: weights${index > 0 ? `[${index}]` : ''}`;
  if (!shape.every((size) => Number.isInteger(size) && size > 0) || shape.length < 2 || shape.length > 4)
    throw new RangeError(`${what}: expected a shape of two to four sizes above 0, got (${shape.join(', ')})`);
  const [layers, heads, rows, columns] = [1, 1, 1, 1, ...shape].slice(-4) as [number, number, number, number];
  const size = heads * rows * columns;
  if (data.length !== layers * size)
    throw new RangeError(`${what}: expected ${layers * size} numbers for (${shape.join(', ')}), got ${data.length}`);
  for (let i = 0; i < data.length; ++i) {
    if (!Number.isFinite(data[i]))
      throw new RangeError(`${what}: expected finite numbers, got ${String(data[i])} at ${i}`);
  }
  const all = data instanceof Float32Array ? data : Float32Array.from(data);
  return Array.from({ length: layers }, (_, layer) => ({
    data: all.subarray(layer * size, (layer + 1) * size),
    shape: [heads, rows, columns],
  }));
}

function names(what: string, given: readonly string[] | undefined, count: number): readonly string[] {
  return checkWords(what, given, count) ?? Array.from({ length: count }, (_, i) => String(i + 1));
}
