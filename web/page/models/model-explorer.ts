import { html, LitElement, nothing, type TemplateResult } from 'lit';
import {
  baseStyles,
  controlStyles,
  nextTokens,
  nextTokensStyles,
  NO_HEADS,
  toggle,
  type HeadDetail,
} from '../../elements/kit.js';
import { changeEntry } from '../history-entry.js';
import type { Checkpoint, Files, Given } from './checkpoint.js';
import { changesOf, headOf, readUrl, writeUrl, type UrlState } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import { dropZone, statusOf, type State } from './opening.js';
import { predictsTokens, runPass, type Pass } from './pass.js';
import { comparison, similaritiesOf } from './sentences.js';
import { textOf, tokensOf } from './text.js';
import type { SlowTokenizer } from './tokenizer.js';
import { modelWords } from './words.js';

/** The most tokens to generate at a time, and the debounce of the reader's typing in milliseconds. */
const MAX_GENERATED = 60;
const TYPING_DELAY = 250;

/**
 * `<model-explorer>`: opens a checkpoint from the reader's disk in a worker and shows its heads over a text, where they
 * can be silenced. Decoders continue the text, encoders compare sentences. The page's URL contains the text and the
 * changes.
 */
export class ModelExplorer extends LitElement {
  static override styles = [baseStyles, controlStyles, nextTokensStyles, explorerStyles];
  static override properties = {
    state: { state: true },
    urlState: { state: true },
    said: { state: true },
    pass: { state: true },
    written: { state: true },
    writing: { state: true },
    similarities: { state: true },
  };

  declare protected state: State;
  declare protected urlState: UrlState;
  declare protected said: string;
  declare protected pass: Pass | undefined;
  declare protected written: string | undefined;
  declare protected writing: AbortController | undefined;
  /** Of each pair of sentences. */
  declare protected similarities: Float32Array | undefined;
  readonly #words = modelWords(this);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #runs = 0;

  constructor() {
    super();
    this.state = { kind: 'none' };
    this.urlState = readUrl(location.search);
    this.said = '';
  }

  protected override render(): TemplateResult {
    const { state } = this;
    const words = this.#words;
    if (!words.ready) return html``;
    const openFiles = (given: Given, name: string): void =>
      void this.#open(name, ({ filesOf }) => filesOf(given, name));
    return html`${dropZone(words, state, openFiles, () => void this.#openStories())}
      <p class="status" role="status">${statusOf(words, state)}</p>
      ${state.kind === 'opening' ? html`<progress .max=${state.total} .value=${state.done} aria-label=${words.text('models.reading', { name: state.name })}></progress>` : nothing}
      ${state.kind === 'open' ? this.#opened(state.checkpoint) : nothing}`;
  }

  #opened(checkpoint: Checkpoint): TemplateResult {
    const words = this.#words;
    const { silent } = this.urlState;
    const label = words.text(checkpoint.tokenizer === undefined ? 'models.numbers' : 'models.text');
    return html`${checkpoint.tokenizer === undefined ? html`<p class="remark">${words.text('models.noTokenizer')}</p>` : nothing}
      <div class="field">
        <label for="text">${label}</label>
        <textarea
          id="text"
          rows="2"
          spellcheck="false"
          .value=${this.urlState.text}
          @input=${({ target }: Event) => this.#change({ text: (target as HTMLTextAreaElement).value })}
        ></textarea>
      </div>
      ${toggle(words.text('models.positions'), this.urlState.positions, (positions) => this.#change({ positions }))}
      <p class="remark" role="status">${this.said}</p>
      ${predictsTokens(checkpoint) ? this.#writer() : nothing}
      <head-viewer
        silenceable
        .heads=${this.pass?.heads ?? NO_HEADS}
        .silent=${new Set(silent)}
        .layer=${this.urlState.layer}
        .head=${this.urlState.head}
        @head-change=${({ detail }: CustomEvent<HeadDetail>) => this.#change({ layer: detail.layer, head: detail.head })}
        @head-silence=${({ detail }: CustomEvent<HeadDetail & { silent: boolean }>) => {
          const name = `${detail.layer}.${detail.head}`;
          const others = silent.filter((each) => each !== name);
          this.#change({ silent: detail.silent ? [...others, name].sort() : others });
        }}
      ></head-viewer>
      ${
        silent.length === 0
          ? nothing
          : html`<div class="buttons">
              <button type="button" @click=${() => this.#change({ silent: [] })}>
                ${words.text('models.allHeads', { count: silent.length })}
              </button>
            </div>`
      }
      ${checkpoint.model.isCausal ? nothing : comparison(words, this.similarities ?? [], () => void this.#compare())}`;
  }

  #writer(): TemplateResult {
    const words = this.#words;
    return html`<div class="writer">
      <p class="name">${words.text('models.next')}</p>
      ${nextTokens(words.text('models.next'), this.pass?.next ?? [], words)}
      <div class="buttons">
        <button type="button" ?disabled=${this.pass?.tokens === undefined} @click=${this.#onWrite}>
          ${words.text(this.writing ? 'models.stop' : 'models.write')}
        </button>
      </div>
      ${this.written === undefined ? nothing : html`<p class="written" aria-label=${words.text('models.written')}>${this.written}</p>`}
      ${this.urlState.silent.length === 0 ? nothing : html`<p class="remark">${words.text('models.silent')}</p>`}
    </div>`;
  }

  #change(to: Partial<UrlState>): void {
    this.urlState = { ...this.urlState, ...to };
    if ('text' in to || 'silent' in to || 'positions' in to) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#compute(), TYPING_DELAY);
    }
    const state = this.urlState;
    changeEntry((address) => (address.href = writeUrl(address.href, state)));
  }

  async #openStories(): Promise<void> {
    await this.#open('stories260K', ({ stories }) => stories());
    if (this.urlState.text === '') this.#change({ text: 'Once upon a time, there was a little girl named' });
  }

  async #open(name: string, find: (module: typeof import('./checkpoint.js')) => Promise<Files>): Promise<void> {
    // Two models at once may be too much for a phone.
    if (this.state.kind === 'open') {
      void this.state.checkpoint.model.dispose();
      this.state.checkpoint.tokenizer?.dispose();
    }
    this.writing?.abort();
    ++this.#runs;
    this.pass = this.written = this.similarities = undefined;
    this.said = '';
    this.state = { kind: 'reading', name };
    try {
      const module = await import('./checkpoint.js');
      const given = await find(module);
      const checkpoint = await module.open(
        given,
        (done, total) => (this.state = { kind: 'opening', name: given.name, done, total }),
      );
      const { numLayers, numHeads } = checkpoint.model;
      const fits = (each: string): boolean => {
        const [layer, head] = headOf(each);
        return layer >= 0 && layer < numLayers && head >= 0 && head < numHeads;
      };
      this.state = { kind: 'open', checkpoint };
      this.urlState = { ...this.urlState, silent: this.urlState.silent.filter(fits) };
      await this.#compute();
    } catch (error) {
      const { reason = 'refused', detail = String(error) } = error as { reason?: string; detail?: string };
      this.state = { kind: 'refused', reason, detail };
    }
  }

  /** One pass over the text: the heads and the candidates for the next token. */
  async #compute(): Promise<void> {
    if (this.state.kind !== 'open') return;
    const { checkpoint } = this.state;
    const run = ++this.#runs;
    const words = this.#words;
    try {
      const tokens = await tokensOf(checkpoint, this.urlState.text);
      // A newer pass has started.
      if (run !== this.#runs) return;
      if (this.urlState.text.trim() === '' || tokens.ids.length === 0) {
        // Keep the maps until the new ones are there, so that nothing moves.
        this.pass = this.pass && { ...this.pass, tokens: undefined };
        this.said = words.text('models.empty');
        return;
      }
      const pass = await runPass(checkpoint, tokens, changesOf(this.urlState));
      if (run !== this.#runs) return;
      this.pass = pass;
      this.said = tokens.cut ? words.text('models.cut', { count: tokens.ids.length }) : '';
    } catch (error) {
      if (run === this.#runs) this.#fail(error);
    }
  }

  readonly #onWrite = (): void => {
    if (this.writing === undefined) void this.#write();
    else this.writing.abort();
  };

  async #write(): Promise<void> {
    if (this.state.kind !== 'open' || this.pass?.tokens === undefined) return;
    const { model, tokenizer } = this.state.checkpoint;
    const tokens = [...this.pass.tokens.ids];
    const { signal } = (this.writing = new AbortController());
    const changes = changesOf(this.urlState);
    const maxTokens = Math.min(MAX_GENERATED, model.maxLength - tokens.length);
    try {
      for await (const id of model.generate([...tokens], { maxTokens, ...changes, signal })) {
        tokens.push(id);
        this.written = await textOf(tokenizer, tokens);
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
    this.writing = undefined;
  }

  async #compare(): Promise<void> {
    if (this.state.kind !== 'open') return;
    const text = this.renderRoot.querySelector<HTMLTextAreaElement>('#sentences')?.value ?? '';
    try {
      this.similarities = await similaritiesOf(this.state.checkpoint, text);
      this.said = '';
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const words = this.#words;
    const { message = String(error), reason, detail = '' } = error as Partial<SlowTokenizer>;
    this.said =
      reason === 'slow' ? words.text('models.slow', { seconds: detail }) : words.text('models.failed', { message });
  }
}

customElements.define('model-explorer', ModelExplorer);
