import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import {
  baseStyles,
  choices,
  controlStyles,
  nextTokens,
  nextTokensStyles,
  tableStyles,
  toggle,
} from '../../elements/kit.js';
import type { TextCheckpoint } from './checkpoint.js';
import { failureOf } from './failure.js';
import { changesOf, VIEWS, type UrlState, type View } from './link.js';
import { explorerStyles } from './model-explorer-styles.js';
import { activeNeurons, neuronsView } from './neurons.js';
import { comparison, similaritiesOf } from './sentences.js';
import { allHeadsOn, onHead, onSilence } from './silent-heads.js';
import { runPass, type Pass } from './text-pass.js';
import { textOf, tokensOf } from './text.js';
import { modelWords } from './words.js';

/** The most tokens to generate at a time, and the debounce of the reader's typing in milliseconds. */
const MAX_GENERATED = 60;
const TYPING_DELAY = 250;

/**
 * `<text-explorer>`: the heads of a model over a text, where they can be silenced. Decoders continue the text, encoders
 * compare sentences.
 *
 * @fires link-change - the reader changed what links contain; `detail` has what is new
 */
export class TextExplorer extends LitElement {
  static override styles = [baseStyles, controlStyles, tableStyles, nextTokensStyles, explorerStyles];
  static override properties = {
    checkpoint: { attribute: false },
    link: { attribute: false },
    said: { state: true },
    isStale: { state: true },
    pass: { state: true },
    written: { state: true },
    writing: { state: true },
    similarities: { state: true },
  };

  declare checkpoint: TextCheckpoint;
  declare link: UrlState;
  declare protected said: string;
  /** Whether a newer pass than what is shown is on its way. */
  declare protected isStale: boolean;
  declare protected pass: Pass | undefined;
  declare protected written: string | undefined;
  declare protected writing: AbortController | undefined;
  /** Of each pair of sentences. */
  declare protected similarities: Float32Array | undefined;
  readonly #words = modelWords(this);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #runs = 0;
  #comparisons = 0;

  constructor() {
    super();
    this.said = '';
    this.isStale = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#outdate();
    ++this.#comparisons;
  }

  /** From now on, what is being computed is no longer wanted. */
  #outdate(): void {
    clearTimeout(this.#timer);
    this.writing?.abort();
    ++this.#runs;
    this.isStale = true;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('link')) return;
    const before = changed.get('link');
    const { text, silent, neurons, positions } = this.link;
    const isSame = before?.silent === silent && before.neurons === neurons && before.positions === positions;
    if (isSame && before.text === text) return;
    this.#outdate();
    this.written = this.writing = undefined;
    this.#timer = setTimeout(() => void this.#compute(), before === undefined ? 0 : TYPING_DELAY);
  }

  protected override render(): TemplateResult {
    const words = this.#words;
    if (!words.ready) return html``;
    const { checkpoint, link, pass } = this;
    const label = words.text(checkpoint.tokenizer === undefined ? 'models.numbers' : 'models.text');
    return html`${checkpoint.tokenizer === undefined ? html`<p class="remark">${words.text('models.noTokenizer')}</p>` : nothing}
      <div class="field">
        <label for="text">${label}</label>
        <textarea
          id="text"
          rows="2"
          spellcheck="false"
          .value=${link.text}
          @input=${({ target }: Event) => this.#change({ text: (target as HTMLTextAreaElement).value })}
        ></textarea>
      </div>
      ${toggle(words.text('models.positions'), link.positions, (positions) => this.#change({ positions }))}
      <p class="remark" role="status">${this.said}</p>
      ${pass === undefined ? nothing : this.#results(pass)} ${allHeadsOn(words, link.silent, this.#change)}
      ${checkpoint.model.isCausal ? nothing : comparison(words, checkpoint, this.similarities, this.#clear, () => void this.#compare())}`;
  }

  #results(pass: Pass): TemplateResult {
    const words = this.#words;
    const isWriter = pass.next.length > 0;
    const part = pass.tokens.names.find((name) => / \d\/\d$/.test(name));
    return html`<div class=${this.isStale ? 'stale' : ''} aria-busy=${this.isStale}>
      ${part === undefined ? nothing : html`<p class="remark">${words.text('models.parts', { part })}</p>`}
      ${isWriter ? this.#writer(pass) : nothing}
      ${
        isWriter
          ? choices<View>({
              name: 'view',
              legend: words.text('models.view'),
              values: VIEWS,
              chosen: this.link.view,
              label: (view) => words.text(`models.${view}`),
              onChoose: (view) => this.#change({ view }),
            })
          : nothing
      }
      ${this.#view(pass, isWriter ? this.link.view : 'heads')}
    </div>`;
  }

  #view({ tokens, effects, heads }: Pass, view: View): TemplateResult {
    const { checkpoint, link } = this;
    const onChange = ({ detail }: CustomEvent<Partial<UrlState>>): void => this.#change(detail);
    if (view === 'lens') {
      void import('./lens-explorer.js');
      return html`<lens-explorer
        .checkpoint=${checkpoint}
        .tokens=${tokens}
        .link=${link}
        @link-change=${onChange}
      ></lens-explorer>`;
    }
    if (view === 'patching') {
      void import('./patch-explorer.js');
      return html`<patch-explorer
        .checkpoint=${checkpoint}
        .tokens=${tokens}
        .link=${link}
        @link-change=${onChange}
      ></patch-explorer>`;
    }
    if (view === 'neurons')
      return neuronsView(this.#words, checkpoint, link, effects, this.#change, (count) => void this.#addActive(count));
    return html`<head-viewer
      silenceable
      .heads=${heads}
      .silent=${new Set(link.silent)}
      .layer=${link.layer}
      .head=${link.head}
      @head-change=${onHead(this.#change)}
      @head-silence=${onSilence(link.silent, this.#change)}
    ></head-viewer>`;
  }

  /** Switches off the most active neurons, too. */
  async #addActive(count: number): Promise<void> {
    const { checkpoint, link, pass } = this;
    if (pass === undefined) return;
    const active = await activeNeurons(checkpoint, pass.tokens, changesOf(link), count);
    if (this.isStale || this.pass !== pass) return;
    this.#change({ neurons: [...new Set([...this.link.neurons, ...active])].sort() });
  }

  #writer({ next, tokens }: Pass): TemplateResult {
    const words = this.#words;
    const isFull = tokens.ids.length >= this.checkpoint.model.maxLength;
    return html`<div class="writer">
      <p class="name">${words.text('models.next')}</p>
      ${nextTokens(words.text('models.next'), next, words)}
      <div class="buttons">
        <button type="button" ?disabled=${this.isStale || isFull} @click=${this.#onWrite}>
          ${words.text(this.writing ? 'models.stop' : 'models.write')}
        </button>
      </div>
      ${this.written === undefined ? nothing : html`<p class="written" aria-label=${words.text('models.written')}>${this.written}</p>`}
      ${this.link.silent.length === 0 ? nothing : html`<p class="remark">${words.text('models.silent')}</p>`}
    </div>`;
  }

  readonly #change = (detail: Partial<UrlState>): void => {
    this.dispatchEvent(new CustomEvent('link-change', { detail }));
  };

  /** One pass over the text: the heads and the candidates for the next token. */
  async #compute(): Promise<void> {
    const { checkpoint, link } = this;
    const run = this.#runs;
    const words = this.#words;
    let [pass, said]: [Pass | undefined, string] = [undefined, words.text('models.empty')];
    try {
      const tokens = await tokensOf(checkpoint, link.text);
      if (run !== this.#runs) return;
      if (link.text.trim() !== '' && tokens.ids.length > 0) {
        pass = await runPass(checkpoint, tokens, changesOf(link));
        said = tokens.cut ? words.text('models.cut', { count: tokens.ids.length }) : '';
      }
    } catch (error) {
      said = failureOf(words, error);
    }
    // A newer pass has started.
    if (run !== this.#runs) return;
    Object.assign(this, { pass, said, isStale: false });
  }

  readonly #onWrite = (): void => {
    if (this.writing === undefined) void this.#write();
    else this.writing.abort();
  };

  async #write(): Promise<void> {
    if (this.pass === undefined) return;
    const { model, tokenizer } = this.checkpoint;
    const tokens = [...this.pass.tokens.ids];
    const writing = (this.writing = new AbortController());
    const { signal } = writing;
    const maxTokens = Math.min(MAX_GENERATED, model.maxLength - tokens.length);
    try {
      for await (const id of model.generate([...tokens], { maxTokens, ...changesOf(this.link), signal })) {
        tokens.push(id);
        const written = await textOf(tokenizer, tokens);
        // Something has changed since.
        if (this.writing !== writing) return;
        this.written = written;
      }
    } catch (error) {
      if (!signal.aborted) this.said = failureOf(this.#words, error);
    }
    if (this.writing === writing) this.writing = undefined;
  }

  readonly #clear = (): void => {
    ++this.#comparisons;
    this.similarities = undefined;
  };

  async #compare(): Promise<void> {
    this.#clear();
    const comparison = this.#comparisons;
    const text = this.renderRoot.querySelector<HTMLTextAreaElement>('#sentences')?.value ?? '';
    try {
      const similarities = await similaritiesOf(this.checkpoint, text);
      if (comparison === this.#comparisons) Object.assign(this, { similarities, said: '' });
    } catch (error) {
      if (comparison === this.#comparisons) this.said = failureOf(this.#words, error);
    }
  }
}

customElements.define('text-explorer', TextExplorer);

declare global {
  interface HTMLElementTagNameMap {
    'text-explorer': TextExplorer;
  }
}
