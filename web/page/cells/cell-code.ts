import type { EditorView } from '@codemirror/view';
import type { EditorOptions } from './editor.js';
import { recall, remember } from '../remembered.js';
import { LANGUAGES, type Language } from './language-tabs.js';

/** Where the browser remembers edited code, by the original. */
const STORE = 'wasm-attention code';

/** A cell's two listings, and the editor of the JavaScript once a reader opens it. */
export class CellCode {
  /** The current and the initial JavaScript. */
  text = '';
  original = '';
  /** The state of the editor. */
  editing: 'not' | 'loading' | 'here' | 'failed' = 'not';
  /** The initial listing. */
  #listing: Node | undefined;
  #editor: EditorView | undefined;

  /** `changed` is called when the cell has to render again. */
  constructor(
    private readonly cell: HTMLElement,
    private readonly changed: () => void,
  ) {}

  get edited(): boolean {
    return this.text !== this.original;
  }

  /** Reads the cell's listings as the originals, and what the reader has made of them before. */
  read(): void {
    this.cell
      .querySelectorAll(':scope > pre')
      .forEach((pre, index) => pre.setAttribute('slot', LANGUAGES[index] ?? ''));
    this.#listing = this.listing('javascript')?.cloneNode(true);
    this.text = this.original = (this.#listing?.textContent ?? '').replace(/\n$/, '');
    const edited = recall(STORE)[this.original];
    if (typeof edited === 'string') this.#take(edited);
  }

  listing(language: Language): Element | null {
    return this.cell.querySelector(`:scope > pre[slot="${language}"] > code`);
  }

  reset(): void {
    const editor = this.#editor;
    editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: this.original } });
    this.text = this.original;
    remember(STORE, this.original, undefined);
    if (this.#listing) this.listing('javascript')?.replaceWith(this.#listing.cloneNode(true));
    this.changed();
  }

  async edit(options: Omit<EditorOptions, 'code' | 'changed'>): Promise<void> {
    this.#become('loading');
    try {
      const { openEditor } = await import('./editor.js');
      this.#editor = openEditor({ ...options, code: this.text, changed: this.#take });
    } catch {
      this.#become('failed');
      return;
    }
    this.#become('here');
  }

  focus(): void {
    this.#editor?.focus();
  }

  #become(editing: CellCode['editing']): void {
    this.editing = editing;
    this.changed();
  }

  /** Printing shows the listing. */
  readonly #take = (text: string): void => {
    this.text = text;
    remember(STORE, this.original, this.edited ? text : undefined);
    const listing = this.listing('javascript');
    if (listing !== null) listing.textContent = text;
    this.changed();
  };
}
