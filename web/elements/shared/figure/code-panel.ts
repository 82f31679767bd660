import { html, nothing, type LitElement, type TemplateResult } from 'lit';
import { liveCode } from '../../live-code.js';
import { choice } from '../controls/controls.js';
import type { Localised } from '../localised.js';
import type { FigureCode } from './figure-data.js';
import type { Tool } from './tool-menu.js';

type CodeLanguage = keyof FigureCode;

const NAMES: Readonly<Record<CodeLanguage, string>> = { javascript: 'JavaScript', pytorch: 'PyTorch' };

/** A figure's state as code in one of two languages, as a listing, or as a cell if the page can run code. */
export class CodePanel {
  #listing = false;
  /** Removes the page's cell. */
  #closeCell: (() => void) | undefined;
  #language: CodeLanguage = 'javascript';

  /** `copy` copies a text, or selects the listing if it cannot. */
  constructor(
    private readonly figure: LitElement,
    private readonly words: Localised,
    private readonly copy: (text: string) => void,
  ) {}

  get open(): boolean {
    return this.#listing || this.#closeCell !== undefined;
  }

  close(): void {
    this.#closeCell?.();
    this.#closeCell = undefined;
    this.#listing = false;
    this.figure.requestUpdate();
  }

  tool(pressed: () => void): Tool {
    const choose = (): void => {
      const opens = !this.open;
      this.close();
      this.#listing = opens;
      pressed();
    };
    return { name: 'tools.code', choose, open: this.open };
  }

  render(code: () => FigureCode): TemplateResult | typeof nothing {
    if (!this.open) return nothing;
    return html`<div class="panel" @keydown=${this.#leave}>
      ${this.#listing ? this.#listingOf(code()) : html`<slot name="code"></slot>`}
    </div>`;
  }

  #listingOf(code: FigureCode): TemplateResult {
    const text = code[this.#language];
    const run = this.#runnable(code);
    const option = (language: CodeLanguage): TemplateResult =>
      choice('code-language', NAMES[language], language === this.#language, () => {
        this.#language = language;
        this.figure.requestUpdate();
      });
    return html`<fieldset class="choices" aria-label=${this.words.text('tools.codeLabel')}>
        <div class="options">
          ${option('javascript')}${option('pytorch')}
          <button type="button" @click=${() => this.copy(text)}>${this.words.text('tools.copy')}</button>
          ${
            run === undefined
              ? nothing
              : html`<button type="button" @click=${run}>${this.words.text('tools.run')}</button>`
          }
        </div>
      </fieldset>
      <pre tabindex="0" role="region" aria-label=${NAMES[this.#language]}>${text}</pre>`;
  }

  /** Opens the code as a cell of the page. Cells import nothing but the library. */
  #runnable(code: FigureCode): (() => void) | undefined {
    const { open } = liveCode;
    if (open === undefined || / from '(?!wasm-attention')/.test(code.javascript)) return undefined;
    return () => {
      this.#listing = false;
      this.#closeCell = open(this.figure, code);
      this.figure.requestUpdate();
    };
  }

  readonly #leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    this.close();
    this.figure.renderRoot.querySelector<HTMLElement>('.tools .more')?.focus();
  };
}
