import type { MultiHeadAttention, WasmAttention } from 'wasm-attention';
import { embeddingsOf, folded, isClipped, tokensOf, type Tokens } from '../shared/tokens.js';
import { HALF, HEADS, NORM, vectorsOf } from './designed-heads.js';

/** The most tokens of a sentence. With more, a phone could show less than a third of their names. */
export const MAX_TOKENS = 32;

/** The tokens on the axes, and every head's weights. */
export interface TokensScene {
  readonly queries: readonly string[];
  readonly keys: readonly string[];
  /** (queries, keys) per head. */
  readonly heads: readonly Float32Array[];
  /** (queries, keys), true where a query may attend; undefined if all may. */
  readonly mask: readonly boolean[] | undefined;
}

/** The settings on which a scene depends. */
export interface SceneSettings {
  readonly queries: readonly string[];
  readonly keys: readonly string[];
  readonly positions: boolean;
  readonly causal: boolean;
  /** BCP 47 tag; decides whether `I` and `i` are the same letter. */
  readonly language: string;
}

/** The tokens of the reader's text, or of the sample if the text is blank. */
export function sentenceOf(written: string, sample: string, language: string): Tokens {
  const own = tokensOf(written, language, MAX_TOKENS);
  const { tokens, cut } = own.tokens.length > 0 ? own : tokensOf(sample, language, MAX_TOKENS);
  return { tokens, cut: cut || isClipped(written) };
}

/** A pass through the layer of `designedLayer`. */
export function tokensScene(
  library: WasmAttention,
  layer: MultiHeadAttention,
  { queries, keys, positions, causal, language }: SceneSettings,
): TokensScene {
  const vectors = (tokens: readonly string[]) => {
    const plain = tokens.map((token) => folded(token, language));
    return vectorsOf(library, embeddingsOf(plain, HALF, NORM), positions);
  };
  const memory = vectors(keys);
  const { weights } = layer.forward(vectors(queries), memory, memory, {
    isCausal: causal,
    needWeights: true,
  });
  if (weights === undefined) throw new Error('tokensScene: expected weights, got none');
  const size = queries.length * keys.length;
  const visible = (i: number): boolean => i % keys.length <= Math.floor(i / keys.length);
  return {
    queries,
    keys,
    heads: HEADS.map((_, head) => weights.data.subarray(head * size, (head + 1) * size)),
    mask: causal ? Array.from({ length: size }, (_, i) => visible(i)) : undefined,
  };
}
