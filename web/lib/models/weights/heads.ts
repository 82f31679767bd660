import { wrongValue } from '../../check/values.js';
import { OPERATION, type Architecture } from '../config/architecture.js';
import type { Tensors } from '../files.js';
import { part } from './parts.js';
import type { Store } from './store.js';
import type { Classifier, Matrix, ModelWeights } from './types.js';

/** The head that predicts tokens, if the file has one or the embedding is one. */
export function predictions(
  store: Store,
  tensors: Tensors,
  a: Architecture,
): (() => NonNullable<ModelWeights['predictions']>) | undefined {
  const { map, norm, decoder, bias } = a.names.predictions;
  if (map && !tensors.has(`${map}.weight`)) return undefined;
  const own = tensors.has(`${decoder}.weight`);
  if (!own && !a.tied) return undefined;
  const biasName = [bias, `${decoder}.bias`].find((name) => name !== undefined && tensors.has(name)) ?? bias;
  const name = own ? `${decoder}.weight` : `${a.names.tokens}.weight`;
  // Some files have the same bias under both names.
  for (const other of [bias, `${decoder}.bias`]) {
    if (other !== undefined && tensors.has(other)) tensors.check(other, [a.vocab]);
  }
  const width = a.embedding;
  const mapped = map === undefined ? undefined : store.linear(map, a.hiddens, width);
  const normed = norm === undefined ? undefined : store.norm(norm, width, true);
  const decoded = store.matrix(
    width,
    [part(name, [a.vocab, width], a.vocab, width)],
    biasName === undefined ? undefined : [part(biasName, [a.vocab], a.vocab, 1)],
  );
  return () => ({
    ...(mapped && { map: mapped() }),
    ...(normed && { norm: normed() }),
    decoder: decoded(),
  });
}

/** The head that sorts sequences or tokens: `classifier` of BERT's kin, `score` of decoders. */
export function classifier(store: Store, tensors: Tensors, a: Architecture): (() => Classifier) | undefined {
  const classes = (name: string): number => {
    const [count = 0] = tensors.shapeOf(`${name}.weight`);
    if (count < 1) wrongValue(OPERATION, `'${name}.weight' of at least one class`, count);
    return count;
  };
  const linear = (name: string, inputs = a.hiddens, outputs = classes(name)): (() => Matrix) =>
    // Decoders that sort sequences have no bias.
    store.linear(name, inputs, outputs, name !== 'score' || tensors.has('score.bias'));
  const sortsTokens = a.head.endsWith('ForTokenClassification');
  if (a.causal) {
    const name = ['score', 'classifier'].find((name) => tensors.has(`${name}.weight`));
    if (name === undefined) return undefined;
    const decoder = linear(name);
    return () => ({ decoder: decoder(), activation: 'none', reads: sortsTokens ? 'each' : 'last' });
  }
  const first = ['classifier.dense', 'pre_classifier'].find((name) => tensors.has(`${name}.weight`));
  const last = first === 'classifier.dense' ? 'classifier.out_proj' : 'classifier';
  if (!tensors.has(`${last}.weight`)) return undefined;
  const map = first === undefined ? undefined : linear(first, a.hiddens, a.hiddens);
  const decoder = linear(last);
  if (map) {
    const activation = first === 'pre_classifier' ? 'relu' : 'tanh';
    return () => ({ map: map(), decoder: decoder(), activation, reads: 'first' });
  }
  const pooler = a.names.pooler;
  const each = sortsTokens || pooler === undefined || !tensors.has(`${pooler}.weight`);
  return () => ({ decoder: decoder(), activation: 'none', reads: each ? 'each' : 'pooled' });
}
