/** Sequences to learn from, and the right answers. */
import type { TrainingSettings } from './settings.js';

/** Random numbers, uniform in [0, 1), the same for the same seed: mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The target of a token without an answer, which `softmaxCrossEntropy` ignores. */
export const IGNORED = -100;

/** Sequences, one after another, and a target for each token. */
export interface Batch {
  readonly count: number;
  /** (count · length) */
  readonly tokens: Int32Array;
  /** (count · length): the right answer, or `IGNORED`. */
  readonly targets: Int32Array;
}

/**
 * Random sequences. Each has every token of the vocabulary equally often, in random order, so that sequences differ
 * only in order. If tokens were drawn independently, a model that sees no order could count them and answer with the
 * most frequent one.
 */
export function randomBatch(settings: TrainingSettings, random: () => number, count: number): Batch {
  const { length, vocabulary } = settings;
  const tokens = new Int32Array(count * length);
  const targets = new Int32Array(count * length);
  for (let first = 0; first < tokens.length; first += length) {
    const sequence = tokens.subarray(first, first + length);
    for (let i = 0; i < length; ++i) sequence[i] = i % vocabulary;
    // Fisher and Yates' shuffle.
    for (let i = length - 1; i > 0; --i) {
      const j = Math.floor(random() * (i + 1));
      [sequence[i], sequence[j]] = [sequence[j]!, sequence[i]!];
    }
    targets.set(answers(settings, sequence), first);
  }
  return { count, tokens, targets };
}

/**
 * The targets of one sequence x of n tokens.
 *
 * - `reverse`: the target at i is x[n-1-i]. Its distance differs from place to place, so a model has to know the
 *   absolute place.
 * - `copy`: the target at i is x[i-k], the token k (`distance`) places back. The distance is the same everywhere. The
 *   first k tokens have no target.
 */
export function answers({ task, distance }: TrainingSettings, sequence: Int32Array): Int32Array {
  if (task === 'reverse') return sequence.slice().reverse();
  return sequence.map((_, i) => (i < distance ? IGNORED : sequence[i - distance]!));
}

/**
 * The accuracy that is possible without knowing the order: of the n-1 other tokens of the sequence, the most frequent
 * one occurs length/vocabulary times.
 */
export function chance({ length, vocabulary }: TrainingSettings): number {
  return length / vocabulary / (length - 1);
}

/** The share of targets, without `IGNORED`, that the guesses get right. */
export function accuracyOf(guesses: Int32Array, targets: Int32Array): number {
  let [right, asked] = [0, 0];
  for (let i = 0; i < targets.length; ++i) {
    if (targets[i] === IGNORED) continue;
    ++asked;
    if (guesses[i] === targets[i]) ++right;
  }
  return right / asked;
}
