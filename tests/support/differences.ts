/** Finite differences in float64, which an oracle's gradients are held against. */
import { expectClose, maxAbs, type Numbers } from './close.js';

/** The inner product that gradients are of. */
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);

/**
 * Throws unless `gradient` is that of `loss` at `at`: central differences, step 1e-5. `rtol` is of the largest element: the
 * default is for gradients in float64.
 */
export function expectGradient(
  gradient: Numbers,
  at: Numbers,
  loss: (x: Numbers) => number,
  rtol = 1e-7,
): void {
  const step = 1e-5;
  const data = Float64Array.from(at.data, (_, i) => {
    const moved = (by: number) => Float64Array.from(at.data, (x, j) => (i === j ? x + by : x));
    const [above, below] = [step, -step].map((by) => loss({ data: moved(by), shape: at.shape }));
    return (above! - below!) / (2 * step);
  });
  // Third derivatives times 1e-10, and roundings of 1e-16 times the loss over 1e-5: both far below 1e-7.
  expectClose(gradient, { data, shape: at.shape }, { atol: rtol * (1 + maxAbs(data)) });
}
