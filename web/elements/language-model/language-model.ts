import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { slider, textField, toggle } from '../shared/controls/controls.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, FigureElement } from '../shared/figure/figure-element.js';
import type { HeadDetail } from '../shared/head-viewer/head-viewer.js';
import '../shared/head-viewer/head-viewer.js';
import type { Heads } from '../shared/head-viewer/heads.js';
import { nextTokensStyles } from '../shared/next-tokens.js';
import { flag, several, whole, words as anyText, type Setting } from '../shared/settings.js';
import { clipped, LONGEST_TEXT } from '../shared/tokens.js';
import { storyCode } from './code.js';
import { storyData } from './data.js';
import { MOST, Run, type Changes } from './run.js';
import { storyStyles } from './styles.js';
import { runTemplate } from './texts.js';
import { openWriter, type Writer } from './writer.js';

/** The model's layers, and heads in each. */
const LAYERS = 5;
const HEADS = 8;
/** The most tokens of the beginning, so that there is room to write. */
const BEGINNING = 48;
const SAMPLE = 'Once upon a time';
/** The widest window, in tokens; one step further the slider means all. */
const WIDEST = 32;
/** How many tokens are written in a second, and at most in a frame: a slow phone draws fewer frames, with more tokens in each. */
const A_SECOND = 90;
const A_FRAME = 8;

/** A head that is silent: `2.7` is head 7 of layer 2. */
const headName: Setting<string> = {
  initial: '1.1',
  read: (text) => (new RegExp(`^[1-${LAYERS}]\\.[1-${HEADS}]$`).test(text) ? text : undefined),
  write: (value) => value,
  range: `layer.head, 1.1 to ${LAYERS}.${HEADS}`,
};

const settings = {
  text: anyText('', LONGEST_TEXT),
  steps: whole(0, 0, MOST),
  positions: flag(true),
  window: whole(0, 0, WIDEST),
  silent: several([], headName, { most: LAYERS * HEADS }),
  layer: whole(1, 1, LAYERS),
  head: whole(1, 1, HEADS),
};

/**
 * `<language-model>`: a real language model writes a story while its heads are seen. The reader gives it a beginning, silences heads,
 * takes its sense of order away or narrows what it sees, and compares both texts. The model is loaded when the reader asks for it.
 */
export class LanguageModel extends FigureElement {
  static override styles = [nextTokensStyles, storyStyles];
  static override settings = settings;
  static override properties = { state: { state: true }, writing: { state: true } };

  /** The beginning, in English; empty (the default) means a sample. */
  declare text: string;
  /** How many tokens the model has written; default 0. */
  declare steps: number;
  /** Whether the model knows the order of its tokens; default yes. */
  declare positions: boolean;
  /** How many tokens back a token sees, itself included; 0 (the default) for all. */
  declare window: number;
  /** Silent heads, each `layer.head`; default none. */
  declare silent: readonly string[];
  /** The head shown large; default layer 1, head 1. */
  declare layer: number;
  declare head: number;
  declare protected state: 'asked' | 'failed' | undefined;
  declare protected writing: boolean;
  #writer: Writer | undefined;
  #plain: { readonly key: string; readonly run: Run } | undefined;
  #changed: { readonly key: string; readonly run: Run } | undefined;
  #heads: { readonly key: string; readonly heads: Heads } | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.writing = false;
    this.#forget();
    this.#writer?.model.dispose();
    this.#writer = undefined;
    this.state = undefined;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (changed.has('writing') && this.writing) this.#writeOn();
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const writer = this.#writer;
    if (writer === undefined) {
      return html`<div class="ask">
        <p>${words.text('story.about')}</p>
        <button type="button" ?disabled=${this.state === 'asked'} @click=${() => void this.#open(library)}>
          ${words.text(this.state === 'asked' ? 'story.loading' : 'story.load')}
        </button>
        <p role="status">${this.state === 'failed' ? words.text('story.failed') : nothing}</p>
      </div>`;
    }
    const { plain, changed } = this.#runs(writer);
    const { layer, head } = this;
    return html`
      ${textField({
        name: 'text',
        label: words.text('story.beginning'),
        value: this.text,
        placeholder: SAMPLE,
        onInput: (value) => this.change({ text: clipped(value), steps: 0 }),
      })}
      ${this.#buttons(plain.goesOn)}
      <p class="remark" role="status">
        ${plain.goesOn ? nothing : words.text('story.full', { count: MOST })}
      </p>
      <div class=${changed === undefined ? 'runs' : 'runs two'}>
        ${runTemplate({ writer, words, run: plain, beginning: this.#beginning(writer).length, name: words.text('story.plain') })}
        ${
          changed === undefined
            ? nothing
            : runTemplate({
                writer,
                words,
                run: changed,
                beginning: this.#beginning(writer).length,
                name: words.text('story.changed'),
                other: plain,
              })
        }
      </div>
      ${this.#controls()}
      <p class="remark">${words.text(changed === undefined ? 'story.maps' : 'story.mapsChanged')}</p>
      <head-viewer
        .heads=${this.#headsOf(changed ?? plain, changed !== undefined)}
        .silent=${new Set(this.silent)}
        .layer=${layer}
        .head=${head}
        @head-change=${({ detail }: CustomEvent<HeadDetail>) =>
          this.change({ layer: detail.layer, head: detail.head })}
      ></head-viewer>
    `;
  }

  #buttons(goesOn: boolean): TemplateResult {
    const { words } = this;
    return html`<div class="buttons">
      <button type="button" ?disabled=${!goesOn} @click=${() => (this.writing = !this.writing)}>
        ${words.text(this.writing && goesOn ? 'story.stop' : 'story.write')}
      </button>
      <button type="button" ?disabled=${!goesOn} @click=${() => this.#write(1)}>
        ${words.text('story.step')}
      </button>
      <button type="button" ?disabled=${this.steps === 0} @click=${() => this.#begin({ steps: 0 })}>
        ${words.text('story.again')}
      </button>
    </div>`;
  }

  #controls(): TemplateResult {
    const { words, window, layer, head } = this;
    const name = `${layer}.${head}`;
    const others = this.silent.filter((each) => each !== name);
    const silence = (silent: boolean): void =>
      this.change({ silent: silent ? [...others, name].sort() : others });
    return html`<div class="controls">
      <div class="switches">
        ${toggle(words.text('story.positions'), this.positions, (positions) => this.change({ positions }))}
        ${toggle(words.text('story.silence', { layer, head }), this.silent.includes(name), silence)}
        ${
          this.silent.length === 0
            ? nothing
            : html`<button type="button" @click=${() => this.change({ silent: [] })}>
                ${words.text('story.allHeads', { count: this.silent.length })}
              </button>`
        }
      </div>
      ${slider({
        name: 'window',
        label: words.text('story.window'),
        value: window === 0 ? WIDEST + 1 : window,
        min: 1,
        max: WIDEST + 1,
        text: window === 0 ? words.text('story.all') : words.number(window),
        onInput: (to) => this.change({ window: to > WIDEST ? 0 : to }),
      })}
    </div>`;
  }

  #begin(given: Readonly<Record<string, unknown>>): void {
    this.writing = false;
    this.change(given);
  }

  #write(count: number): void {
    this.change({ steps: Math.min(MOST, this.steps + count) });
  }

  /** Writes some tokens in each frame, until there is no room or the reader stops. */
  #writeOn(due = 0, before = performance.now()): void {
    requestAnimationFrame((now) => {
      const writer = this.#writer;
      if (!this.writing || writer === undefined) return;
      if (!this.#runs(writer).plain.goesOn) {
        this.writing = false;
        return;
      }
      const asked = due + (Math.max(0, now - before) * A_SECOND) / 1000;
      const count = Math.min(A_FRAME, Math.floor(asked));
      if (count > 0) this.#write(count);
      this.#writeOn(Math.min(1, asked - count), now);
    });
  }

  async #open(library: WasmAttention): Promise<void> {
    this.state = 'asked';
    try {
      const writer = await openWriter(library);
      if (this.isConnected) this.#writer = writer;
      else writer.model.dispose();
      this.state = undefined;
      await this.updateComplete;
      // The button that had the focus is gone.
      this.renderRoot.querySelector<HTMLElement>('.buttons button')?.focus({ preventScroll: true });
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

  /** The texts that the settings stand for; what is there already is only continued. */
  #runs(writer: Writer): { plain: Run; changed: Run | undefined } {
    const beginning = this.#beginning(writer);
    const asTrained: Changes = { positions: true, window: 0, silent: [] };
    const length = Math.min(MOST, beginning.length + this.steps);
    const upTo = (
      kept: { key: string; run: Run } | undefined,
      changes: Changes,
    ): { key: string; run: Run } => {
      const key = JSON.stringify([beginning, changes]);
      let { run } = kept ?? {};
      if (kept?.key !== key || run === undefined || run.tokens.length > length) {
        run?.dispose();
        run = new Run(writer, beginning, changes);
      }
      while (run.tokens.length < length) run.write();
      return { key, run };
    };
    this.#plain = upTo(this.#plain, asTrained);
    const changes = this.#changes;
    if (changes === undefined) {
      this.#changed?.run.dispose();
      this.#changed = undefined;
    } else {
      this.#changed = upTo(this.#changed, changes);
    }
    return { plain: this.#plain.run, changed: this.#changed?.run };
  }

  /** The maps of a run, made anew only when it has grown. */
  #headsOf(run: Run, isChanged: boolean): Heads {
    const key = `${(isChanged ? this.#changed : this.#plain)?.key} ${run.tokens.length}`;
    if (this.#heads?.key !== key) this.#heads = { key, heads: run.heads() };
    return this.#heads.heads;
  }

  #forget(): void {
    for (const kept of [this.#plain, this.#changed]) kept?.run.dispose();
    this.#plain = this.#changed = this.#heads = undefined;
  }

  protected override data(): FigureData {
    const writer = this.#writer;
    if (writer === undefined) return { columns: [this.words.text('story.token')], rows: [] };
    return storyData(this.words, writer, this.#runs(writer));
  }

  protected override code(): FigureCode {
    const writer = this.#writer;
    const beginning = writer === undefined ? [1] : this.#beginning(writer);
    return storyCode(beginning, this.steps, this.#changes ?? { positions: true, window: 0, silent: [] });
  }
}

defineFigure('language-model', LanguageModel);
