/** Checked in the page too where the model is opened in a worker. */
import type { Known } from '../check/options.js';
import type { OpenModelOptions } from './types.js';

export const OPEN_OPTIONS: Known<OpenModelOptions> = {
  config: 1,
  weights: 1,
  attention: 1,
  onProgress: 1,
  weightType: 1,
  cacheType: 1,
};
