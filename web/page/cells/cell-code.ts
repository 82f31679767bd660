import { caretOffset } from './caret.js';
import { LANGUAGES, type Language } from './cell-bar.js';
import type { CellEditor, EditorOptions } from './editor.js';

/** A cell's two listings, and the editor of the JavaScript once a reader wants it. */
export class CellCode {
  /** The JavaScript as it is now. */
  text = '';
  /** It is no longer the original. */
  edited = false;
  /** The editor is there, or on its way. */
  editing: 'not' | 'loading' | 'here' | 'failed' = 'not';
  #original: { readonly listing: readonly Node[]; readonly text: string } | undefined;
  #editor: CellEditor | undefined;

  /** `changed` is called whenever there is something new to show. */
  constructor(
    private readonly cell: HTMLElement,
    private readonly changed: () => void,
  ) {}

  /** Takes the listings that the cell has as the originals, the first time. Returns whether it was that. */
  read(): boolean {
    if (this.#original !== undefined) return false;
    this.cell
      .querySelectorAll(':scope > pre')
      .forEach((pre, index) => pre.setAttribute('slot', LANGUAGES[index] ?? ''));
    const listing = this.listing('javascript');
    this.text = (listing?.textContent ?? '').replace(/\n$/, '');
    this.#original = {
      listing: Array.from(listing?.childNodes ?? [], (node) => node.cloneNode(true)),
      text: this.text,
    };
    return true;
  }

  listing(language: Language): Element | null {
    return this.cell.querySelector(`:scope > pre[slot="${language}"] > code`);
  }

  reset(): void {
    const { listing = [], text = '' } = this.#original ?? {};
    this.#editor?.replace(text);
    this.listing('javascript')?.replaceChildren(...listing.map((node) => node.cloneNode(true)));
    this.text = text;
    this.edited = false;
    this.changed();
  }

  /** Opens the editor where the reader has clicked, unless to select text. */
  async editAt({ clientX, clientY }: MouseEvent, options: CellEditorOptions): Promise<void> {
    const listing = this.listing('javascript');
    // Who selects text wants to copy it.
    if (this.editing !== 'not' || listing === null || getSelection()?.isCollapsed === false) return;
    await this.edit(caretOffset(listing, clientX, clientY), options);
  }

  /** Opens the editor with the cursor at `position`. */
  async edit(position: number, options: CellEditorOptions): Promise<void> {
    if (this.editing === 'loading' || this.#editor !== undefined) return;
    this.#become('loading');
    try {
      const { openEditor } = await import('./editor.js');
      this.#editor = openEditor({ ...options, code: this.text, position, changed: this.#take });
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

  /** The listing is what prints. */
  readonly #take = (text: string): void => {
    this.text = text;
    this.edited = text !== this.#original?.text;
    const listing = this.listing('javascript');
    if (listing !== null) listing.textContent = text;
    this.changed();
  };
}

/** What the element knows of its editor. */
export type CellEditorOptions = Pick<EditorOptions, 'parent' | 'root' | 'label' | 'help' | 'run'>;
