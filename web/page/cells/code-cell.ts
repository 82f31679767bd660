import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { baseStyles, controlStyles, Localised, seriesStyles, tableStyles, Width } from '../../elements/kit.js';
import { caretOffset } from './caret.js';
import { CellCode } from './cell-code.js';
import { outputItem, verdict } from './cell-output.js';
import { CellRun } from './cell-run.js';
import { cellStyles } from './code-cell-styles.js';
import { languageTabs, type Language } from './language-tabs.js';
import { linesStyles } from './lines-plot.js';
import { unpackOutputs } from './printed-outputs.js';
import { CELLS, type CellWords } from './words.js';

/**
 * `<code-cell>`: two listings, JavaScript that readers may run and edit, and the same in PyTorch to read. The listings
 * are the element's children and stay there, so that without scripts, on paper and for search engines a cell is its
 * text. Between them is the output of the JavaScript if it was run when the page was built (../plugins/printed.ts).
 *
 * `limit`: how many milliseconds a run may take, default 10000.
 */
export class CodeCell extends LitElement {
  static override styles = [baseStyles, controlStyles, tableStyles, seriesStyles, linesStyles, cellStyles];
  static override properties = {
    limit: { type: Number },
    language: { state: true },
    copied: { state: true },
  };

  declare limit: number;
  declare protected language: Language;
  declare protected copied: boolean;

  readonly #words: CellWords = new Localised(this, CELLS);
  readonly #run = new CellRun(() => this.requestUpdate());
  readonly #width = new Width(this);
  readonly #code = new CellCode(this, () => this.requestUpdate());

  constructor() {
    super();
    this.limit = 10_000;
    this.language = 'javascript';
    this.copied = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) return;
    this.#code.read();
    const { outputs } = this.querySelector<HTMLElement>(':scope > .printed')?.dataset ?? {};
    if (outputs !== undefined) this.#run.print(unpackOutputs(outputs), this.#code.original);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#run.stop();
  }

  protected override performUpdate(): void {
    const begun = performance.now();
    super.performUpdate();
    this.#run.drew(performance.now() - begun);
  }

  protected override render(): TemplateResult {
    const { status, shown } = this.#run;
    const { outputs, code, own } = shown;
    const { editing, text } = this.#code;
    const origin = code !== text ? 'cell.outdated' : own ? 'cell.ran' : 'cell.printed';
    const javascript = this.language === 'javascript';
    const quiet = ['idle', 'done', 'running'].includes(status.state);
    const isReadOnly = editing === 'failed' && quiet;
    const said = isReadOnly
      ? this.#words.text('cell.noEditor')
      : verdict(status, this.#words, this.limit / 1000, outputs.length);
    const width = this.#width.pixels - 36;
    // Only announced, since the button has changed: a visible line would move the page.
    const look = isReadOnly ? 'status' : quiet ? 'spoken' : 'status off';
    return html`
      <div class="bar" @keydown=${this.#onKey}>
        ${languageTabs(this.#words, this.language, (language) => (this.language = language))}
        <div class="actions">
          ${javascript ? this.#actions() : nothing}
          <button type="button" @click=${this.#copy}>
            ${this.#words.text(this.copied ? 'tools.copied' : 'tools.copy')}
          </button>
          <span class="spoken" role="status">${this.copied ? this.#words.text('tools.copied') : ''}</span>
        </div>
      </div>
      <div id="panel-javascript" class="panel" role="tabpanel" aria-labelledby="tab-javascript" ?hidden=${!javascript}>
        <div class="code" @click=${this.#editAtClick} @keydown=${this.#onKey}>
          <div ?hidden=${editing === 'here'} class="listing"><slot name="javascript"></slot></div>
          <div class="editor"></div>
          <span id="help" hidden>${this.#words.text('cell.editorHelp')}</span>
        </div>
        <p class=${look} role="status">${said}</p>
        ${outputs.length === 0 ? nothing : html`<p class="origin">${this.#words.text(origin)}</p>`}
        <div class="output" role="log" aria-label=${this.#words.text('cell.output')}>
          ${outputs.map((output) =>
            // An output that is there is not drawn again with each that comes.
            guard([output, width, this.#words.language, this.#words.ready], () =>
              outputItem(output, width, this.#words),
            ),
          )}
        </div>
      </div>
      <div id="panel-pytorch" class="panel" role="tabpanel" aria-labelledby="tab-pytorch" ?hidden=${javascript}>
        <slot name="pytorch"></slot>
      </div>
    `;
  }

  /** The buttons for the JavaScript. */
  #actions(): TemplateResult {
    const words = this.#words;
    const { state } = this.#run.status;
    const running = state === 'running';
    const { editing, edited } = this.#code;
    // Buttons that come and go are first: the row is right-aligned, so the others keep their places.
    return html`
      <button type="button" ?hidden=${!edited && state === 'idle'} @click=${this.#reset}>
        ${words.text('tools.reset')}
      </button>
      <button
        type="button"
        class="run"
        aria-keyshortcuts="Control+Enter Meta+Enter"
        title="Ctrl/⌘ + Enter"
        @click=${running ? () => this.#run.stop() : this.#start}
      >
        ${words.text(running ? 'cell.stop' : 'cell.run')}
      </button>
      <button type="button" ?disabled=${editing === 'here'} @click=${() => this.#edit(0)}>
        ${words.text('cell.edit')}
      </button>
    `;
  }

  readonly #start = (): void => void this.#run.start(this.#code.text, this.limit);

  readonly #reset = (): void => {
    this.#run.clear();
    this.#code.reset();
    this.shadowRoot?.querySelector<HTMLElement>('.run')?.focus();
  };

  readonly #copy = async (): Promise<void> => {
    const listing = this.#code.listing(this.language);
    try {
      await navigator.clipboard.writeText(listing?.textContent.trimEnd() ?? '');
    } catch {
      // The browser does not let the page copy; the reader can still use the keyboard.
      if (listing !== null) getSelection()?.selectAllChildren(listing);
      return;
    }
    this.copied = true;
    setTimeout(() => (this.copied = false), 2000);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    // Escape leaves only the editor.
    if (event.key === 'Escape' && (event.target as Element).closest('.editor')) event.stopPropagation();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    if (this.language !== 'javascript') return;
    event.preventDefault();
    this.#start();
  };

  /** Opens the editor at the click. */
  readonly #editAtClick = ({ clientX, clientY }: MouseEvent): void => {
    const listing = this.#code.listing('javascript');
    // Readers who select text want to copy it.
    if (listing === null || getSelection()?.isCollapsed === false) return;
    void this.#edit(caretOffset(listing, clientX, clientY));
  };

  /** Opens the editor with the cursor at `position`. */
  async #edit(position: number): Promise<void> {
    const parent = this.renderRoot.querySelector<HTMLElement>('.editor');
    if (parent === null || ['loading', 'here'].includes(this.#code.editing)) return;
    await this.#code.edit({
      parent,
      root: this.renderRoot as ShadowRoot,
      position,
      label: this.#words.text('cell.editor'),
      help: 'help',
    });
    await this.updateComplete;
    this.#code.focus();
  }
}

customElements.define('code-cell', CodeCell);

declare global {
  interface HTMLElementTagNameMap {
    'code-cell': CodeCell;
  }
}
