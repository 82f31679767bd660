/** A layer's feed-forward network: one step, or three where something happens between its maps. */
import { activations } from '../../generated/bindings/enums.js';
import type { Architecture } from '../config/architecture.js';
import type { LayerWeights } from '../weights/types.js';
import type { Layout } from './layout.js';
import type { Points } from './points.js';
import type { ModelSteps } from './steps.js';
import type { Request } from './types.js';

/** Makes a function that appends the steps of layer i, which map x to out. */
export function feedForwardTools(
  { activation, gated, ffnHiddens: width }: Architecture,
  { batch, tokens, ablateNeurons = [] }: Request,
  { layout, steps, points }: { layout: Layout; steps: ModelSteps; points: Points },
) {
  const rows = batch * tokens;
  const wide = gated ? 2 * width : width;
  const shape = [batch, tokens, width];
  const strides = [tokens * wide, wide];
  /** Places to be used by each layer in turn. */
  let inner = 0;
  let active = 0;
  return (i: number, x: number, { up, down }: Pick<LayerWeights, 'up' | 'down'>, out: number): void => {
    const neurons = ablateNeurons.filter(([layer]) => layer === i);
    const isOpen = neurons.length > 0 || points.wants('mlp.hook_pre', 'mlp.hook_pre_linear', 'mlp.hook_post');
    if (isOpen) {
      inner ||= layout.floats(rows * wide);
      active ||= gated ? layout.floats(rows * width) : inner;
      steps.linear(x, up, inner, rows);
    }
    points.add('mlp.hook_pre', inner, shape, strides);
    if (gated) points.add('mlp.hook_pre_linear', inner + 4 * width, shape, strides);
    if (isOpen) steps.activate(inner, activation, rows, width, active, gated);
    for (const [, neuron] of neurons) steps.zeroHead(active + 4 * neuron, rows, 1, width);
    points.add('mlp.hook_post', active, shape);
    if (isOpen) steps.linear(active, down, out, rows);
    else steps.feedForward(x, { up, down, gated, activation: activations.indexOf(activation) }, out, rows);
  };
}
