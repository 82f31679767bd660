/** The trained models' attention maps for seed 1, in a module of their own, which only this figure loads. */
import type { Positions, Task } from '../../training/index.js';
import maps from './computed-maps.json' with { type: 'json' };
import type { View } from './inside.js';

/**
 * A model's maps after its last step, from `npm run train:computed`. A weight is two hexadecimal digits, in hundredths;
 * without positions, where all weights are about 1/32, in thousandths.
 */
export function computedView(task: Task, positions: Positions): View {
  const digits = positions === 'none' ? 3 : 2;
  const data = Float32Array.from(maps[task][positions].match(/../g)!, (pair) => parseInt(pair, 16) / 10 ** digits);
  return { weights: { data, shape: [4, 32, 32] }, digits };
}
