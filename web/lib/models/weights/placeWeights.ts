import type { Wasm } from '../../runtime/wasm.js';
import type { Architecture } from '../config/architecture.js';
import type { Tensors } from '../files.js';
import { namesOf } from '../names.js';
import { rotaryFrequencies } from '../rotary.js';
import { classifier, predictions } from './heads.js';
import { layer } from './layer.js';
import { part } from './parts.js';
import { Store } from './store.js';
import type { ModelWeights } from './types.js';

/** Checks all tensors, and then places them. */
export function placeWeights(
  wasm: Wasm,
  tensors: Tensors,
  a: Architecture,
  weightType: number,
  onProgress?: (done: number, total: number) => void,
): { store: Store; weights: ModelWeights } {
  const store = new Store(wasm, tensors, weightType);
  const names = namesOf(a);
  const head = predictions(store, tensors, a);
  const sharedTokens = head !== undefined && !tensors.has(`${names.predictions.decoder}.weight`);
  const tokensShape = [a.vocab, a.embedding] as const;
  const table = `${names.tokens}.weight`;
  const plainTokens = sharedTokens || weightType > 0 ? undefined : store.plain(table, tokensShape);
  const packedTokens =
    sharedTokens || plainTokens
      ? undefined
      : store.matrix(a.embedding, [part(table, tokensShape, ...tokensShape)]);
  const positions =
    a.positions === undefined
      ? () => 0
      : store.plain(`${names.positions}.weight`, [a.positions.rows, a.embedding]);
  const types =
    a.tokenTypes === 0 ? () => 0 : store.plain(`${names.types}.weight`, [a.tokenTypes, a.embedding]);
  const embeddingNorm =
    names.embeddingNorm === undefined ? undefined : store.norm(names.embeddingNorm, a.embedding, true);
  const embeddingMap =
    names.embeddingMap === undefined ? undefined : store.linear(names.embeddingMap, a.embedding, a.hiddens);
  const groups = Array.from({ length: Math.max(...a.groups) + 1 }, (_, i) => layer(store, a, names.layer(i)));
  const finalNorm =
    names.finalNorm === undefined ? undefined : store.norm(names.finalNorm, a.hiddens, a.norm === 'layer');
  const hasPooler = names.pooler !== undefined && tensors.has(`${names.pooler}.weight`);
  const pooler = hasPooler ? store.linear(names.pooler, a.hiddens, a.hiddens) : undefined;
  const classes = classifier(store, tensors, a);
  const frequencies = rotaryFrequencies(wasm, a);
  try {
    store.place(onProgress);
    const layers = groups.map((place) => place());
    const predicting = head?.();
    const weights: ModelWeights = {
      weightType: store.weightType,
      tokens: plainTokens ? plainTokens() : (packedTokens?.() ?? predicting!.decoder).packed,
      tokensPacked: !plainTokens,
      positions: positions(),
      types: types(),
      ...(embeddingNorm && { embeddingNorm: embeddingNorm() }),
      ...(embeddingMap && { embeddingMap: embeddingMap() }),
      layers: a.groups.map((group) => layers[group]!),
      ...(finalNorm && { finalNorm: finalNorm() }),
      ...(pooler && { pooler: pooler() }),
      ...(predicting && { predictions: predicting }),
      ...(classes && { classifier: classes() }),
      frequenciesAt: frequencies((floats) => store.allocate(floats)),
    };
    return { store, weights };
  } catch (error) {
    store.dispose();
    throw error;
  }
}
