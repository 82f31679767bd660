/** Compares gradients with finite differences in float64. */
import { expectClose, maxAbs, type Numbers } from './close.js';

/** The inner product; dot(output, G) is the loss whose gradients the tests take. */
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);

/**
 * Throws unless `gradient` agrees with central differences of `loss` at `at`. `rtol` is relative to the largest
 * element; its default suits gradients in float64.
 */
export function expectGradient(gradient: Numbers, at: Numbers, loss: (x: Numbers) => number, rtol = 1e-7): void {
  const step = 1e-5;
  const data = Float64Array.from(at.data, (_, i) => {
    const moved = (by: number) => Float64Array.from(at.data, (x, j) => (i === j ? x + by : x));
    const [above, below] = [step, -step].map((by) => loss({ data: moved(by), shape: at.shape }));
    return (above! - below!) / (2 * step);
  });
  // The differences are off by third derivatives times step² = 1e-10, and by the loss's roundings of 1e-16 divided by
  // the step: 1e-11.
  expectClose(gradient, { data, shape: at.shape }, { atol: rtol * (1 + maxAbs(data)) });
}
