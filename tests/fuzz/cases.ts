/** What makes up a fuzzed call, and the list of all of them. */
import { attentionCases } from './attentionCases.js';
import { cacheCases } from './cacheCases.js';
import { distanceCases } from './distanceCases.js';
import type { Draw } from './draw.js';
import { fileCases } from './fileCases.js';
import { layerCases } from './layerCases.js';
import { modelCases } from './modelCases.js';
import { optimizerCases } from './optimizerCases.js';
import { positionCases } from './positionCases.js';
import { sequenceCases } from './sequenceCases.js';

export interface Case {
  /** Names that errors may begin with, besides the case's own. */
  readonly names?: readonly string[];
  /** The correct arguments. Tests also call with mistakes in them. */
  readonly args: readonly unknown[];
  /** Calls the library. For a layer it makes, uses and disposes one. */
  readonly call: (...args: never[]) => unknown;
  /** Compares the result of a correct call with the oracle. */
  readonly check: (result: never) => void;
}

/** Draws a call of each public function and layer, and calls of caches, by name. */
export const CASES: Readonly<Record<string, (draw: Draw) => Case>> = {
  ...attentionCases,
  ...positionCases,
  ...distanceCases,
  ...sequenceCases,
  ...layerCases,
  ...modelCases,
  ...optimizerCases,
  ...cacheCases,
  ...fileCases,
};
