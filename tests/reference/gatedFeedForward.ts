import { ACTIVATIONS, type ActivationName } from './feedForward.js';
import { linear, linearBackward } from './linear.js';
import type { Numbers, Reference } from './tensor.js';

/** By the names of the layer's state dict; biases may be missing. */
export type GatedState = Readonly<Record<string, Numbers>>;

const combine = (a: Numbers, b: Numbers, f: (x: number, y: number) => number): Reference => ({
  data: Float64Array.from(a.data, (x, i) => f(x, b.data[i]!)),
  shape: a.shape,
});

/** down(f(gate(x))·up(x)), x (rows, width). */
export function gatedFeedForward(x: Numbers, state: GatedState, activation: ActivationName): Reference {
  const [f] = ACTIVATIONS[activation];
  const gate = linear(x, state['gate_proj.weight']!, state['gate_proj.bias']);
  const up = linear(x, state['up_proj.weight']!, state['up_proj.bias']);
  const hidden = combine(gate, up, (g, u) => f(g) * u);
  return linear(hidden, state['down_proj.weight']!, state['down_proj.bias']);
}

/** The gradients of sum(gatedFeedForward(x)·G): of x, and of each parameter by its name. */
export function gatedFeedForwardBackward(
  G: Numbers,
  x: Numbers,
  state: GatedState,
  activation: ActivationName,
): Record<string, Reference> {
  const [f, slope] = ACTIVATIONS[activation];
  const gate = linear(x, state['gate_proj.weight']!, state['gate_proj.bias']);
  const up = linear(x, state['up_proj.weight']!, state['up_proj.bias']);
  const down = linearBackward(
    G,
    combine(gate, up, (g, u) => f(g) * u),
    state['down_proj.weight']!,
  );
  const slopes = combine(gate, up, (g, u) => slope(g) * u);
  const gates = linearBackward(
    combine(down.x, slopes, (g, s) => g * s),
    x,
    state['gate_proj.weight']!,
  );
  const ups = linearBackward(
    combine(down.x, gate, (g, v) => g * f(v)),
    x,
    state['up_proj.weight']!,
  );
  return {
    x: combine(gates.x, ups.x, (a, b) => a + b),
    'gate_proj.weight': gates.weight,
    'gate_proj.bias': gates.bias,
    'up_proj.weight': ups.weight,
    'up_proj.bias': ups.bias,
    'down_proj.weight': down.weight,
    'down_proj.bias': down.bias,
  };
}
