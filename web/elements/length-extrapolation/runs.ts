import type { Positions, TrainingSettings } from '../../training/index.js';

/** The five kinds of positions whose curves are compared. */
export const COMPARED = ['sinusoidal', 'learned', 'rotary', 'alibi', 'shaw'] as const satisfies readonly Positions[];
export type Compared = (typeof COMPARED)[number];

/** Training steps, the length of sequences in training, and the tested lengths. */
export const STEPS = 200;
export const TRAINED = 32;
export const LENGTHS = [32, 64, 96, 128, 160, 192, 224, 256] as const;

/** The accuracy at each of LENGTHS; undefined if the kind has no positions for it. */
export type Accuracies = readonly (number | undefined)[];
export type Curves = ReadonlyMap<Compared, Accuracies>;

/**
 * The task: name the previous token, without seeing later ones. All five models learn it within about a hundred steps;
 * they differ in how well they extrapolate beyond the training length.
 */
export function extrapolationSettings(positions: Compared, seed: number): Partial<TrainingSettings> {
  return { positions, seed, task: 'copy', distance: 1, causal: true, length: TRAINED, steps: STEPS };
}

/** The precomputed curves of seed 1. A test trains the models and compares. */
export const COMPUTED: Curves = new Map<Compared, Accuracies>([
  ['sinusoidal', [1, 0.521, 0.347, 0.278, 0.225, 0.194, 0.17, 0.147]],
  ['learned', [1, ...new Array<undefined>(LENGTHS.length - 1).fill(undefined)]],
  ['rotary', [1, 0.896, 0.715, 0.582, 0.477, 0.396, 0.357, 0.315]],
  ['alibi', [0.855, 0.773, 0.732, 0.728, 0.727, 0.7, 0.709, 0.692]],
  ['shaw', [1, 1, 1, 1, 1, 1, 1, 1]],
]);
