import type { Heads } from '../shared/heads/heads.js';
import type { Writer } from '../shared/story/writer.js';
import { MOST, Run, type Changes } from './run.js';

/** No changes. */
export const AS_TRAINED: Changes = { positions: true, window: 0, silent: [] };

/** The model's text as trained, and with changes if there are any. */
export interface Shown {
  readonly plain: Run;
  readonly changed: Run | undefined;
}

/** A run, and its beginning. */
interface Kept {
  readonly key: string;
  readonly run: Run;
}

/** A figure's texts; existing ones are only continued. */
export class Runs {
  #plain: Kept | undefined;
  #changed: Kept | undefined;
  #heads: { readonly key: string; readonly heads: Heads } | undefined;

  /** The texts with up to `steps` tokens after the beginning. */
  upTo(writer: Writer, beginning: readonly number[], steps: number, changes: Changes | undefined): Shown {
    const length = Math.min(MOST, beginning.length + steps);
    const continued = (kept: Kept | undefined, changes: Changes): Kept => {
      const key = JSON.stringify([beginning, changes]);
      let { run } = kept ?? {};
      if (kept?.key !== key || run === undefined || run.tokens.length > length) {
        run?.dispose();
        run = new Run(writer, beginning, changes);
      }
      while (run.tokens.length < length) run.write();
      return { key, run };
    };
    this.#plain = continued(this.#plain, AS_TRAINED);
    if (changes === undefined) {
      this.#changed?.run.dispose();
      this.#changed = undefined;
    } else {
      this.#changed = continued(this.#changed, changes);
    }
    return { plain: this.#plain.run, changed: this.#changed?.run };
  }

  /** The maps of the text with changes, or else of the other, computed again only when it has grown. */
  heads(): Heads {
    const { key: begun, run } = this.#changed ?? this.#plain!;
    const key = `${begun} ${run.tokens.length}`;
    if (this.#heads?.key !== key) this.#heads = { key, heads: run.heads() };
    return this.#heads.heads;
  }

  dispose(): void {
    for (const kept of [this.#plain, this.#changed]) kept?.run.dispose();
    this.#plain = this.#changed = this.#heads = undefined;
  }
}
