import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { baseStyles, controlStyles, seriesStyles, tableStyles, widthObserver } from '../../elements/kit.js';
import { cellBar, type CellBar, type Language } from './cell-bar.js';
import { CellCode, type CellEditorOptions } from './cell-code.js';
import { originOf, outputItem, statusClass, verdict } from './cell-output.js';
import { CellRun } from './cell-run.js';
import { cellStyles, editorStyles } from './code-cell-styles.js';
import { linesStyles } from './lines-plot.js';
import { unpackOutputs } from './printed-outputs.js';
import { cellWords } from './words.js';

/**
 * `<code-cell>`: two listings, one of JavaScript that readers may run and edit, one of PyTorch to read. The listings are the
 * element's children and stay there: without scripts, on paper and for search engines a cell is its text. Between them stands what the
 * JavaScript has printed when the page was built, if it was run then (../plugins/printed.ts).
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
    pixels: { state: true },
  };

  declare limit: number;
  declare protected language: Language;
  declare protected copied: boolean;
  declare protected pixels: number;

  readonly #words = cellWords(this);
  readonly #run = new CellRun(() => this.requestUpdate());
  readonly #observer = widthObserver((width) => (this.pixels = width));
  readonly #code = new CellCode(this, () => this.requestUpdate());
  #editorPlace: Element | undefined;

  constructor() {
    super();
    this.limit = 10_000;
    this.language = 'javascript';
    this.copied = false;
    this.pixels = 600;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this);
    if (!this.#code.read()) return;
    const { outputs } = this.querySelector<HTMLElement>(':scope > .printed')?.dataset ?? {};
    if (outputs !== undefined) this.#run.print(unpackOutputs(outputs), this.#code.text);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#run.stop();
  }

  protected override render(): TemplateResult {
    const { status, shown } = this.#run;
    const { outputs } = shown;
    const { editing } = this.#code;
    const javascript = this.language === 'javascript';
    const quiet = ['idle', 'done', 'running'].includes(status.state);
    const said =
      editing === 'failed' && quiet
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
        <div ?hidden=${editing === 'here'} class="listing"><slot name="javascript"></slot></div>
        <div class="editor" ${ref((place) => (this.#editorPlace = place))}></div>
        <span id="help" hidden>${this.#words.text('cell.editorHelp')}</span>
      </div>
      ${
        outputs.length === 0
          ? nothing
          : html`<p class="origin" ?hidden=${!javascript}>
              ${this.#words.text(originOf(shown, this.#code.text))}
            </p>`
      }
      <div
        class=${outputs.length > 0 ? 'output' : 'output blank'}
        role="log"
        ?hidden=${!javascript}
        aria-label=${this.#words.text('cell.output')}
      >
        ${outputs.map((output) => outputItem(output, this.pixels - 36, this.#words))}
      </div>
      <p class=${statusClass(status.state, quiet, said)} role="status" ?hidden=${!javascript}>${said}</p>
      <div
        id="panel-pytorch"
        class="panel"
        role="tabpanel"
        aria-labelledby="tab-pytorch"
        ?hidden=${javascript}
      >
        <slot name="pytorch"></slot>
      </div>
    `;
  }

  #bar(): CellBar {
    const { state } = this.#run.status;
    return {
      language: this.language,
      running: state === 'running',
      editable: this.#code.editing !== 'here',
      touched: this.#code.edited || state !== 'idle',
      copied: this.copied,
      choose: (language) => (this.language = language),
      start: this.#start,
      stop: () => this.#run.stop(),
      edit: () => void this.#edit((options) => this.#code.edit(0, options)),
      reset: this.#reset,
      copy: () => void this.#copy(),
    };
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
      await navigator.clipboard.writeText(
        this.language === 'javascript' ? this.#code.text : (listing?.textContent ?? ''),
      );
    } catch {
      // The browser does not let pages copy: the reader's own key can.
      if (listing !== null) getSelection()?.selectAllChildren(listing);
      return;
    }
    this.copied = true;
    setTimeout(() => (this.copied = false), 2000);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    // It leaves the editor, and nothing around the cell.
    if (event.key === 'Escape' && (event.target as Element).closest('.editor')) event.stopPropagation();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    if (this.language !== 'javascript') return;
    event.preventDefault();
    this.#start();
  };

  readonly #editAtClick = (event: MouseEvent): void =>
    void this.#edit((options) => this.#code.editAt(event, options));

  async #edit(open: (options: CellEditorOptions) => Promise<void>): Promise<void> {
    const parent = this.#editorPlace;
    if (this.#code.editing === 'here' || !(parent instanceof HTMLElement)) return;
    await open({
      parent,
      root: this.renderRoot as ShadowRoot,
      label: this.#words.text('cell.editor'),
      help: 'help',
      run: this.#start,
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
