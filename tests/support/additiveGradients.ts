/** The gradients of additive attention against the float64 oracle. */
import { additiveAttention as forward, type AdditiveTensors } from '../reference/additiveAttention.js';
import { additiveAttentionBackward as reference } from '../reference/additiveAttentionBackward.js';
import { additiveError, NAMES, positional } from './additiveCases.js';
import { expectClose, maxAbs, type Numbers } from './close.js';
import { additiveAttentionBackward } from './library.js';
import type { RandomTensor } from './random.js';

/** The shape of the output. */
export const outputShape = (t: AdditiveTensors) => [...t.queries.shape.slice(0, 2), t.values.shape[2]!];

/** Throws unless the library's gradients agree with those of the oracle. */
export function expectAgreement(g: RandomTensor, t: AdditiveTensors<RandomTensor>, validLens?: Numbers): void {
  const actual = additiveAttentionBackward(g, ...positional(t), validLens && { validLens });
  const expected = reference(g, t, validLens);
  // The gradient of a score contains weights twice, in its own factor and in the mean that is subtracted, and the slope
  // of a tanh: each is off by as much as a weight.
  const allowed = 3 * additiveError(t, forward(t, validLens).size);
  for (const name of NAMES) {
    const { data, magnitude, shape } = expected[name];
    expectClose(actual[name], expected[name], { atol: allowed * maxAbs(magnitude) });
    const outside = data.findIndex((x, at) => !(Math.abs(actual[name].data[at]! - x) <= allowed * magnitude[at]!));
    if (outside >= 0) {
      throw new Error(
        `gradient of ${name} (${shape.join()}), element ${outside}: expected ${data[outside]!}, got ` +
          `${actual[name].data[outside]!}, allowed ${allowed * magnitude[outside]!}`,
      );
    }
  }
}
