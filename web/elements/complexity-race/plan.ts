import type { Architecture, WasmAttention } from 'wasm-attention';
import type { Setting } from '../shared/settings.js';

/** The contestants: the textbook's three, and attention with its four projections. */
export const CONTESTANTS = ['cnn', 'rnn', 'attention', 'layer'] as const;
export type Contestant = (typeof CONTESTANTS)[number];

/** The contestants that use several threads. */
const SHARED: readonly Contestant[] = ['attention', 'layer'];

/** With more threads than this, curves would cover each other. */
const MAX_THREADS = 8;

/** A contestant on a number of threads. */
export interface Entry {
  readonly contestant: Contestant;
  readonly threads: number;
}

/** All contestants on one thread, and those that can use more also on two, four, … up to `threads`. */
export function entriesUpTo(threads: number): Entry[] {
  const doublings = Math.floor(Math.log2(Math.min(threads, MAX_THREADS)));
  return Array.from({ length: doublings + 1 }, (_, power) => 2 ** power).flatMap((count) =>
    (count === 1 ? CONTESTANTS : SHARED).map((contestant) => ({ contestant, threads: count })),
  );
}

/** n tokens of width d; kernels of k taps. */
export interface Size {
  readonly n: number;
  readonly d: number;
  readonly k: number;
}

/** The size that grows along the horizontal axis. */
export type Axis = 'n' | 'd';

/** The sizes of a race, powers of two. */
export const RANGES: Readonly<Record<Axis, readonly [least: number, most: number]>> = {
  n: [16, 8192],
  d: [16, 1024],
};

/** A setting that is a power of two in the range of `axis`. */
export function powerOfTwo(axis: Axis, initial: number): Setting<number> {
  const [least, most] = RANGES[axis];
  const read = (text: string): number | undefined => {
    const value = Number(text);
    return value >= least && value <= most && Number.isInteger(Math.log2(value)) ? value : undefined;
  };
  return { initial, read, write: String, limits: { min: least, max: most } };
}

/** The sizes of a race: all powers of two along `axis`; the other sizes are constant. */
export function sizesAlong(axis: Axis, size: Size): Size[] {
  const [least, most] = RANGES[axis];
  const count = Math.log2(most / least) + 1;
  return Array.from({ length: count }, (_, power) => ({ ...size, [axis]: least * 2 ** power }));
}

/** Each contestant's architecture in the library. */
export const ARCHITECTURE: Readonly<Record<Contestant, Architecture>> = {
  cnn: 'cnn',
  rnn: 'rnn',
  attention: 'self-attention',
  layer: 'self-attention',
};

/**
 * The exact number of multiply–adds. For the whole layer it is that of mixing plus that of four d×d projections of n
 * tokens.
 */
export function multiplyAdds(library: Pick<WasmAttention, 'complexity'>, contestant: Contestant, size: Size): number {
  const mixing = library.complexity(ARCHITECTURE[contestant], size).multiplyAdds;
  return contestant === 'layer' ? mixing + 4 * size.n * size.d ** 2 : mixing;
}

/** The asymptotic class of `multiplyAdds`. */
export function computationOrder(
  library: Pick<WasmAttention, 'complexity'>,
  contestant: Contestant,
  size: Size,
): string {
  return contestant === 'layer'
    ? 'O(n·d² + n²·d)'
    : library.complexity(ARCHITECTURE[contestant], size).order.computation;
}

/** A point of a curve. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The first point where two curves over the same x cross; undefined if there is none. Curves are interpolated linearly
 * on logarithmic axes, so the result is exact for powers. Points that only one curve has are skipped.
 */
export function crossing(first: readonly Point[], second: readonly Point[]): Point | undefined {
  const others = new Map(second.map(({ x, y }) => [x, y]));
  let before: { x: number; y: number; gap: number } | undefined;
  for (const { x, y } of first) {
    const other = others.get(x);
    if (other === undefined) continue;
    const here = { x: Math.log(x), y: Math.log(y), gap: Math.log(y / other) };
    if (here.gap === 0) return { x, y };
    if (before !== undefined && before.gap * here.gap < 0) {
      const part = before.gap / (before.gap - here.gap);
      const between = (a: number, b: number): number => Math.exp(a + (b - a) * part);
      return { x: between(before.x, here.x), y: between(before.y, here.y) };
    }
    before = here;
  }
  return undefined;
}
