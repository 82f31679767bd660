import type { Timing } from './timing.js';

export const TYPES = ['float32', 'int8'] as const;
export type Type = (typeof TYPES)[number];

/** Who computes: the library on one thread and on all, loops in JavaScript, and onnxruntime-web. */
export const SIDES = ['one', 'all', 'javascript', 'ort'] as const;
export type Side = (typeof SIDES)[number];

export const HEADS = 8;
export const TOKENS = 512;
export const HEAD_WIDTH = 64;
export const SIZE = 512;
/** As all-MiniLM-L6-v2. */
export const ENCODER = { layers: 6, width: 384, heads: 12, hiddens: 1536, batch: 1, tokens: 128 } as const;
/** The tokens of a story, and the numbers of the model that writes it. */
export const STORY = { tokens: 256, parameters: 260_032 } as const;

const { layers, width, hiddens, tokens } = ENCODER;

/** What is measured, and the operations that it takes. */
export const WORKS = {
  attention: 4 * HEADS * TOKENS ** 2 * HEAD_WIDTH,
  product: 2 * SIZE ** 3,
  encoder: layers * (8 * tokens * width ** 2 + 4 * tokens ** 2 * width + 4 * tokens * width * hiddens),
  decoding: 2 * STORY.parameters * STORY.tokens,
} as const;
export type Work = keyof typeof WORKS;
export const WORK_NAMES = Object.keys(WORKS) as Work[];

/** The chains of multiply-adds of ./limit.ts. */
export const LIMIT_STEPS = 20_000;
export const LIMIT_CHAINS = 12;
const LIMIT = 2 * 4 * LIMIT_CHAINS * LIMIT_STEPS;

export const limitOf = (work: Work): string => `${work}.limit`;
export const idOf = (work: Work, type: Type, side: Side): string => `${work}.${type}.${side}`;

/**
 * What is measured of a work. Attention has no weights that could be in int8, JavaScript no loops for it, and
 * onnxruntime's sessions keep no cache between two runs.
 */
export function rowsOf(work: Work): readonly (readonly [Type, Side])[] {
  return TYPES.flatMap((type) =>
    SIDES.filter((side) => {
      if (type === 'int8' && (work === 'attention' || side === 'javascript')) return false;
      return work !== 'decoding' || side !== 'ort';
    }).map((side) => [type, side] as const),
  );
}

const IDS = new Set(
  WORK_NAMES.flatMap((work) => [limitOf(work), ...rowsOf(work).map(([type, side]) => idOf(work, type, side))]),
);

/** What a benchmark has measured. */
export interface Results {
  readonly threads: number;
  /** Median milliseconds of one call, with four digits: a measurement has no more, and addresses stay short. */
  readonly times: ReadonlyMap<string, number>;
}

/** The figures of one row; undefined where something is not measured. */
export interface Figures {
  readonly milliseconds: number | undefined;
  /** GFLOP/s. */
  readonly rate: number | undefined;
  /** Of what one thread could do in float32 without ever leaving its registers, times the threads. */
  readonly share: number | undefined;
  /** How many times as fast as the loops in JavaScript. */
  readonly javascript: number | undefined;
  /** How many times as fast as onnxruntime-web with the same type. */
  readonly ort: number | undefined;
}

export function figuresOf({ threads, times }: Results, work: Work, type: Type, side: Side): Figures {
  const milliseconds = times.get(idOf(work, type, side));
  const limit = times.get(limitOf(work));
  const over = (time: number | undefined): number | undefined =>
    time === undefined || milliseconds === undefined ? undefined : time / milliseconds;
  const rate = milliseconds && WORKS[work] / milliseconds / 1e6;
  const isOwn = side === 'one' || side === 'all';
  return {
    milliseconds,
    rate,
    share: rate && limit && rate / ((LIMIT / limit / 1e6) * (side === 'all' ? threads : 1)),
    javascript: side === 'javascript' ? undefined : over(times.get(idOf(work, 'float32', 'javascript'))),
    ort: isOwn ? over(times.get(idOf(work, type, 'ort'))) : undefined,
  };
}

/** The results in a link; undefined if it has none. What is not a result is ignored. */
export function readLink(search: string): Results | undefined {
  const given = new URLSearchParams(search);
  const threads = Number(given.get('threads'));
  const times = new Map<string, number>();
  for (const entry of (given.get('times') ?? '').slice(0, 4000).split('_')) {
    const [, id = '', text] = /^([^-]*)-(.*)$/.exec(entry) ?? [];
    const time = Number(text);
    if (IDS.has(id) && time > 0 && time < 1e6) times.set(id, time);
  }
  if (times.size === 0) return undefined;
  return { times, threads: Number.isInteger(threads) && threads >= 1 && threads <= 64 ? threads : 1 };
}

/** Writes results into an address. */
export function writeLink(address: string, { threads, times }: Results): string {
  const url = new URL(address);
  url.hash = '';
  url.searchParams.set('threads', String(threads));
  url.searchParams.set('times', [...times].map(([id, time]) => `${id}-${time}`).join('_'));
  return url.href;
}

/** Everything that was measured, for other programs. */
export function jsonOf(results: Results, timings: ReadonlyMap<string, Timing>, machine: object): string {
  const rows = WORK_NAMES.flatMap((work) =>
    rowsOf(work).flatMap(([type, side]) => {
      const timing = timings.get(idOf(work, type, side));
      return timing ? [{ work, type, side, ...timing, ...figuresOf(results, work, type, side) }] : [];
    }),
  );
  return JSON.stringify({ ...machine, threads: results.threads, rows }, null, 2);
}
