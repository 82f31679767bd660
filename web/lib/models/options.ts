/** The options of functions that also run in a worker, where the page checks them. */
import type { Known } from '../check/options.js';
import type { GenerateOptions, OpenModelOptions } from './types.js';

export const OPEN_OPTIONS: Known<OpenModelOptions> = { config: 1, weights: 1, attention: 1, onProgress: 1 };

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
