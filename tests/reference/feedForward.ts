import { linear, linearBackward } from './linear.js';
import type { Numbers, Reference } from './tensor.js';

export type ActivationName = 'relu' | 'gelu' | 'gelu-tanh' | 'silu' | 'sigmoid' | 'quick-gelu';

/** P(X <= x) for a standard normal X: a series around 0, a continued fraction in the tails. */
export function normalCdf(x: number): number {
  const a = Math.abs(x);
  const density = Math.exp((-a * a) / 2) / Math.sqrt(2 * Math.PI);
  if (a < 4) {
    let term = a;
    let sum = a;
    for (let k = 3; term > 1e-18 * sum; k += 2) {
      term *= (a * a) / k;
      sum += term;
    }
    return 0.5 + Math.sign(x) * density * sum;
  }
  let fraction = a;
  for (let k = 80; k > 0; --k) fraction = a + k / fraction;
  return x < 0 ? density / fraction : 1 - density / fraction;
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

const ROOT = Math.sqrt(2 / Math.PI);

/** Each activation with its derivative. */
export const ACTIVATIONS: Record<ActivationName, readonly [(x: number) => number, (x: number) => number]> = {
  relu: [(x) => (x > 0 ? x : 0), (x) => (x > 0 ? 1 : 0)],
  gelu: [(x) => x * normalCdf(x), (x) => normalCdf(x) + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)],
  'gelu-tanh': [
    (x) => (x / 2) * (1 + Math.tanh(ROOT * (x + 0.044715 * x ** 3))),
    (x) => {
      const t = Math.tanh(ROOT * (x + 0.044715 * x ** 3));
      return (1 + t) / 2 + (x / 2) * (1 - t * t) * ROOT * (1 + 3 * 0.044715 * x * x);
    },
  ],
  silu: [(x) => x * sigmoid(x), (x) => sigmoid(x) * (1 + x * sigmoid(-x))],
  sigmoid: [sigmoid, (x) => sigmoid(x) * sigmoid(-x)],
  'quick-gelu': [(x) => x * sigmoid(1.702 * x), (x) => sigmoid(1.702 * x) * (1 + 1.702 * x * sigmoid(-1.702 * x))],
};

const map = ({ data, shape }: Numbers, f: (x: number, i: number) => number): Reference => ({
  data: Float64Array.from(data, f),
  shape,
});

export interface FeedForwardState {
  readonly weight1: Numbers;
  readonly bias1: Numbers;
  readonly weight2: Numbers;
  readonly bias2: Numbers;
}

/** dense2(f(dense1(x))), x (rows, width). */
export function feedForward(x: Numbers, state: FeedForwardState, activation: ActivationName): Reference {
  const hidden = linear(x, state.weight1, state.bias1);
  return linear(map(hidden, ACTIVATIONS[activation][0]), state.weight2, state.bias2);
}

/** The gradients of sum(feedForward(x)·G). */
export function feedForwardBackward(G: Numbers, x: Numbers, state: FeedForwardState, activation: ActivationName) {
  const [f, slope] = ACTIVATIONS[activation];
  const hidden = linear(x, state.weight1, state.bias1);
  const second = linearBackward(G, map(hidden, f), state.weight2);
  const gradHidden = map(second.x, (g, i) => g * slope(hidden.data[i]!));
  const first = linearBackward(gradHidden, x, state.weight1);
  return {
    x: first.x,
    weight1: first.weight,
    bias1: first.bias,
    weight2: second.weight,
    bias2: second.bias,
  };
}
