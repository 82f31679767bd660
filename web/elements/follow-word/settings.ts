import { flag, real, several, whole, words, type Setting } from '../shared/settings.js';
import { LONGEST_TEXT } from '../shared/tokens.js';

/** The model's layers, heads in each, and pieces of words. */
export const LAYERS = 5;
export const HEADS = 8;
const VOCABULARY = 512;
/** The most tokens, the one that starts a text included: more bars would not fit on a screen. */
export const MOST = 20;
/** The farthest that a bar can be moved, in either direction. */
const FARTHEST = 40;

/** Sentences to begin with, in the model's language. */
export const SAMPLES = [
  'Lily and her mom saw a very big dog',
  'Once upon a time, there was a friend named',
  'Tim was happy. Lily was very sad',
] as const;

/** A moved bar, `3=1.5`: its key, counted from 1, and its score. */
const movedBar: Setting<readonly [key: number, score: number]> = {
  initial: [1, 0],
  read: (text) => {
    const [, key = 0, score = NaN] = (/^(\d+)=(-?[\d.]+)$/.exec(text) ?? []).map(Number);
    return key >= 1 && key <= MOST && Math.abs(score) <= FARTHEST ? [key, score] : undefined;
  },
  write: (bar) => bar.join('='),
};

/** The reader's settings. */
export const settings = {
  /** The sentence, in English; empty (the default) means a sample. */
  text: words('', LONGEST_TEXT),
  /** Its tokens, where the model chose others than those of the text; none (the default) for those of the text. */
  tokens: several([], whole(0, 0, VOCABULARY - 1), { most: MOST }),
  /** The word to follow, counted from the token that starts a text; beyond the end, the last. */
  word: whole(8, 1, MOST),
  layer: whole(1, 1, LAYERS),
  head: whole(1, 1, HEADS),
  /** Scores that the reader has moved. */
  moved: several([], movedBar, { most: MOST }),
  /** Divides the logits before the last softmax. */
  temperature: real(1, 0.2, 2),
  /** Whether there are goals. */
  goals: flag(true),
};
