/** What models give, to be compared. */
import { openModel, type Model, type OpenModelOptions } from 'wasm-attention/models';
import { attention } from '../../fuzz/watched.js';

const IDS = [[3, 5, 7, 11, 13, 17, 19, 23], [2, 4, 6, 8]];

/** Uses and disposes a model. */
export function run(model: Model) {
  const { hidden, logits } = model.forward(IDS);
  const { unused, parameterBytes, family, maxLength } = model;
  model.dispose();
  return { hidden, logits, unused, parameterBytes, family, maxLength };
}

export const resultOf = async (options: Omit<OpenModelOptions, 'attention'>) => run(await openModel({ attention, ...options }));
