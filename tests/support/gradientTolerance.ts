import { scaledDotProductAttention, type AttentionReferenceOptions } from '../reference/scaledDotProductAttention.js';
import {
  scaledDotProductAttentionBackward as reference,
  type AttentionGradientsReference,
  type GradientReference,
} from '../reference/scaledDotProductAttentionBackward.js';
import { WEIGHT_RTOL } from './attentionTolerance.js';
import { EPS, maxAbs, type Numbers } from './close.js';
import { scaledDotProductAttentionBackward } from './library.js';
import { Random, type RandomTensor } from './random.js';

type Name = keyof AttentionGradientsReference;

/**
 * Compares gradients with the oracle's, each element relative to the sum of its terms' magnitudes. `masked` are the
 * oracle's scores. As in the forward pass, a weight is off by WEIGHT_RTOL plus 4·EPS times the largest score. The
 * gradient of a score contains weights twice, in its own factor and in the mean that is subtracted: 2·WEIGHT_RTOL +
 * 8·EPS times the largest score. Its products and sums round like those of a logit, which a third WEIGHT_RTOL covers.
 */
export function expectGradients(
  actual: Partial<Record<Name, Numbers>>,
  expected: AttentionGradientsReference,
  masked: Numbers,
): void {
  const largest = maxAbs(Array.from(masked.data).filter(Number.isFinite));
  const atol = 3 * WEIGHT_RTOL + 8 * largest * EPS;
  expectSameKeys(actual, expected);
  for (const name of Object.keys(expected) as Name[]) {
    expectRelative(name, actual[name], expected[name]!, atol);
  }
}

interface Call {
  readonly query: RandomTensor;
  readonly key: RandomTensor;
  readonly value: RandomTensor;
  readonly options: AttentionReferenceOptions;
}

/** Compares the library's gradients for a random gradOutput with the oracle's. */
export function expectBackward({ query, key, value, options }: Call, seed: number): void {
  const gradOutput = new Random(seed).tensor([...query.shape.slice(0, -1), value.shape.at(-1)!]);
  expectGradients(
    scaledDotProductAttentionBackward(gradOutput, query, key, value, options),
    reference(gradOutput, query, key, value, options),
    scaledDotProductAttention(query, key, value, options).masked,
  );
}

function expectSameKeys(actual: object, expected: object): void {
  const [given, wanted] = [actual, expected].map((object) => Object.keys(object).sort().join());
  if (given !== wanted) throw new Error(`expected gradients of ${wanted}, got those of ${given}`);
}

/**
 * Throws unless each difference is within `atol` times the element's magnitude. Results below the smallest normal
 * float32 may be zero.
 */
function expectRelative(name: string, actual: Numbers | undefined, expected: GradientReference, atol: number): void {
  if (actual?.shape.join() !== expected.shape.join()) {
    throw new Error(`${name}: expected shape (${expected.shape.join()}), got (${actual?.shape.join()})`);
  }
  const relative = expected.data.map((x, at) => (actual.data[at]! - x) / (expected.magnitude[at]! + 2 ** -100));
  const worst = maxAbs(relative); // NaN if one of them is
  if (!(worst <= atol)) {
    const at = relative.findIndex((x) => !(Math.abs(x) < worst));
    throw new Error(
      `gradient of ${name}, element ${at}: expected ${expected.data[at]!}, got ${actual.data[at]!}: ` +
        `${worst} of its terms' magnitude, allowed ${atol}`,
    );
  }
}
