import { flag, several, whole, words, type Setting } from '../shared/settings.js';
import { LONGEST_TEXT } from '../shared/tokens.js';
import { MOST } from './run.js';

/** The model's layers, and heads in each. */
const LAYERS = 5;
const HEADS = 8;
/** The widest window, in tokens; the slider's next step means all. */
export const WIDEST = 32;

/** A silenced head: `2.7` is head 7 of layer 2. */
const headName: Setting<string> = {
  initial: '1.1',
  read: (text) => (new RegExp(`^[1-${LAYERS}]\\.[1-${HEADS}]$`).test(text) ? text : undefined),
  write: (value) => value,
};

/** The reader's settings. */
export const settings = {
  /** The beginning, in English; empty (the default) means a sample. */
  text: words('', LONGEST_TEXT),
  /** How many tokens the model has generated. */
  steps: whole(0, 0, MOST),
  /** Whether the model has its positions. */
  positions: flag(true),
  /** How many tokens back a token sees, including itself; 0 (the default) for all. */
  window: whole(0, 0, WIDEST),
  /** Silenced heads, each `layer.head`. */
  silent: several([], headName, { most: LAYERS * HEADS }),
  /** The head shown large. */
  layer: whole(1, 1, LAYERS),
  head: whole(1, 1, HEADS),
};
