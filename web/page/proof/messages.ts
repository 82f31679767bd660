import type { Timing } from './timing.js';

/** What the page sends to the worker, once. */
export interface Order {
  readonly threads: number;
  /** The files of onnxruntime-web; none if it is not measured. */
  readonly files: readonly File[];
  readonly quick: boolean;
}

/** What the worker answers. */
export type Answer =
  | { readonly type: 'progress'; readonly share: number; readonly id: string }
  | { readonly type: 'measured'; readonly threads: number; readonly timings: ReadonlyMap<string, Timing> }
  /** onnxruntime-web does not run; the others go on. */
  | { readonly type: 'without'; readonly reason: string }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly reason: string };
