import type { Writer } from '../shared/story/writer.js';
import { HEADS, MOST } from './settings.js';

/** The changes to a run. */
export interface Changes {
  /** Whether the model has its positions. */
  readonly positions: boolean;
  /** Silenced heads, each `layer.head` from 1. */
  readonly silent: readonly string[];
}

export const AS_TRAINED: Changes = { positions: true, silent: [] };

/** A text generated greedily, with the weights of all heads along the way. */
export class Run {
  readonly #cache: ReturnType<Writer['model']['createCache']>;
  readonly #tokens: number[] = [];
  readonly #pieces: string[] = [];
  /** For each layer and head, the rows of its map, `MOST` numbers each. */
  readonly #rows: readonly Float32Array[];
  #next = 0;

  /** @param length  how many tokens the text has in the end */
  constructor(
    private readonly writer: Writer,
    beginning: readonly number[],
    private readonly changes: Changes,
    private readonly length: number,
  ) {
    const { model } = writer;
    this.#cache = model.createCache({ maxLength: MOST });
    this.#rows = Array.from({ length: model.numLayers * model.numHeads }, () => new Float32Array(MOST * MOST));
    this.#read(beginning);
  }

  /** All tokens, including the beginning. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /** The text of each token. Of the tokens of one character, all but the last have none. */
  get pieces(): readonly string[] {
    return this.#pieces;
  }

  /** Whether there is more to write. */
  get canContinue(): boolean {
    return this.#tokens.length < this.length;
  }

  /** Writes up to `count` of the most likely tokens. */
  write(count: number): void {
    for (let i = 0; i < count && this.canContinue; ++i) this.#read([this.#next]);
  }

  /** What token `at` gives to those up to it, in a head; layer and head from 1. */
  looks(layer: number, head: number, at: number): Float32Array {
    return this.#rows[(layer - 1) * HEADS + head - 1]!.subarray(at * MOST, at * MOST + at + 1);
  }

  dispose(): void {
    this.#cache.dispose();
  }

  #read(tokens: readonly number[]): void {
    const past = this.#tokens.length;
    const { logits, weights } = this.writer.model.forward(tokens, {
      cache: this.#cache,
      lastOnly: true,
      needWeights: true,
      ...optionsOf(this.changes),
    });
    for (const token of tokens) {
      const { length } = this.#pieces.join('');
      this.#tokens.push(token);
      this.#pieces.push(this.writer.textOf(this.#tokens).slice(length));
    }
    this.#next = logits!.data.indexOf(Math.max(...logits!.data));
    const keys = this.#tokens.length;
    weights!.forEach(({ data }, layer) => {
      for (let head = 0; head < HEADS; ++head) {
        tokens.forEach((_, row) => {
          const from = (head * tokens.length + row) * keys;
          this.#rows[layer * HEADS + head]!.set(data.subarray(from, from + keys), (past + row) * MOST);
        });
      }
    });
  }
}

/** The same for a pass of the model. */
export function optionsOf({ positions, silent }: Changes): { positions?: 'none'; ablate: [number, number][] } {
  return {
    ablate: silent.map((name) => name.split('.').map((number) => Number(number) - 1) as [number, number]),
    ...(!positions && { positions: 'none' }),
  };
}

/** The share of the tokens behind the first `given` ones that end four tokens that the text already has. */
export function repetition(tokens: readonly number[], given: number): number {
  const ends = tokens.map((_, at) => (at < 3 ? undefined : tokens.slice(at - 3, at + 1).join()));
  const written = ends.slice(given);
  const repeats = written.filter((end, i) => end !== undefined && ends.indexOf(end) < given + i);
  return written.length === 0 ? 0 : repeats.length / written.length;
}

/**
 * How likely the model as trained finds the tokens behind the first `given` ones: the geometric mean of their
 * probabilities, which is one over the perplexity. 1 if there are none.
 */
export function likelihood({ model }: Writer, tokens: readonly number[], given: number): number {
  const written = tokens.slice(given);
  if (written.length === 0) return 1;
  const { data } = model.forward(tokens.slice(0, -1)).logits!;
  const sum = written.reduce((sum, token, i) => {
    const logits = data.subarray((given + i - 1) * model.vocabSize, (given + i) * model.vocabSize);
    const most = Math.max(...logits);
    const all = logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0);
    return sum + logits[token]! - most - Math.log(all);
  }, 0);
  return Math.exp(sum / written.length);
}
