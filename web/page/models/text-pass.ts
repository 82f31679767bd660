import type { ModelForwardOptions } from 'wasm-attention/models';
import { headsOf, likeliest, type Heads } from '../../elements/kit.js';
import type { TextCheckpoint } from './checkpoint.js';
import type { Share } from './shares.js';
import { piecesOf, type Tokens } from './text.js';

/** How many candidates for the next token are shown. */
const CANDIDATES = 5;

/** The result of a pass over a text. */
export interface Pass {
  /** Undefined once the reader has cleared the text. */
  readonly tokens: Tokens | undefined;
  readonly heads: Heads;
  /** The most likely next tokens; none of models that predict no tokens. */
  readonly next: readonly Share[];
}

export async function runPass(
  checkpoint: TextCheckpoint,
  tokens: Tokens,
  changes: Pick<ModelForwardOptions, 'ablate' | 'positions'>,
): Promise<Pass> {
  const { model } = checkpoint;
  const { isCausal, labels } = model;
  const { weights = [], logits } = await model.forward([tokens.ids], {
    needWeights: true,
    lastOnly: isCausal,
    ...changes,
  });
  // Causal classifiers have logits of another kind, and CLIP's part for texts has none.
  const best = isCausal && labels === undefined && logits ? likeliest(logits.data, CANDIDATES) : [];
  const pieces = await piecesOf(
    checkpoint.tokenizer,
    best.map(({ at }) => at),
  );
  return {
    tokens,
    heads: headsOf({ weights, tokens: tokens.names, isCausal }),
    next: best.map(({ share }, i) => ({ name: pieces[i] ?? '', share })),
  };
}
