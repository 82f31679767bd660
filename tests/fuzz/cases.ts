/** What a fuzzed call is, and all of them. */
import { attentionCases } from './attentionCases.js';
import { distanceCases } from './distanceCases.js';
import type { Draw } from './draw.js';
import { fileCases } from './fileCases.js';
import { layerCases } from './layerCases.js';
import { modelCases } from './modelCases.js';
import { positionCases } from './positionCases.js';
import { sequenceCases } from './sequenceCases.js';

export interface Case {
  /** What errors may begin with, besides the case's name. */
  readonly names?: readonly string[];
  /** The arguments, in whatever form; mistakes are made in them. */
  readonly args: readonly unknown[];
  /** Calls the library. For a layer: makes, uses and disposes one. */
  readonly call: (...args: never[]) => unknown;
  /** Compares what a correct call gave with the oracle. */
  readonly check: (result: never) => void;
}

/** Each public function and layer, by its name. */
export const CASES: Readonly<Record<string, (draw: Draw) => Case>> = {
  ...attentionCases,
  ...positionCases,
  ...distanceCases,
  ...sequenceCases,
  ...layerCases,
  ...modelCases,
  ...fileCases,
};
