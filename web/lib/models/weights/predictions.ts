import type { Architecture } from '../config/architecture.js';
import type { Tensors } from '../files.js';
import { part } from './parts.js';
import type { Store } from './store.js';
import type { Predictions } from './types.js';

/** The head that predicts tokens, if the file has one or the embedding is one. */
export function predictions(store: Store, tensors: Tensors, a: Architecture): Predictions | undefined {
  const { map, norm, decoder, bias } = a.names.predictions;
  if (map && !tensors.has(`${map}.weight`)) return undefined;
  const own = tensors.has(`${decoder}.weight`);
  if (!own && !a.tied) return undefined;
  const name = own ? `${decoder}.weight` : `${a.names.tokens}.weight`;
  // Some files have the same bias under both names.
  const biases = [bias, `${decoder}.bias`].filter((each) => each !== undefined && tensors.has(each));
  for (const each of biases) tensors.check(each!, [a.vocab]);
  const biasName = biases[0] ?? bias;
  const width = a.embedding;
  return {
    map: map === undefined ? undefined : store.linear(map, a.hiddens, width),
    norm: norm === undefined ? undefined : store.norm(norm, width, true),
    decoder: store.matrix(
      width,
      [part(name, [a.vocab, width], a.vocab, width)],
      biasName === undefined ? undefined : [part(biasName, [a.vocab], a.vocab, 1)],
    ),
  };
}
