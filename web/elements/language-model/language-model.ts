import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { longest, textField } from '../shared/controls/controls.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import type { HeadDetail } from '../shared/heads/heads.js';
import '../shared/head-viewer/head-viewer.js';
import { nextTokensStyles } from '../shared/next-tokens.js';
import { askStyles, askTemplate } from '../shared/story/ask.js';
import { STORY, type StoryWords } from '../shared/story/story-texts.js';
import { openWriter, type Writer } from '../shared/story/writer.js';
import { clipped } from '../shared/tokens.js';
import { storyCode } from './code.js';
import { storyControls } from './controls.js';
import { inFrames } from './pace.js';
import { MOST, type Changes } from './run.js';
import { AS_TRAINED, Runs, type Shown } from './runs.js';
import { settings } from './settings.js';
import { storyStyles } from './styles.js';
import { runTemplate, storyData } from './texts.js';

/** The most tokens of the beginning, so that there is room to continue. */
const BEGINNING = 48;
const SAMPLE = 'Once upon a time';

/**
 * `<language-model>`: a real language model writes a story and shows its heads. The reader writes the beginning,
 * silences heads, removes the positions or narrows the attention window, and compares both texts. The model is loaded
 * when the reader asks for it.
 */
export class LanguageModel extends figureWith(settings) {
  static override readonly texts = [STORY];
  static override styles = [nextTokensStyles, askStyles, storyStyles];
  static override properties = { state: { state: true }, writing: { state: true } };

  declare protected readonly words: StoryWords;
  declare protected state: 'asked' | 'failed' | undefined;
  declare protected writing: boolean;
  #writer: Writer | undefined;
  readonly #runs = new Runs();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.writing = false;
    this.#runs.dispose();
    this.#writer = undefined;
    this.state = undefined;
  }

  override show(settings: Readonly<Record<string, unknown>>): void {
    super.show(settings);
    if (this.library !== undefined && this.#writer === undefined && this.state !== 'asked')
      void this.#open(this.library);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (changed.has('writing') && this.writing)
      inFrames(
        () => this.#keepsWriting(),
        (count) => this.#write(count),
      );
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const writer = this.#writer;
    if (writer === undefined) return askTemplate(words, `${SAMPLE} …`, this.state, () => void this.#open(library));
    const { plain, changed } = this.#shown(writer);
    const { layer, head } = this;
    const shown = { writer, words, beginning: this.#beginning(writer).length };
    const full = words.text('story.full', { count: MOST });
    return html`
      <div class="beginning">
        ${textField({
          name: 'text',
          label: words.text('story.beginning'),
          value: this.text,
          placeholder: SAMPLE,
          onInput: (value) => this.change({ text: clipped(value), steps: 0 }),
        })}
        ${this.#buttons(plain.canContinue)}
      </div>
      <p class="remark" role="status" data-longest=${full}>
        ${plain.canContinue ? nothing : html`<span>${full}</span>`}
      </p>
      <div class=${changed === undefined ? 'runs' : 'runs two'}>
        ${runTemplate({ ...shown, run: plain, name: words.text('story.plain') })}
        ${
          changed === undefined
            ? nothing
            : runTemplate({ ...shown, run: changed, name: words.text('story.changed'), other: plain })
        }
      </div>
      ${storyControls(words, this, (settings) => this.change(settings))}
      <head-viewer
        .heads=${this.#runs.heads()}
        .silent=${new Set(this.silent)}
        .layer=${layer}
        .head=${head}
        @head-change=${({ detail }: CustomEvent<HeadDetail>) => this.change({ layer: detail.layer, head: detail.head })}
        ><p class="remark" data-longest=${longest(words.text('story.maps'), words.text('story.mapsChanged'))}>
          <span>${words.text(changed === undefined ? 'story.maps' : 'story.mapsChanged')}</span>
        </p></head-viewer
      >
    `;
  }

  #buttons(canContinue: boolean): TemplateResult {
    const { words } = this;
    return html`<div class="buttons">
      <button type="button" ?disabled=${!canContinue} @click=${() => (this.writing = !this.writing)}>
        ${words.text(this.writing && canContinue ? 'story.stop' : 'story.write')}
      </button>
      <button type="button" ?disabled=${!canContinue} @click=${() => this.#write(1)}>
        ${words.text('story.step')}
      </button>
      <button type="button" ?disabled=${this.steps === 0} @click=${() => this.#begin({ steps: 0 })}>
        ${words.text('story.again')}
      </button>
    </div>`;
  }

  #begin(given: Readonly<Record<string, unknown>>): void {
    this.writing = false;
    this.change(given);
  }

  #write(count: number): void {
    this.change({ steps: Math.min(MOST, this.steps + count) });
  }

  /** Whether there is more to write, and the reader has not stopped. */
  #keepsWriting(): boolean {
    const writer = this.#writer;
    if (writer === undefined) return false;
    if (this.writing && !this.#shown(writer).plain.canContinue) this.writing = false;
    return this.writing;
  }

  async #open(library: WasmAttention): Promise<void> {
    this.state = 'asked';
    const focused = this.shadowRoot?.activeElement;
    try {
      const writer = await openWriter(library);
      if (this.isConnected) this.#writer = writer;
      this.state = undefined;
      await this.updateComplete;
      // The button is gone.
      if (focused) this.renderRoot.querySelector<HTMLElement>('.buttons button')?.focus({ preventScroll: true });
    } catch (error) {
      this.state = 'failed';
      this.dispatchEvent(new CustomEvent('figure-error', { detail: error, bubbles: true, composed: true }));
    }
    this.requestUpdate();
  }

  #beginning(writer: Writer): readonly number[] {
    return writer.tokensOf(this.text.trim() === '' ? SAMPLE : this.text, BEGINNING);
  }

  get #changes(): Changes | undefined {
    const { positions, window, silent } = this;
    return positions && window === 0 && silent.length === 0 ? undefined : { positions, window, silent };
  }

  /** The texts of the settings. */
  #shown(writer: Writer): Shown {
    return this.#runs.upTo(writer, this.#beginning(writer), this.steps, this.#changes);
  }

  protected override data(): FigureData {
    const writer = this.#writer;
    if (writer === undefined) return { columns: [this.words.text('viewer.empty')], rows: [] };
    return storyData(this.words, writer, this.#shown(writer));
  }

  protected override code(): FigureCode {
    const writer = this.#writer;
    const beginning = writer === undefined ? [1] : this.#beginning(writer);
    return storyCode(beginning, this.steps, this.#changes ?? AS_TRAINED);
  }
}

defineFigure('language-model', LanguageModel);
