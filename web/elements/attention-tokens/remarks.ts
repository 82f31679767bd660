import type { Localised } from '../shared/localised.js';
import { folded } from '../shared/tokens.js';
import { HEADS } from './designed-heads.js';
import { MAX_TOKENS, type TokensScene } from './scene.js';

/** What the remarks depend on. */
export interface Remarked {
  readonly scene: TokensScene;
  /** Whether a text was cut. */
  readonly cut: boolean;
  /** The label step of the large map. */
  readonly labelStep: number;
  /** The head shown large, counted from 1. */
  readonly solo: number;
  readonly cross: boolean;
  readonly positions: boolean;
}

/** Remarks below the maps: what they leave out, or why a head does not do what its name says. */
export function remarksOf(remarked: Remarked, words: Localised): string {
  const { cut, labelStep, solo, cross, positions } = remarked;
  const { queries, keys, mask } = remarked.scene;
  const kind = HEADS[solo - 1];
  const plain = (token: string): string => folded(token, words.language);
  const among = new Set(keys.map(plain));
  return [
    cut && words.text('tokens.cut', { count: MAX_TOKENS }),
    labelStep > 1 && words.text('tokens.labels'),
    kind === 'next' && mask && positions && !cross && words.text('tokens.nextMasked'),
    ((kind === 'previous' && queries.length > keys.length + 1) || (kind === 'next' && queries.length > keys.length)) &&
      positions &&
      words.text('tokens.beyond'),
    kind === 'same' && !queries.every((query) => among.has(plain(query))) && words.text('tokens.noEqual'),
  ]
    .filter(Boolean)
    .join(' ');
}
