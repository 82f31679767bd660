import { ACTIVATIONS } from './feedForward.js';
import type { Numbers, Reference } from './tensor.js';

/** gelu of each element, exact or approximated by a hyperbolic tangent. */
export function gelu({ data, shape }: Numbers, approximate: 'none' | 'tanh' = 'none'): Reference {
  const [f] = ACTIVATIONS[approximate === 'tanh' ? 'gelu-tanh' : 'gelu'];
  return { data: Float64Array.from(data, (x) => f(x)), shape };
}
