/** Checked in the page too where the model is in a worker. */
import type { Known } from '../check/options.js';
import type { GenerateOptions } from './types.js';

export const GENERATE_OPTIONS: Known<GenerateOptions> = {
  cache: 1,
  maxTokens: 1,
  temperature: 1,
  topK: 1,
  topP: 1,
  seed: 1,
  signal: 1,
  ablate: 1,
  positions: 1,
  hooks: 1,
};
