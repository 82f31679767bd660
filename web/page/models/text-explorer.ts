import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import {
  baseStyles,
  choices,
  controlStyles,
  nextTokens,
  nextTokensStyles,
  NO_HEADS,
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
    pass: { state: true },
    written: { state: true },
    writing: { state: true },
    similarities: { state: true },
  };

  declare checkpoint: TextCheckpoint;
  declare link: UrlState;
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
    this.said = '';
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.writing?.abort();
    ++this.#runs;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('link')) return;
    const before = changed.get('link');
    const { text, silent, neurons, positions } = this.link;
    const isSame = before?.silent === silent && before.neurons === neurons && before.positions === positions;
    if (isSame && before.text === text) return;
    clearTimeout(this.#timer);
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
      ${pass?.next.length ? this.#writer(pass) : nothing}
      ${
        pass?.next.length
          ? choices<View>({
              name: 'view',
              legend: words.text('models.view'),
              values: VIEWS,
              chosen: link.view,
              label: (view) => words.text(`models.${view}`),
              onChoose: (view) => this.#change({ view }),
            })
          : nothing
      }
      ${this.#view()} ${allHeadsOn(words, link.silent, this.#change)}
      ${checkpoint.model.isCausal ? nothing : comparison(words, this.similarities ?? [], () => void this.#compare())}`;
  }

  #view(): TemplateResult {
    const { checkpoint, link, pass } = this;
    const { tokens, effects = [] } = pass ?? {};
    const view = pass?.next.length ? link.view : 'heads';
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
      .heads=${pass?.heads ?? NO_HEADS}
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
    if (pass?.tokens === undefined) return;
    const active = await activeNeurons(checkpoint, pass.tokens, changesOf(link), count);
    this.#change({ neurons: [...new Set([...this.link.neurons, ...active])].sort() });
  }

  #writer({ next, tokens }: Pass): TemplateResult {
    const words = this.#words;
    return html`<div class="writer">
      <p class="name">${words.text('models.next')}</p>
      ${nextTokens(words.text('models.next'), next, words)}
      <div class="buttons">
        <button type="button" ?disabled=${tokens === undefined} @click=${this.#onWrite}>
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
    const run = ++this.#runs;
    const words = this.#words;
    try {
      const tokens = await tokensOf(checkpoint, link.text);
      // A newer pass has started.
      if (run !== this.#runs) return;
      if (link.text.trim() === '' || tokens.ids.length === 0) {
        // Keep the maps until the new ones are there, so that nothing moves.
        this.pass = this.pass && { ...this.pass, tokens: undefined };
        this.said = words.text('models.empty');
        return;
      }
      const pass = await runPass(checkpoint, tokens, changesOf(link));
      if (run !== this.#runs) return;
      this.pass = pass;
      this.said = tokens.cut ? words.text('models.cut', { count: tokens.ids.length }) : '';
    } catch (error) {
      if (run === this.#runs) this.said = failureOf(words, error);
    }
  }

  readonly #onWrite = (): void => {
    if (this.writing === undefined) void this.#write();
    else this.writing.abort();
  };

  async #write(): Promise<void> {
    if (this.pass?.tokens === undefined) return;
    const { model, tokenizer } = this.checkpoint;
    const tokens = [...this.pass.tokens.ids];
    const { signal } = (this.writing = new AbortController());
    const maxTokens = Math.min(MAX_GENERATED, model.maxLength - tokens.length);
    try {
      for await (const id of model.generate([...tokens], { maxTokens, ...changesOf(this.link), signal })) {
        tokens.push(id);
        this.written = await textOf(tokenizer, tokens);
      }
    } catch (error) {
      if (!signal.aborted) this.said = failureOf(this.#words, error);
    }
    this.writing = undefined;
  }

  async #compare(): Promise<void> {
    const text = this.renderRoot.querySelector<HTMLTextAreaElement>('#sentences')?.value ?? '';
    try {
      this.similarities = await similaritiesOf(this.checkpoint, text);
      this.said = '';
    } catch (error) {
      this.said = failureOf(this.#words, error);
    }
  }
}

customElements.define('text-explorer', TextExplorer);

declare global {
  interface HTMLElementTagNameMap {
    'text-explorer': TextExplorer;
  }
}
