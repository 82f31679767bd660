/** Makes mistakes in the arguments of a call: replaces values by ones that hardly ever belong there. */
import type { Draw } from './draw.js';

/**
 * Values of every kind. Sizes are small, or larger than any memory: with a size in between, a call would rightly
 * allocate gigabytes.
 */
const STRANGE: readonly (() => unknown)[] = [
  ...[undefined, null, true, false, 'abc', '', '3', 7n, Symbol.iterator].map((value) => () => value),
  ...[NaN, Infinity, -Infinity, -0, 0.5, 1e-45, -1, -3.5, 3, 1e300, -1e300].map((value) => () => value),
  ...[2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53, -(2 ** 31) - 1, Number.MAX_VALUE].map((value) => () => value),
  () => ({}),
  () => [],
  () => [[]],
  () => [NaN],
  () => [[1, 2], [3]],
  () => [[1, 2], 3],
  () => Array<number>(3),
  () => ['1', '2'],
  () => () => 1,
  () => new Date(0),
  () => new Map([['data', 1]]),
  () => new DataView(new ArrayBuffer(8)),
  () => new ArrayBuffer(8),
  () => new BigInt64Array(2),
  () => new Float32Array(0),
  () => new Float64Array([1, -1]),
  () => new Uint8Array([0, 1, 255]),
  () => detached(),
  () => ({ data: new Float32Array(4), shape: [2, 3] }),
  () => ({ data: new Float32Array(4), shape: [-2, -2] }),
  () => ({ data: new Float32Array(4), shape: [2, 2] }),
  () => ({ data: detached(), shape: [2, 2] }),
  () => ({ data: new Float32Array(0), shape: [2 ** 31, 0, 3] }),
  () => ({ data: new Float32Array(0), shape: [2 ** 40, 0] }),
  () => ({ data: new Float32Array(0), shape: [2 ** 20, 0] }),
  () => ({ data: new Float32Array(0), shape: [0, 2 ** 20, 2 ** 10] }),
  () => ({ data: detached(), shape: [0] }),
  () => ({ data: new Float32Array(4), shape: detached() }),
  () => ({ data: new Float32Array(0), shape: [0, 2 ** 53, 2 ** 53] }),
  () => ({ data: new Float32Array(0), shape: [0, 0, 0] }),
  () => ({ data: [], shape: [0, 1e300, 1e300] }),
  () => ({ data: new Float32Array(1), shape: [] }),
  () => ({ data: new Float32Array(1), shape: [1, 1, 1, 1, 1] }),
  () => ({ data: new Float32Array(1), shape: [1.5] }),
  () => ({ data: { length: 2 ** 53 }, shape: [2 ** 53] }),
  () => ({ data: { length: 3 }, shape: [3] }),
  () => ({ data: null, shape: [0] }),
  () => ({ shape: [1] }),
];

function detached(): Float32Array {
  const data = new Float32Array(4);
  structuredClone(data, { transfer: [data.buffer] });
  return data;
}

type Container = Record<string, unknown>;

/** The arguments with one to three values replaced, at any depth except inside typed arrays. */
export function withMistakes(draw: Draw, args: readonly unknown[]): unknown[] {
  let changed: unknown[] = [...args];
  for (let i = draw.pick([1, 1, 1, 2, 3]); i > 0; --i) changed = replaceOne(draw, changed) as unknown[];
  if (draw.chance(0.05)) changed.pop();
  return changed;
}

function replaceOne(draw: Draw, value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0) return draw.pick(STRANGE)();
    const at = draw.integer(0, value.length - 1);
    const copy = value.slice();
    copy[at] = deeper(draw, value[at]);
    return copy;
  }
  const keys = Object.keys(value as Container);
  if (keys.length === 0) return draw.pick(STRANGE)();
  const key = draw.pick(keys);
  return { ...(value as Container), [key]: deeper(draw, (value as Container)[key]) };
}

function deeper(draw: Draw, value: unknown): unknown {
  const inside = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
  if (inside && draw.chance(0.7) && !(value instanceof ArrayBuffer)) return replaceOne(draw, value);
  return draw.pick(STRANGE)();
}

/** The arguments with some numbers of their floating-point arrays replaced by NaN, infinities and huge numbers. */
export function withWildNumbers(draw: Draw, value: unknown): unknown {
  if (value instanceof Float32Array || value instanceof Float64Array) {
    const copy = value.slice();
    for (let i = Math.min(3, copy.length); i > 0; --i) {
      copy[draw.integer(0, copy.length - 1)] = draw.pick([NaN, Infinity, -Infinity, 3e38, -3e38]);
    }
    return copy;
  }
  if (Array.isArray(value)) return value.map((item) => withWildNumbers(draw, item));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withWildNumbers(draw, item)]));
}
