import type { WasmAttention } from 'wasm-attention';
import type { RaceWords } from './texts.js';
import type { Machine } from './machine.js';
import type { Axis, Entry, Size } from './plan.js';
import type { Timing } from './timing.js';

/** The data of plot, tables and sentences. */
export interface RaceView {
  readonly library: WasmAttention;
  readonly words: RaceWords;
  /** The size that the reader has chosen. */
  readonly size: Size;
  readonly axis: Axis;
  /** The contestants here. */
  readonly entries: readonly Entry[];
  readonly timing: (entry: Entry, size: Size) => Timing | undefined;
  /** Whether a race would measure the point. */
  readonly lacks: (entry: Entry, size: Size) => boolean;
  /** When the last time was measured. */
  readonly measuredAt: Date | undefined;
  readonly machine: Machine | undefined;
}

/** The contestant's name, with the number of threads unless it is one. */
export function entryName(words: RaceWords, { contestant, threads }: Entry): string {
  const name = words.text(`race.${contestant}`);
  return threads === 1 ? name : `${name}, ${words.text('race.onThreads', { threads })}`;
}
