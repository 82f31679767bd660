import type { ModelCache, ModelResult } from 'wasm-attention/models';
import type { Heads } from '../shared/heads/heads.js';
import type { Writer } from '../shared/story/writer.js';

/** The most tokens of a run: a larger map could not be read. */
export const MOST = 128;

/** The changes to a run. */
export interface Changes {
  /** Whether the model has its positions. */
  readonly positions: boolean;
  /** How many tokens back a token sees, including itself; 0 for all. */
  readonly window: number;
  /** Silenced heads, each `layer.head` from 1. */
  readonly silent: readonly string[];
}

/** A candidate for the next token. */
export interface Candidate {
  readonly token: number;
  readonly probability: number;
}

/** A text generated greedily, with the weights of all heads along the way. */
export class Run {
  readonly #writer: Writer;
  readonly #changes: Changes;
  readonly #cache: ModelCache;
  readonly #tokens: number[] = [];
  /** For each layer and head, the rows of its map, `MOST` numbers each. */
  readonly #rows: readonly Float32Array[];
  #logits = new Float32Array();

  constructor(writer: Writer, beginning: readonly number[], changes: Changes) {
    const { model } = writer;
    this.#writer = writer;
    this.#changes = changes;
    this.#cache = model.createCache({ maxLength: MOST });
    this.#rows = Array.from({ length: model.numLayers * model.numHeads }, () => new Float32Array(MOST * MOST));
    this.#read(beginning);
  }

  /** All tokens, including the beginning. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /** Whether another token fits. */
  get canContinue(): boolean {
    return this.#tokens.length < MOST;
  }

  /** Generates one token. */
  write(): void {
    const [first] = this.candidates(1);
    if (first !== undefined && this.canContinue) this.#read([first.token]);
  }

  /** The most likely next tokens, with their probabilities. */
  candidates(count: number): Candidate[] {
    const most = this.#logits.reduce((a, b) => Math.max(a, b), -Infinity);
    const shares = Array.from(this.#logits, (logit) => Math.exp(logit - most));
    const sum = shares.reduce((a, b) => a + b, 0);
    return shares
      .map((share, token) => ({ token, probability: share / sum }))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, count);
  }

  /** The weights of all heads so far. */
  heads(): Heads {
    const { model, nameOf } = this.#writer;
    const length = this.#tokens.length;
    const names = this.#tokens.map(nameOf);
    const maps = this.#rows.map((rows) => {
      const map = new Float32Array(length * length);
      for (let row = 0; row < length; ++row) map.set(rows.subarray(row * MOST, row * MOST + length), row * length);
      return map;
    });
    const { window } = this.#changes;
    const mask = Array.from({ length: length * length }, (_, at) => {
      const back = Math.floor(at / length) - (at % length);
      return back >= 0 && (window === 0 || back < window);
    });
    const { numLayers: layers, numHeads: heads } = model;
    const mapOf = (layer: number, head: number): ArrayLike<number> => maps[(layer - 1) * heads + head - 1] ?? [];
    return { layers, heads, tokens: names, keyTokens: names, mapOf, mask };
  }

  dispose(): void {
    this.#cache.dispose();
  }

  #read(tokens: readonly number[]): void {
    const { positions, window, silent } = this.#changes;
    const past = this.#tokens.length;
    const { logits, weights } = this.#writer.model.forward(tokens, {
      cache: this.#cache,
      lastOnly: true,
      needWeights: true,
      ablate: silent.map((name) => name.split('.').map((number) => Number(number) - 1) as [number, number]),
      ...(!positions && { positions: 'none' as const }),
      ...(window > 0 && { window }),
    });
    this.#logits = Float32Array.from(logits?.data ?? []);
    this.#keep(weights ?? [], tokens.length, past);
    this.#tokens.push(...tokens);
  }

  #keep(weights: NonNullable<ModelResult['weights']>, count: number, past: number): void {
    const keys = past + count;
    weights.forEach(({ data }, layer) => {
      const heads = data.length / (count * keys);
      for (let head = 0; head < heads; ++head) {
        for (let row = 0; row < count; ++row) {
          const from = (head * count + row) * keys;
          this.#rows[layer * heads + head]?.set(data.subarray(from, from + keys), (past + row) * MOST);
        }
      }
    });
  }
}
