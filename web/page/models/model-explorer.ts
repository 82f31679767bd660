import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { baseStyles, controlStyles } from '../../elements/kit.js';
import { changeEntry } from '../history-entry.js';
import type { Checkpoint, Files, Given } from './checkpoint.js';
import { partOf, readUrl, writeUrl, type UrlState } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import { dropZone, statusOf, type State } from './opening.js';
import './text-explorer.js';
import { modelWords } from './words.js';

/**
 * `<model-explorer>`: opens a checkpoint from the reader's disk in a worker and shows its heads over a text or a picture.
 * The page's URL contains the text and what is changed in the model.
 */
export class ModelExplorer extends LitElement {
  static override styles = [baseStyles, controlStyles, explorerStyles];
  static override properties = {
    state: { state: true },
    urlState: { state: true },
  };

  declare protected state: State;
  declare protected urlState: UrlState;
  readonly #words = modelWords(this);

  constructor() {
    super();
    this.state = { kind: 'none' };
    this.urlState = readUrl(location.search);
  }

  protected override render(): TemplateResult {
    const { state } = this;
    const words = this.#words;
    if (!words.ready) return html``;
    const openFiles = (given: Given, name: string): void =>
      void this.#open(name, ({ filesOf }) => filesOf(given, name));
    const takePicture = (picture: File): boolean => {
      const pictures = this.renderRoot.querySelector('picture-explorer');
      void pictures?.take(picture);
      return pictures !== null;
    };
    return html`${dropZone(words, state, openFiles, () => void this.#openStories(), takePicture)}
      <p class="status" role="status">${statusOf(words, state)}</p>
      ${state.kind === 'opening' ? html`<progress .max=${state.total} .value=${state.done} aria-label=${words.text('models.reading', { name: state.name })}></progress>` : nothing}
      ${state.kind === 'open' ? this.#opened(state.checkpoint) : nothing}`;
  }

  #opened(checkpoint: Checkpoint): TemplateResult {
    const onChange = ({ detail }: CustomEvent<Partial<UrlState>>): void => this.#change(detail);
    return checkpoint.kind === 'pictures'
      ? html`<picture-explorer
          .checkpoint=${checkpoint}
          .link=${this.urlState}
          @link-change=${onChange}
        ></picture-explorer>`
      : html`<text-explorer .checkpoint=${checkpoint} .link=${this.urlState} @link-change=${onChange}></text-explorer>`;
  }

  #change(to: Partial<UrlState>): void {
    this.urlState = { ...this.urlState, ...to };
    const state = this.urlState;
    changeEntry((address) => (address.href = writeUrl(address.href, state)));
  }

  async #openStories(): Promise<void> {
    await this.#open('stories260K', ({ stories }) => stories());
    if (this.urlState.text === '') this.#change({ text: 'Once upon a time, there was a little girl named' });
  }

  async #open(name: string, find: (module: typeof import('./checkpoint.js')) => Promise<Files>): Promise<void> {
    // Two models at once may be too much for a phone.
    if (this.state.kind === 'open') this.state.checkpoint.dispose();
    this.state = { kind: 'reading', name };
    try {
      const module = await import('./checkpoint.js');
      const given = await find(module);
      const checkpoint = await module.open(
        given,
        (done, total) => (this.state = { kind: 'opening', name: given.name, done, total }),
      );
      if (checkpoint.kind === 'pictures') await import('./picture-explorer.js');
      const { numLayers, numHeads } = checkpoint.model;
      const numNeurons = checkpoint.kind === 'texts' ? checkpoint.numNeurons : 0;
      const fitting = (names: readonly string[], count: number): string[] =>
        names.filter((name) => partOf(name)[0] < numLayers && partOf(name)[1] < count);
      const { silent, neurons } = this.urlState;
      this.urlState = {
        ...this.urlState,
        silent: fitting(silent, numHeads),
        neurons: fitting(neurons, numNeurons),
      };
      this.state = { kind: 'open', checkpoint };
    } catch (error) {
      const { reason = 'refused', detail = String(error) } = error as { reason?: string; detail?: string };
      this.state = { kind: 'refused', reason, detail };
    }
  }
}

customElements.define('model-explorer', ModelExplorer);
