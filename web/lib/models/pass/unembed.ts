/** Logits of any residual stream. */
import { toTensor } from '../../check/arrays.js';
import { checkOptions } from '../../check/options.js';
import { checkBoolean, showShape, wrongUse, wrongValue } from '../../check/values.js';
import { runSteps } from '../../steps/steps.js';
import type { Tensor, TensorLike } from '../../types.js';
import type { UnembedOptions } from '../types.js';
import { predict } from './heads.js';
import type { Passes } from './passes.js';
import { ModelSteps } from './steps.js';

/** See `Microscope.unembed`. */
export function unembed(passes: Passes, residual: TensorLike, options: UnembedOptions | undefined): Tensor {
  const operation = 'unembed';
  const { norm: given } = checkOptions(operation, options, { norm: 1 });
  const isNormed = given == null || checkBoolean(operation, 'norm', given);
  const { wasm, architecture: a, weights } = passes;
  const { head, finalNorm, outputMap } = weights;
  if (!head?.predictsTokens) wrongUse(operation, 'a model with a head that predicts tokens', `a ${a.family} without`);
  const { data, shape } = toTensor(operation, 'residual', residual);
  if (shape.at(-1) !== a.hiddens) wrongValue(operation, `residual of shape (…, ${a.hiddens})`, showShape(shape));
  const rows = data.length / a.hiddens;
  passes.checkUse(operation);
  const { memory } = wasm;
  return memory.scope(operation, () => {
    const layout = { floats: (count: number) => memory.reserve(count) };
    const steps = new ModelSteps();
    let x = memory.floats(data);
    if (isNormed && finalNorm) steps.norm(x, { kind: a.norm, eps: a.eps, ...finalNorm }, x, rows, a.hiddens);
    if (outputMap) {
      const narrow = layout.floats(rows * outputMap.outputs);
      steps.linear(x, outputMap, narrow, rows);
      x = narrow;
    }
    const logits = predict(a, head, x, rows, layout, steps);
    runSteps(wasm, steps.place(memory), steps.bytes);
    return memory.tensor(logits, [...shape.slice(0, -1), head.decoder.outputs]);
  });
}
