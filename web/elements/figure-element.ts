import { html, LitElement, type CSSResultGroup, type TemplateResult } from 'lit';
import { load, type WasmAttention } from 'wasm-attention';
import { Localised } from './localised.js';
import { baseStyles } from './styles.js';

/**
 * A figure that computes: it loads the library once it is in the page, speaks the page's language, and says so in plain
 * words where WebAssembly is missing.
 */
export abstract class FigureElement extends LitElement {
  static override styles: CSSResultGroup = baseStyles;

  protected readonly words = new Localised(this);
  #library: WasmAttention | undefined;
  #failed = false;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#library === undefined) void this.#load();
  }

  protected override render(): TemplateResult {
    if (!this.words.ready) return html``;
    if (this.#failed) return html`<p class="failure" role="alert">${this.words.text('unsupported')}</p>`;
    return this.#library === undefined ? html`` : this.renderFigure(this.#library);
  }

  /** The figure's content, once the library and the words are there. */
  protected abstract renderFigure(library: WasmAttention): TemplateResult;

  async #load(): Promise<void> {
    try {
      this.#library = await load();
    } catch (error) {
      this.#failed = true;
      // The reader gets a sentence; whoever embeds the figure gets the cause.
      this.dispatchEvent(new CustomEvent('figure-error', { detail: error, bubbles: true, composed: true }));
    }
    this.requestUpdate();
  }
}
