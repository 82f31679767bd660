import type { ModelForwardOptions } from 'wasm-attention/models';
import { headsOf, likeliest, type Heads } from '../../elements/kit.js';
import type { TextCheckpoint } from './checkpoint.js';
import type { Share } from './shares.js';
import { piecesOf, type Tokens } from './text.js';

/** How many candidates for the next token are shown. */
const CANDIDATES = 5;

/** What switching parts off changes for a candidate: its probabilities, and the difference of its logits. */
export interface Effect {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly logit: number;
}

/** The result of a pass over a text. */
export interface Pass {
  readonly tokens: Tokens;
  readonly heads: Heads;
  /** The most likely next tokens; none of models that predict no tokens. */
  readonly next: readonly Share[];
  /** What switched-off heads and neurons change in these, and in the most likely ones without; none if all are on. */
  readonly effects: readonly Effect[];
}

type Changes = Pick<ModelForwardOptions, 'ablate' | 'ablateNeurons' | 'positions'>;

export async function runPass(checkpoint: TextCheckpoint, tokens: Tokens, changes: Changes): Promise<Pass> {
  const { model, tokenizer } = checkpoint;
  const { isCausal, labels } = model;
  const { weights = [], logits } = await model.forward([tokens.ids], {
    needWeights: true,
    lastOnly: isCausal,
    ...changes,
  });
  // Causal classifiers have logits of another kind, and CLIP's part for texts has none.
  const after = isCausal && labels === undefined ? logits?.data : undefined;
  const best = after ? likeliest(after, CANDIDATES) : [];
  const pieces = await piecesOf(
    tokenizer,
    best.map(({ at }) => at),
  );
  return {
    tokens,
    heads: headsOf({ weights, tokens: tokens.names, isCausal }),
    next: best.map(({ share }, i) => ({ name: pieces[i] ?? '', share })),
    effects: after ? await effectsOf(checkpoint, tokens, changes, after) : [],
  };
}

async function effectsOf(
  { model, tokenizer }: TextCheckpoint,
  { ids }: Tokens,
  { ablate = [], ablateNeurons = [], ...others }: Changes,
  after: Float32Array,
): Promise<Effect[]> {
  if (ablate.length + ablateNeurons.length === 0) return [];
  const { logits } = await model.forward([ids], { lastOnly: true, ...others });
  const before = logits!.data;
  const best = [before, after].flatMap((all) => likeliest(all, CANDIDATES).map(({ at }) => at));
  const shown = [...new Set(best)];
  const pieces = await piecesOf(tokenizer, shown);
  const [sharesBefore, sharesAfter] = [before, after].map((all) => {
    const [{ at, share }] = likeliest(all, 1) as [{ at: number; share: number }];
    return (id: number): number => share * Math.exp(all[id]! - all[at]!);
  });
  return shown.map((id, i) => ({
    name: pieces[i] ?? '',
    before: sharesBefore!(id),
    after: sharesAfter!(id),
    logit: after[id]! - before[id]!,
  }));
}
