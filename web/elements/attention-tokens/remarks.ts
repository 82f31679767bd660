import type { Localised } from '../shared/localised.js';
import { folded } from '../shared/tokens.js';
import { HEADS } from './designed-heads.js';
import { MOST_TOKENS, type TokensScene } from './scene.js';

/** What the remarks are about. */
export interface Remarked {
  readonly scene: TokensScene;
  /** Whether a text has more tokens than are used. */
  readonly cut: boolean;
  /** Every so many rows and columns of the large map have a label. */
  readonly labelStep: number;
  /** The head shown large, counted from 1. */
  readonly solo: number;
  readonly cross: boolean;
  readonly positions: boolean;
}

/** What is said below the maps where they leave something out, or where a head does not do what its name says. */
export function remarksOf(remarked: Remarked, words: Localised): string {
  const { cut, labelStep, solo, cross, positions } = remarked;
  const { queries, keys, mask } = remarked.scene;
  const kind = HEADS[solo - 1];
  const plain = (token: string): string => folded(token, words.language);
  const among = new Set(keys.map(plain));
  return [
    cut && words.text('tokens.cut', { count: MOST_TOKENS }),
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
