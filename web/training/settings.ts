/** The settings of a training run, their defaults and checks. */
import type { Tensor } from 'wasm-attention';

/** The two tasks: see `answers` in task.ts. */
export const TASKS = ['copy', 'reverse'] as const;
export type Task = (typeof TASKS)[number];

/** Six kinds of positions: see positions.ts. */
export const POSITIONS = ['none', 'sinusoidal', 'learned', 'rotary', 'alibi', 'shaw'] as const;
export type Positions = (typeof POSITIONS)[number];

export interface TrainingSettings {
  /**
   * Default 'copy', for which the six curves differ most: sinusoidal, learned, rotary and Shaw's positions learn it at
   * different speeds, ALiBi learns part of it, and without positions the model learns nothing. 'reverse' can be learned
   * only with absolute positions.
   */
  readonly task: Task;
  /** Default 'learned'. */
  readonly positions: Positions;
  /** Seed of the initial weights and of all sequences: the same seed gives the same curve. Default 1. */
  readonly seed: number;
  /** The number of batches to learn from. Default 400. */
  readonly steps: number;
  /** D, the width of a token. Default 64. */
  readonly numHiddens: number;
  /** Default 4. */
  readonly numHeads: number;
  /** The width between the two linear maps of the feed-forward network. Default 128. */
  readonly ffnHiddens: number;
  /** n, the tokens of a sequence: a multiple of `vocabulary`. Default 32. */
  readonly length: number;
  /** Sequences in a step. Default 32. */
  readonly batch: number;
  /** The number of different tokens. Default 32, so that each sequence is a permutation of all of them. */
  readonly vocabulary: number;
  /** How far back 'copy' looks, from 1 to length - 1. Default 3. */
  readonly distance: number;
  /** Whether a token sees only itself and earlier tokens. Default false. */
  readonly causal: boolean;
  /** The learning rate of Adam. Default 3e-3. */
  readonly learningRate: number;
  /** Steps from one snapshot to the next. Default 10. */
  readonly snapshotEvery: number;
}

export const DEFAULTS: TrainingSettings = {
  task: 'copy',
  positions: 'learned',
  seed: 1,
  steps: 400,
  numHiddens: 64,
  numHeads: 4,
  ffnHiddens: 128,
  length: 32,
  batch: 32,
  vocabulary: 32,
  distance: 3,
  causal: false,
  learningRate: 3e-3,
  snapshotEvery: 10,
};

/** A view into the model. */
export interface Snapshot {
  /** (H, n, n): attention's weights for one sequence, which is the same in all snapshots of a run. */
  readonly weights: Tensor;
}

/** A limit for sizes, so that a step never takes seconds. */
const LARGEST = 1024;
const MAX_STEPS = 1_000_000;

const LIMITS: Partial<Record<keyof TrainingSettings, readonly [least: number, most: number]>> = {
  seed: [0, 2 ** 32 - 1],
  steps: [1, MAX_STEPS],
  numHiddens: [1, LARGEST],
  numHeads: [1, LARGEST],
  ffnHiddens: [1, LARGEST],
  length: [2, LARGEST],
  batch: [1, LARGEST],
  vocabulary: [2, LARGEST],
  distance: [1, LARGEST],
  snapshotEvery: [1, MAX_STEPS],
};

function wrong(expected: string, got: unknown): never {
  throw new RangeError(`training: expected ${expected}, got ${String(got)}`);
}

/**
 * The settings with the defaults filled in.
 *
 * @throws TypeError if `given` is not an object; RangeError for unknown names and for values out of range
 */
export function checkSettings(given: Partial<TrainingSettings> = {}): TrainingSettings {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`training: expected settings to be an object, got ${String(given)}`);
  }
  const surplus = Object.keys(given).filter((name) => !Object.hasOwn(DEFAULTS, name));
  if (surplus.length > 0) wrong(`no settings but ${Object.keys(DEFAULTS).join(', ')}`, surplus.join(', '));
  const stated = Object.entries(given).filter(([, value]) => value !== undefined);
  const settings: TrainingSettings = { ...DEFAULTS, ...Object.fromEntries(stated) };

  if (!TASKS.includes(settings.task)) wrong(`task to be one of ${TASKS.join(', ')}`, settings.task);
  if (!POSITIONS.includes(settings.positions)) {
    wrong(`positions to be one of ${POSITIONS.join(', ')}`, settings.positions);
  }
  for (const [name, [least, most]] of Object.entries(LIMITS)) {
    const value = settings[name as keyof TrainingSettings];
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
      wrong(`${name} to be a whole number within [${least}, ${most}]`, value);
    }
  }
  if (typeof settings.causal !== 'boolean') wrong('causal to be true or false', settings.causal);
  const { learningRate, numHiddens, numHeads, length, vocabulary, distance, task, positions } = settings;
  if (typeof learningRate !== 'number' || !(learningRate > 0 && learningRate < Infinity)) {
    wrong('learningRate to be a finite number above 0', learningRate);
  }
  if (numHiddens % numHeads !== 0) wrong(`numHiddens to be a multiple of numHeads (${numHeads})`, numHiddens);
  if (positions === 'rotary' && (numHiddens / numHeads) % 2 !== 0) {
    wrong('heads of even width, since rotary positions turn pairs', numHiddens / numHeads);
  }
  if (length % vocabulary !== 0) wrong(`length to be a multiple of vocabulary (${vocabulary})`, length);
  if (task === 'reverse' && length % 2 !== 0) {
    wrong('an even length for reverse: the token in the middle of an odd one would be its own answer', length);
  }
  if (task === 'copy' && distance >= length) wrong(`distance to be below length (${length})`, distance);
  return settings;
}
