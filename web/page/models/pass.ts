import type { ModelForwardOptions } from 'wasm-attention/models';
import { headsOf, type Heads } from '../../elements/kit.js';
import type { Checkpoint } from './checkpoint.js';
import { piecesOf, type Tokens } from './text.js';

/** How many candidates for the next token are shown. */
const CANDIDATES = 5;

/** The result of a pass over a text. */
export interface Pass {
  /** Undefined once the reader has cleared the text. */
  readonly tokens: Tokens | undefined;
  readonly heads: Heads;
  /** The most likely next tokens of a decoder. */
  readonly next: readonly { readonly name: string; readonly share: number }[];
}

/** Whether a model predicts the next token: causal classifiers do not. */
export const predictsTokens = ({ model }: Checkpoint): boolean => model.isCausal && model.labels === undefined;

export async function runPass(
  checkpoint: Checkpoint,
  tokens: Tokens,
  changes: Pick<ModelForwardOptions, 'ablate' | 'positions'>,
): Promise<Pass> {
  const { model } = checkpoint;
  const { isCausal } = model;
  const { weights = [], logits } = await model.forward([tokens.ids], {
    needWeights: true,
    lastOnly: isCausal,
    ...changes,
  });
  return {
    tokens,
    heads: headsOf({ weights, tokens: tokens.names, isCausal }),
    next: predictsTokens(checkpoint) && logits ? await likeliest(logits.data, checkpoint) : [],
  };
}

/** The most likely tokens, found in one pass over the vocabulary, which may have 150,000. */
async function likeliest(logits: ArrayLike<number>, { tokenizer }: Checkpoint): Promise<Pass['next']> {
  const best: number[] = [];
  const logit = (id: number): number => logits[id] ?? -Infinity;
  for (let id = 0; id < logits.length; ++id) {
    if (best.length === CANDIDATES && logit(id) <= logit(best.at(-1)!)) continue;
    const place = best.findIndex((other) => logit(id) > logit(other));
    best.splice(place < 0 ? best.length : place, 0, id);
    best.length = Math.min(best.length, CANDIDATES);
  }
  const most = logit(best[0]!);
  let sum = 0;
  for (let id = 0; id < logits.length; ++id) sum += Math.exp(logit(id) - most);
  const pieces = await piecesOf(tokenizer, best);
  return best.map((id, i) => ({ name: pieces[i] ?? '', share: Math.exp(logit(id) - most) / sum }));
}
