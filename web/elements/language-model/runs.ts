import type { Writer } from '../shared/story/writer.js';
import { AS_TRAINED, likelihood, repetition, Run, type Changes } from './run.js';

/** The model's text as trained, and with changes if there are any. */
export interface Shown {
  readonly plain: Run;
  readonly changed: Run | undefined;
}

/** How good a story the changed model has written. */
export interface Verdict {
  /** How likely the model as trained finds it, and the story that it has written itself. */
  readonly share: number;
  readonly own: number;
  /** How much of it is repetition. */
  readonly repetition: number;
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
  #verdict: (Verdict & { readonly key: string }) | undefined;

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

  /** How good the text with changes is, once both are written. */
  verdict(writer: Writer, given: number): Verdict | undefined {
    const [plain, changed] = [this.#plain?.run, this.#changed?.run];
    if (plain === undefined || changed === undefined || plain.canContinue || changed.canContinue) return undefined;
    const { key } = this.#changed!;
    if (this.#verdict?.key !== key) {
      const of = ({ tokens }: Run): number => likelihood(writer, tokens, given);
      this.#verdict = { key, share: of(changed), own: of(plain), repetition: repetition(changed.tokens, given) };
    }
    return this.#verdict;
  }

  dispose(): void {
    for (const kept of [this.#plain, this.#changed]) kept?.run.dispose();
    this.#plain = this.#changed = undefined;
  }
}
