import type { Writer } from '../shared/story/writer.js';
import { AS_TRAINED, likelihood, Run, type Changes } from './run.js';

/** The model's text as trained, and with changes if there are any. */
export interface Shown {
  readonly plain: Run;
  readonly changed: Run | undefined;
}

/** A run, and what it was made of. */
interface Kept {
  readonly key: string;
  readonly run: Run;
}

/** A figure's texts; an existing one is kept as long as its beginning and its changes are the same. */
export class Runs {
  #plain: Kept | undefined;
  #changed: Kept | undefined;
  #likelihood: { readonly key: string; readonly value: number } | undefined;

  /** The texts of these settings; a new one has only its beginning yet. `changes` are undefined for none. */
  of(writer: Writer, beginning: readonly number[], steps: number, changes: Changes | undefined): Shown {
    const kept = (before: Kept | undefined, changes: Changes): Kept => {
      const key = JSON.stringify([beginning, steps, changes]);
      if (before?.key === key) return before;
      before?.run.dispose();
      return { key, run: new Run(writer, beginning, changes, beginning.length + steps) };
    };
    this.#plain = kept(this.#plain, AS_TRAINED);
    if (changes === undefined) this.#changed?.run.dispose();
    this.#changed = changes && kept(this.#changed, changes);
    return { plain: this.#plain.run, changed: this.#changed?.run };
  }

  /** How likely the model as trained finds the text with changes, once that is written. */
  likelihood(writer: Writer, given: number): number | undefined {
    const { key, run } = this.#changed ?? {};
    if (key === undefined || run === undefined || run.canContinue) return undefined;
    if (this.#likelihood?.key !== key) this.#likelihood = { key, value: likelihood(writer, run.tokens, given) };
    return this.#likelihood.value;
  }

  dispose(): void {
    for (const kept of [this.#plain, this.#changed]) kept?.run.dispose();
    this.#plain = this.#changed = undefined;
  }
}
