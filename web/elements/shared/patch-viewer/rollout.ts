import type { Heads } from '../heads/heads.js';

/**
 * Attention rollout: how much each token of the input has reached a token after some layers, if attention and residual
 * connections, half each, are all that moves it. Layer i's matrix is Aᵢ = ½ W̄ᵢ + ½ I, where W̄ᵢ is the mean of its heads'
 * weights; the rollout after layer l is Aₗ ⋯ A₂ A₁. Silent heads move nothing, so they are not in the mean.
 *
 * Source: Abnar & Zuidema (2020), "Quantifying Attention Flow in Transformers", section 3.
 */
export class Rollout {
  /** The heads' mean in each layer, for the first layers. */
  readonly #means: Float32Array[] = [];

  /**
   * @param tokens their number T; maps are (T, T)
   * @param silent the silent heads, each `layer.head`
   */
  constructor(
    private readonly heads: Pick<Heads, 'heads' | 'mapOf'>,
    private readonly tokens: number,
    private readonly silent: ReadonlySet<string>,
  ) {}

  /** Takes the mean of one more layer, and returns true, until those up to `layer` are known. */
  prepare(layer: number): boolean {
    const next = this.#means.length + 1;
    if (next > layer) return false;
    const size = this.tokens * this.tokens;
    const mean = new Float32Array(size);
    const live = Array.from({ length: this.heads.heads }, (_, i) => i + 1).filter(
      (head) => !this.silent.has(`${next}.${head}`),
    );
    for (const head of live) {
      const map = this.heads.mapOf(next, head);
      for (let i = 0; i < size; ++i) mean[i]! += map[i]! / live.length;
    }
    // Without heads the residual connection is all there is.
    if (live.length === 0) for (let t = 0; t < this.tokens; ++t) mean[t * this.tokens + t] = 1;
    this.#means.push(mean);
    return true;
  }

  /** Whether the means up to `layer` are known. */
  isReady(layer: number): boolean {
    return this.#means.length >= layer;
  }

  /**
   * A token's row of the rollout after `layer`: a product of a row and the layers' matrices, from the last to the first.
   */
  rowOf(layer: number, token: number): Float64Array {
    const { tokens } = this;
    let row = new Float64Array(tokens);
    row[token] = 1;
    for (const mean of this.#means.slice(0, layer).reverse()) {
      const next = row.map((value) => value / 2);
      for (let from = 0; from < tokens; ++from) {
        const half = row[from]! / 2;
        if (half === 0) continue;
        for (let to = 0; to < tokens; ++to) next[to]! += half * mean[from * tokens + to]!;
      }
      row = next;
    }
    return row;
  }
}
