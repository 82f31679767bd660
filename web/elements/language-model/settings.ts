import { flag, several, whole, words, type Setting } from '../shared/settings.js';
import { LONGEST_TEXT } from '../shared/tokens.js';

/** The model's layers, and heads in each. */
export const LAYERS = 5;
export const HEADS = 8;
/** The most tokens of a beginning, and after it. */
export const LONGEST_BEGINNING = 48;
export const MOST_WRITTEN = 80;
/** The most tokens of a story. */
export const MOST = LONGEST_BEGINNING + MOST_WRITTEN;

/** A silenced head: `2.7` is head 7 of layer 2. */
const headName: Setting<string> = {
  initial: '1.1',
  read: (text) => (new RegExp(`^[1-${LAYERS}]\\.[1-${HEADS}]$`).test(text) ? text : undefined),
  write: (value) => value,
};

/** The reader's settings. */
export const settings = {
  /** The beginning, in English; empty (the default) means the first sample. */
  text: words('', LONGEST_TEXT),
  /** How many tokens the model writes. */
  steps: whole(60, 0, MOST_WRITTEN),
  /** Whether the model knows where words stand. */
  positions: flag(true),
  /** Silenced heads, each `layer.head`. */
  silent: several([], headName, { most: LAYERS * HEADS }),
  /** The token whose looks are drawn, counted from 1; 0 (the default) for none. */
  word: whole(0, 0, MOST),
  /** The head whose looks are drawn. */
  layer: whole(1, 1, LAYERS),
  head: whole(1, 1, HEADS),
  /** Whether there are goals. */
  goals: flag(true),
};
