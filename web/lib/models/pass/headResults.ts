/** What each head adds to attention's output. */
import type { Matrix } from '../../steps/steps.js';
import type { Architecture } from '../config/architecture.js';
import type { Layout } from './layout.js';
import type { ModelSteps } from './steps.js';

export function headResultTools(
  { heads, headDim, hiddens }: Architecture,
  rows: number,
  layout: Layout,
  steps: ModelSteps,
) {
  const wide = heads * headDim;
  /** Places to be used by each layer in turn. */
  let alone = 0;
  let results = 0;
  const resultOf = (head: number): number => results + 4 * head * rows * hiddens;
  return {
    /** Appends the steps that map each head's output, between zeros: (heads, rows, hiddens), without the bias. */
    resultsOf: (z: number, output: Matrix): number => {
      alone ||= layout.floats(heads * rows * wide);
      results ||= layout.floats(heads * rows * hiddens);
      for (let head = 0; head < heads; ++head) {
        const own = alone + 4 * head * rows * wide;
        steps.scale(z, 1, 0, rows, wide, own);
        steps.zeroHead(own, rows, head * headDim, wide);
        steps.zeroHead(own + 4 * (head + 1) * headDim, rows, (heads - head - 1) * headDim, wide);
      }
      steps.linear(alone, { ...output, bias: 0 }, results, heads * rows);
      return results;
    },
    /** out = the sum of the results, and the bias. */
    sumInto: (output: Matrix, out: number): void => {
      // The map of zeros is the bias.
      steps.zeroHead(alone, rows, wide, wide);
      steps.linear(alone, output, out, rows);
      for (let head = 0; head < heads; ++head) steps.add(out, resultOf(head), out, rows, hiddens);
    },
  };
}
