import type { Tensor } from 'wasm-attention';
import type { Model } from 'wasm-attention/models';

/** One word, one layer and one head of it, all counted from 1, and scores that the reader has moved, by their keys. */
export interface Focus {
  readonly word: number;
  readonly layer: number;
  readonly head: number;
  readonly moved: ReadonlyMap<number, number>;
}

/** What becomes of a word in a head. Keys are the words up to this one. */
export interface Trace {
  /** The word's vector before the layer. */
  readonly input: Float32Array;
  /** The query, key and value of the word: the first two before and after their rotation by the word's position. */
  readonly query: Rotated;
  readonly key: Rotated;
  /** Of each word of the text, rotated keys, and values. */
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
  /** The word's scores and weights for each key. */
  readonly scores: Float32Array;
  readonly weights: Float32Array;
  /** The mixture of the values; those of all heads, one after another; and what the attention adds to the word. */
  readonly mixture: Float32Array;
  readonly joined: Float32Array;
  readonly output: Float32Array;
  /** For each token of the vocabulary, how well it follows the word. */
  readonly logits: Float32Array;
  /** The weights of all heads of each layer, (heads, words, words). */
  readonly maps: readonly Float32Array[];
}

interface Rotated {
  readonly before: Float32Array;
  readonly after: Float32Array;
}

/** Runs the model on `tokens` and follows a word. */
export function trace(model: Model, tokens: readonly number[], { word, layer, head, moved }: Focus): Trace {
  const at = word - 1;
  const block = `blocks.${layer - 1}`;
  const pattern = (of: number): string => `blocks.${of}.attn.hook_pattern`;
  const layers = Array.from({ length: model.numLayers }, (_, of) => of);
  const names = ['q', 'rot_q', 'k', 'rot_k', 'v', 'attn_scores', 'z'].map((name) => `${block}.attn.hook_${name}`);
  names.push(`${block}.hook_resid_pre`, `${block}.hook_attn_out`, 'ln_final.hook_normalized', ...layers.map(pattern));
  const move = (scores: Tensor): Tensor => {
    const row = ((head - 1) * tokens.length + at) * tokens.length;
    for (const [key, score] of moved) if (key <= word) scores.data[row + key - 1] = score;
    return scores;
  };
  const seen = model.activations(tokens, names, { hooks: { [`${block}.attn.hook_attn_scores`]: move } });
  /** A row of (…, heads, words, width) or (…, words, width). Several heads may share keys and values. */
  const rowOf = (name: string, row = at, of = head): Float32Array => {
    const { data, shape } = seen[name]!;
    const [heads = 1, rows = 1, width = 1] = shape.slice(-3);
    const from = (Math.floor(((of - 1) * heads) / model.numHeads) * rows + row) * width;
    return data.subarray(from, from + width);
  };
  const [q, rotatedQ, k, rotatedK, v, scores, z] = names as [string, string, string, string, string, string, string];
  const heads = Array.from({ length: model.numHeads }, (_, of) => [...rowOf(z, at, of + 1)]);
  const last = rowOf('ln_final.hook_normalized');
  return {
    input: rowOf(`${block}.hook_resid_pre`),
    query: { before: rowOf(q), after: rowOf(rotatedQ) },
    key: { before: rowOf(k), after: rowOf(rotatedK) },
    keys: tokens.map((_, row) => rowOf(rotatedK, row)),
    values: tokens.map((_, row) => rowOf(v, row)),
    scores: rowOf(scores).subarray(0, word),
    weights: rowOf(pattern(layer - 1)).subarray(0, word),
    mixture: rowOf(z),
    joined: Float32Array.from(heads.flat()),
    output: rowOf(`${block}.hook_attn_out`),
    logits: model.unembed({ data: last, shape: [last.length] }, { norm: false }).data,
    maps: layers.map((of) => seen[pattern(of)]!.data),
  };
}

/** The place of the largest of some numbers: the most likely token of logits. */
export function likeliest(values: Float32Array): number {
  return values.indexOf(values.reduce((a, b) => Math.max(a, b)));
}

/** A candidate for the next token. */
export interface Candidate {
  readonly token: number;
  readonly share: number;
}

/** All tokens, the most likely first: the softmax of logits that are divided by a temperature. */
export function candidatesOf(logits: Float32Array, temperature: number): Candidate[] {
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const shares = Array.from(logits, (logit) => Math.exp((logit - most) / temperature));
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((share, token) => ({ token, share: share / sum })).sort((a, b) => b.share - a.share);
}

/** The part of the words that has to look at the same place for a goal. */
const ENOUGH = 2 / 3;

/** Where the words from the third on look most: how many at the word before, and how many at the first one. */
export interface Looks {
  readonly before: number;
  readonly first: number;
  /** How many words there are, and how many are enough for a goal. */
  readonly all: number;
  readonly enough: number;
}

/** What a head does with a text of `count` words. The first two words have no choice. */
export function looksOf(map: Float32Array, head: number, count: number): Looks {
  let [before, first] = [0, 0];
  for (let row = 2; row < count; ++row) {
    const from = ((head - 1) * count + row) * count;
    const weights = map.subarray(from, from + row + 1);
    const most = likeliest(weights);
    if (most === row - 1) ++before;
    if (most === 0) ++first;
  }
  const all = Math.max(0, count - 2);
  // Of very few words, chance alone could be enough.
  return { before, first, all, enough: Math.max(3, Math.ceil(ENOUGH * all)) };
}
