import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { baseStyles, controlStyles, Localised } from '../../elements/kit.js';
import { changeEntry } from '../history-entry.js';
import type { Checkpoint, Files, Given } from './checkpoint.js';
import { textFor } from './examples.js';
import { partOf, readUrl, writeUrl, type UrlState } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import { dropZone, LARGE, opening, statusOf, typeChoice, type State } from './opening.js';
import type { WeightType } from './sizes.js';
import { sources } from './sources.js';
import './text-explorer.js';
import { MODELS, type ModelWords } from './words.js';

type Module = typeof import('./checkpoint.js');

function disposeOf(state: State): void {
  if (state.kind === 'open') state.checkpoint.dispose();
}

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
  readonly #words: ModelWords = new Localised(this, MODELS);
  #opening = new AbortController();
  /** What was opened last. */
  #files: Files | undefined;

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
      void this.#find(name, ({ filesOf }) => filesOf(given, name));
    const openStories = (): void => void this.#find('stories260K', ({ stories }) => stories());
    const takePicture = (picture: File): boolean => {
      const pictures = this.renderRoot.querySelector('picture-explorer');
      void pictures?.take(picture);
      return pictures !== null;
    };
    return html`${dropZone(words, openFiles, openStories, takePicture)}
      <p class="status" role="status" aria-busy=${state.kind === 'opening' && state.done > 0}>
        ${statusOf(words, state)}
      </p>
      ${typeChoice(words, state, (files, weightType) => void this.#load(files, weightType))}
      ${state.kind === 'opening' ? html`<progress .max=${state.total} .value=${state.done} aria-label=${words.text('models.reading', { name: state.files.name })}></progress>` : nothing}
      ${state.kind === 'open' ? this.#opened(state.checkpoint) : nothing} ${sources(words, state.kind === 'none')}`;
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

  /** Finds a checkpoint's files, and opens it, unless it is large: then the reader decides how. */
  async #find(name: string, find: (module: Module) => Promise<Files>): Promise<void> {
    const state = await this.#enter({ kind: 'reading', name }, async (module) => {
      const files = await find(module);
      return files.sizes && files.sizes.float32 > LARGE ? { kind: 'asked', files } : opening(files, 'float32');
    });
    if (state?.kind === 'opening') await this.#load(state.files, state.weightType);
  }

  async #load(files: Files, weightType: WeightType): Promise<void> {
    const first = opening(files, weightType);
    await this.#enter(first, async (module, signal) => {
      const onProgress = (done: number, total: number): void => {
        if (!signal.aborted) this.state = { ...first, done, total };
      };
      const checkpoint = await module.open(files, { weightType, signal, onProgress });
      if (checkpoint.kind === 'pictures') await import('./picture-explorer.js');
      return { kind: 'open', files, weightType, checkpoint };
    });
  }

  /**
   * Shows the first state, and that which `find` finds, or that it is refused. What is found after something newer has
   * begun is dropped.
   */
  async #enter(
    first: State,
    find: (module: Module, signal: AbortSignal) => Promise<State>,
  ): Promise<State | undefined> {
    const signal = this.#begin(first);
    let state: State;
    try {
      state = await find(await import('./checkpoint.js'), signal);
    } catch (error) {
      const { reason = 'refused', detail = String(error) } = error as { reason?: string; detail?: string };
      state = { ...first, kind: 'refused', reason, detail };
    }
    if (signal.aborted) {
      disposeOf(state);
      return undefined;
    }
    if (state.kind === 'open') this.#fit(state);
    return (this.state = state);
  }

  /** Ends what is open or being opened: two models at once may be too much for a phone. */
  #begin(state: State): AbortSignal {
    this.#opening.abort();
    this.#opening = new AbortController();
    disposeOf(this.state);
    this.state = state;
    return this.#opening.signal;
  }

  /**
   * Leaves out what the model does not have, and gives it something to read. Of what the reader has done with another
   * model, only a text stays.
   */
  #fit({ checkpoint, files }: State & { kind: 'open' }): void {
    const { numLayers, numHeads } = checkpoint.model;
    const isText = checkpoint.kind === 'texts';
    const isAnother = this.#files !== undefined && this.#files !== files;
    this.#files = files;
    const fitting = (names: readonly string[], count: number): string[] =>
      names.filter((name) => partOf(name)[0] < numLayers && partOf(name)[1] < count);
    const state = isAnother ? readUrl('') : this.urlState;
    this.#change({
      ...state,
      silent: fitting(state.silent, numHeads),
      neurons: fitting(state.neurons, isText ? checkpoint.numNeurons : 0),
      text: textFor(checkpoint, this.urlState.text),
    });
  }
}

customElements.define('model-explorer', ModelExplorer);
