import { html, LitElement, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { baseStyles, controlStyles, seriesStyles, tableStyles, widthObserver } from '../../elements/kit.js';
import { caretOffset } from './caret.js';
import { cellBar, LANGUAGES, type CellBar, type Language } from './cell-bar.js';
import { outputItem, verdict } from './cell-output.js';
import { CellRun } from './cell-run.js';
import { cellStyles, editorStyles } from './code-cell-styles.js';
import type { CellEditor } from './editor.js';
import { linesStyles } from './lines-plot.js';
import { cellWords } from './words.js';

/**
 * `<code-cell>`: two listings, one of JavaScript that readers may run and edit, one of PyTorch to read. The listings are the
 * element's children and stay there: without scripts, on paper and for search engines a cell is its text.
 *
 * `limit`: milliseconds that a run may take, default 10000.
 */
export class CodeCell extends LitElement {
  static override styles = [
    baseStyles,
    controlStyles,
    tableStyles,
    seriesStyles,
    linesStyles,
    cellStyles,
    editorStyles,
  ];
  static override properties = {
    limit: { type: Number },
    language: { state: true },
    copied: { state: true },
    edited: { state: true },
    editing: { state: true },
    pixels: { state: true },
  };

  declare limit: number;
  declare protected language: Language;
  declare protected copied: boolean;
  /** The code is no longer the original. */
  declare protected edited: boolean;
  /** The editor is there, or on its way. */
  declare protected editing: 'not' | 'loading' | 'here' | 'failed';
  declare protected pixels: number;

  readonly #words = cellWords(this);
  readonly #run = new CellRun(() => this.requestUpdate());
  readonly #observer = widthObserver((width) => (this.pixels = width));
  #original: { readonly listing: readonly Node[]; readonly code: string } = { listing: [], code: '' };
  #code = '';
  #editor: CellEditor | undefined;
  #editorPlace: Element | undefined;

  constructor() {
    super();
    this.limit = 10_000;
    this.language = 'javascript';
    this.copied = this.edited = false;
    this.editing = 'not';
    this.pixels = 600;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this);
    if (this.#original.listing.length > 0) return;
    this.querySelectorAll(':scope > pre').forEach((pre, index) =>
      pre.setAttribute('slot', LANGUAGES[index] ?? ''),
    );
    const listing = this.#listing('javascript');
    this.#original = {
      listing: Array.from(listing?.childNodes ?? [], (node) => node.cloneNode(true)),
      code: (listing?.textContent ?? '').replace(/\n$/, ''),
    };
    this.#code = this.#original.code;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#run.stop();
  }

  protected override render(): TemplateResult {
    const { status, outputs } = this.#run;
    const javascript = this.language === 'javascript';
    const quiet = ['idle', 'done', 'running'].includes(status.state);
    const said =
      this.editing === 'failed' && quiet
        ? this.#words.text('cell.noEditor')
        : verdict(status, this.#words, this.limit / 1000);
    return html`
      <div class="bar" @keydown=${this.#onKey}>${cellBar(this.#words, this.#bar())}</div>
      <div
        id="panel-javascript"
        class="panel code"
        role="tabpanel"
        aria-labelledby="tab-javascript"
        ?hidden=${!javascript}
        @click=${this.#editAtClick}
        @keydown=${this.#onKey}
      >
        <div ?hidden=${this.editing === 'here'} class="listing"><slot name="javascript"></slot></div>
        <div class="editor" ${ref((place) => (this.#editorPlace = place))}></div>
        <span id="help" hidden>${this.#words.text('cell.editorHelp')}</span>
      </div>
      <div
        id="panel-pytorch"
        class="panel"
        role="tabpanel"
        aria-labelledby="tab-pytorch"
        ?hidden=${javascript}
      >
        <slot name="pytorch"></slot>
      </div>
      <div
        class=${outputs.length > 0 ? 'output' : 'output blank'}
        role="log"
        ?hidden=${!javascript}
        aria-label=${this.#words.text('cell.output')}
      >
        ${outputs.map((output) => outputItem(output, this.pixels - 36, this.#words))}
      </div>
      <p
        class="status ${quiet ? '' : 'off'} ${said === '' ? 'blank' : ''}"
        role="status"
        ?hidden=${!javascript}
      >
        ${said}
      </p>
    `;
  }

  #bar(): CellBar {
    const { state } = this.#run.status;
    return {
      language: this.language,
      running: state === 'running',
      editable: this.editing !== 'here',
      touched: this.edited || state !== 'idle',
      copied: this.copied,
      choose: (language) => (this.language = language),
      start: this.#start,
      stop: () => this.#run.stop(),
      edit: () => void this.#edit(0),
      reset: this.#reset,
      copy: () => void this.#copy(),
    };
  }

  readonly #start = (): void => void this.#run.start(this.#code, this.limit);

  readonly #reset = (): void => {
    this.#run.clear();
    this.#editor?.replace(this.#original.code);
    this.#listing('javascript')?.replaceChildren(
      ...this.#original.listing.map((node) => node.cloneNode(true)),
    );
    this.#code = this.#original.code;
    this.edited = false;
    this.shadowRoot?.querySelector<HTMLElement>('.run')?.focus();
  };

  readonly #copy = async (): Promise<void> => {
    const listing = this.#listing(this.language);
    try {
      await navigator.clipboard.writeText(
        this.language === 'javascript' ? this.#code : (listing?.textContent ?? ''),
      );
    } catch {
      // The browser does not let pages copy: the reader's own key can.
      if (listing != null) getSelection()?.selectAllChildren(listing);
      return;
    }
    this.copied = true;
    setTimeout(() => (this.copied = false), 2000);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    if (this.language !== 'javascript') return;
    event.preventDefault();
    this.#start();
  };

  readonly #editAtClick = (event: MouseEvent): void => {
    const listing = this.#listing('javascript');
    // Who selects text wants to copy it.
    if (this.editing !== 'not' || listing == null || getSelection()?.isCollapsed === false) return;
    void this.#edit(caretOffset(listing, event.clientX, event.clientY));
  };

  async #edit(position: number): Promise<void> {
    const parent = this.#editorPlace;
    if (this.editing === 'loading' || this.#editor !== undefined || !(parent instanceof HTMLElement)) return;
    this.editing = 'loading';
    try {
      const { openEditor } = await import('./editor.js');
      this.#editor = openEditor({
        parent,
        root: this.renderRoot as ShadowRoot,
        code: this.#code,
        position,
        label: this.#words.text('cell.editor'),
        help: 'help',
        run: this.#start,
        changed: this.#take,
      });
    } catch {
      this.editing = 'failed';
      return;
    }
    this.editing = 'here';
    await this.updateComplete;
    this.#editor.focus();
  }

  /** The listing is what prints. */
  readonly #take = (code: string): void => {
    this.#code = code;
    this.edited = code !== this.#original.code;
    const listing = this.#listing('javascript');
    if (listing != null) listing.textContent = code;
  };

  #listing(language: Language): Element | null {
    return this.querySelector(`:scope > pre[slot="${language}"] > code`);
  }
}

customElements.define('code-cell', CodeCell);

declare global {
  interface HTMLElementTagNameMap {
    'code-cell': CodeCell;
  }
}
