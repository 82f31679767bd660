/** What models give, to be compared. */
import { createHash } from 'node:crypto';
import type { Tensor } from 'wasm-attention';
import { openModel, type Model, type OpenModelOptions } from 'wasm-attention/models';
import { attention } from '../../fuzz/watched.js';

const IDS = [
  [3, 5, 7, 11, 13, 17, 19, 23],
  [2, 4, 6, 8],
];

type Options = Omit<OpenModelOptions, 'attention'>;

/** All bits of a tensor. If they differ, Jest need not compare thousands of numbers. */
function digest({ data, shape }: Tensor): string {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return `${shape.join()} ${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Uses and disposes a model. */
export function run(model: Model) {
  const { hidden, logits } = model.forward(IDS);
  const { unused, parameterBytes, family, maxLength } = model;
  model.dispose();
  const isFinite = hidden.data.every(Number.isFinite);
  return {
    hidden: digest(hidden),
    isFinite,
    logits: logits && digest(logits),
    unused,
    parameterBytes,
    family,
    maxLength,
  };
}

export const resultOf = async (options: Options) => run(await openModel({ attention, ...options }));

/** The last hidden states. */
export async function hiddenOf(options: Options): Promise<Float32Array> {
  const model = await openModel({ attention, ...options });
  const { hidden } = model.forward(IDS);
  model.dispose();
  return hidden.data;
}
