import type { HeadArrays, Shaped } from '../../package-types.js';
import { checkWords, isWhole, toShaped } from '../arrays/shaped.js';

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

/** The weights of a layer, (H, L, S), which begin at `from` in the caller's array. */
interface Layer {
  readonly data: ArrayLike<number>;
  readonly shape: readonly number[];
  readonly from: number;
}

export const NO_HEADS: Heads = { layers: 0, heads: 0, tokens: [], keyTokens: [], mapOf: () => [] };

/**
 * Reads arrays of weights. Maps are views of the caller's array where possible.
 *
 * @throws TypeError for anything but arrays of numbers, or an `isCausal` that is no boolean
 * @throws RangeError for shapes or numbers of tokens that do not match
 */
export function headsOf({ weights, sample, tokens, keyTokens, isCausal = false }: HeadArrays): Heads {
  if (typeof isCausal !== 'boolean')
    throw new TypeError(`loadArrays: expected isCausal to be a boolean, got ${String(isCausal)}`);
  const isList = Array.isArray(weights) && weights.length > 0 && weights.every(isWhole);
  if (!isList && sample !== undefined)
    throw new RangeError('loadArrays: expected sample only with a list that has (B, H, L, S) per layer');
  const parts = isList
    ? weights.map((layer, index) => sampleOf(partsOf(toShaped('weights', layer), nameOf(index)), sample))
    : partsOf(toShaped('weights', weights), nameOf(0));
  const [first] = parts;
  if (first === undefined) throw new RangeError('loadArrays: expected weights, got none');
  const [heads, rows, columns] = first.shape as [number, number, number];
  const size = rows * columns;
  const other = parts.find(({ shape }) => shape.join() !== first.shape.join());
  if (other !== undefined)
    throw new RangeError(
      `loadArrays: expected layers of one shape, got (${first.shape.join(', ')}) and (${other.shape.join(', ')})`,
    );
  const maps = parts.map((part, index) => numbersOf(part, nameOf(isList ? index : 0)));
  return {
    layers: parts.length,
    heads,
    tokens: names('tokens', tokens, rows),
    keyTokens: names('keyTokens', keyTokens ?? (rows === columns ? tokens : undefined), columns),
    mapOf: (layer, head) => maps[layer - 1]?.subarray((head - 1) * size, head * size) ?? [],
    ...(isCausal && {
      mask: Array.from({ length: size }, (_, at) => (at % columns) - Math.floor(at / columns) <= columns - rows),
    }),
  };
}

function nameOf(index: number): string {
  return `loadArrays: weights${index > 0 ? `[${index}]` : ''}`;
}

/** An array's layers, or a layer's samples: (H, L, S) each. */
function partsOf({ data, shape }: Shaped, what: string): Layer[] {
  if (!shape.every((size) => Number.isInteger(size) && size > 0) || shape.length < 2 || shape.length > 4)
    throw new RangeError(`${what}: expected a shape of two to four sizes above 0, got (${shape.join(', ')})`);
  const [count, heads, rows, columns] = [1, 1, 1, 1, ...shape].slice(-4) as [number, number, number, number];
  const size = heads * rows * columns;
  if (data.length !== count * size)
    throw new RangeError(`${what}: expected ${count * size} numbers for (${shape.join(', ')}), got ${data.length}`);
  return Array.from({ length: count }, (_, part) => ({ data, shape: [heads, rows, columns], from: part * size }));
}

function sampleOf(batch: readonly Layer[], sample: number | undefined): Layer {
  const chosen = sample === undefined && batch.length > 1 ? undefined : batch[sample ?? 0];
  if (chosen === undefined)
    throw new RangeError(
      `loadArrays: expected sample to choose one of the ${batch.length} of a batch, from 0, got ${String(sample)}`,
    );
  return chosen;
}

/** A layer's numbers, without a copy if they are float32. */
function numbersOf({ data, shape, from }: Layer, what: string): Float32Array {
  const end = from + shape.reduce((product, size) => product * size, 1);
  for (let i = from; i < end; ++i) {
    if (!Number.isFinite(data[i]))
      throw new RangeError(`${what}: expected finite numbers, got ${String(data[i])} at ${i}`);
  }
  if (data instanceof Float32Array) return data.subarray(from, end);
  return Float32Array.from({ length: end - from }, (_, i) => data[from + i]!);
}

function names(what: string, given: readonly string[] | undefined, count: number): readonly string[] {
  return checkWords(what, given, count) ?? Array.from({ length: count }, (_, i) => String(i + 1));
}
