import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { choices, nextTokens, toggle } from '../../elements/kit.js';
import type { TextCheckpoint } from './checkpoint.js';
import { Explorer } from './explorer.js';
import { changesOf, VIEWS, type UrlState, type View } from './link.js';
import { activeNeurons, neuronsView } from './neurons.js';
import './sentence-explorer.js';
import { allHeadsOn, onHead, onSilence } from './silent-heads.js';
import { textArea } from './text-area.js';
import { runPass, type Pass } from './text-pass.js';
import { textOf, tokensOf } from './text.js';

/** The most tokens to generate at a time. */
const MAX_GENERATED = 60;

/**
 * `<text-explorer>`: the heads of a model over a text, where they can be silenced. Decoders continue the text, encoders
 * compare sentences.
 */
export class TextExplorer extends Explorer<TextCheckpoint> {
  static override properties = {
    pass: { state: true },
    written: { state: true },
    writing: { state: true },
  };

  declare protected pass: Pass | undefined;
  declare protected written: string | undefined;
  declare protected writing: AbortController | undefined;

  protected override outdate(): () => boolean {
    this.writing?.abort();
    this.written = this.writing = undefined;
    return super.outdate();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('link')) return;
    const before = changed.get('link');
    const { text, silent, neurons, positions } = this.link;
    const isSame = before?.silent === silent && before.neurons === neurons && before.positions === positions;
    if (isSame && before.text === text) return;
    this.soon(() => this.#compute(), before === undefined ? 0 : undefined);
  }

  protected override render(): TemplateResult {
    const words = this.words;
    if (!words.ready) return html``;
    const { checkpoint, link, pass } = this;
    const label = words.text(checkpoint.tokenizer === undefined ? 'models.numbers' : 'models.text');
    return html`${checkpoint.tokenizer === undefined ? html`<p class="remark">${words.text('models.noTokenizer')}</p>` : nothing}
    ${textArea('text', label, 2, link.text, (text) => this.change({ text }))}
    ${toggle(words.text('models.positions'), link.positions, (positions) => this.change({ positions }))}
    ${this.status(this.#found())} ${pass === undefined ? nothing : this.#results(pass)}
    ${allHeadsOn(words, link.silent, this.change)}
    ${checkpoint.model.isCausal ? nothing : html`<sentence-explorer .checkpoint=${checkpoint}></sentence-explorer>`}`;
  }

  /** What the model has written, or would write next. */
  #found(): string {
    const { pass, words, written } = this;
    if (written === undefined) return this.inWords(words.text('models.next'), pass?.next ?? []);
    return this.writing ? '' : `${words.text('models.written')}: ${written}`;
  }

  #results(pass: Pass): TemplateResult {
    const words = this.words;
    const isWriter = pass.next.length > 0;
    const view = isWriter ? this.link.view : 'heads';
    const part = pass.tokens.names.find((name) => / \d\/\d$/.test(name));
    const unknown = pass.tokens.names.find((name) => name === this.checkpoint.tokenizer?.unknown);
    return html`<div class=${this.isStale ? 'stale' : ''} aria-busy=${this.isStale}>
      ${unknown === undefined ? nothing : html`<p class="remark">${words.text('models.unknown', { token: unknown })}</p>`}
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
              onChoose: (view) => this.change({ view }),
            })
          : nothing
      }
      <p class="remark">${words.text(`models.about.${view}`)}</p>
      ${this.#view(pass, view)}
    </div>`;
  }

  #view({ tokens, effects, heads }: Pass, view: View): TemplateResult {
    const { checkpoint, link } = this;
    const onChange = ({ detail }: CustomEvent<Partial<UrlState>>): void => this.change(detail);
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
      return neuronsView(this.words, checkpoint, link, effects, this.change, (count) => void this.#addActive(count));
    return html`<head-viewer
      silenceable
      .heads=${heads}
      .silent=${new Set(link.silent)}
      .layer=${link.layer}
      .head=${link.head}
      @head-change=${onHead(this.change)}
      @head-silence=${onSilence(link.silent, this.change)}
    ></head-viewer>`;
  }

  /** Switches off the most active neurons, too. */
  async #addActive(count: number): Promise<void> {
    const { checkpoint, link, pass } = this;
    if (pass === undefined) return;
    const active = await activeNeurons(checkpoint, pass.tokens, changesOf(link), count);
    if (this.isStale || this.pass !== pass) return;
    this.change({ neurons: [...new Set([...this.link.neurons, ...active])].sort() });
  }

  #writer({ next, tokens }: Pass): TemplateResult {
    const words = this.words;
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

  /** One pass over the text: the heads and the candidates for the next token. */
  #compute(): Promise<void> {
    const { checkpoint, link, words } = this;
    const none = { pass: undefined };
    return this.renew(async () => {
      const tokens = await tokensOf(checkpoint, link.text);
      if (link.text.trim() === '' || tokens.ids.length === 0) return { ...none, said: words.text('models.empty') };
      const pass = await runPass(checkpoint, tokens, changesOf(link));
      return { pass, ...(tokens.cut && { said: words.text('models.cut', { count: tokens.ids.length }) }) };
    }, none);
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
      if (!signal.aborted) this.said = this.failure(error);
    }
    if (this.writing === writing) this.writing = undefined;
  }
}

customElements.define('text-explorer', TextExplorer);

declare global {
  interface HTMLElementTagNameMap {
    'text-explorer': TextExplorer;
  }
}
