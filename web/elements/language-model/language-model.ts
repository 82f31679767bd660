import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { load } from 'wasm-attention';
import { languageOf } from '../languages.js';
import { hint, textField, toggle } from '../shared/controls/controls.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles } from '../shared/goals.js';
import { SizeObserver } from '../shared/observers.js';
import { looksText, quotingEnglish } from '../shared/story/looks-text.js';
import { STORY } from '../shared/story/story-texts.js';
import { openWriter, type Writer } from '../shared/story/writer.js';
import { clipped } from '../shared/tokens.js';
import { storyCode } from './code.js';
import { headGrid } from './head-grid.js';
import { clearArcs, drawArcs, endOf, glossLine, storyLine } from './line.js';
import { inFrames } from './pace.js';
import { AS_TRAINED, type Changes, type Run } from './run.js';
import { Runs, type Shown, type Verdict } from './runs.js';
import { SAMPLES, STILL } from './samples.js';
import { HEADS, LAYERS, LONGEST_BEGINNING, MOST, settings } from './settings.js';
import { storyStyles } from './styles.js';
import { glossesIn, TELLER, type TellerWords } from './words.js';

/** A story is broken if the model as trained finds each of its tokens less likely than this: a third of its own. */
const BROKEN = 0.2;
/** It is also broken if more of it than this is repetition: twice as much as there is in any story of the samples. */
const CIRCLES = 0.36;
const isBroken = ({ share, repetition }: Verdict): boolean => share < BROKEN || repetition > CIRCLES;
/** So many silent heads are few. */
const FEW = 3;
/** What is shown until the model is loaded. */
const BEFORE = { plain: { tokens: [], pieces: [STILL], canContinue: false }, changed: undefined };

/**
 * `<language-model>`: a real language model writes a story. The reader takes its sense of order away or silences heads,
 * sees the same beginning fall apart, and looks at what each word looked at. The model is loaded when the browser is idle;
 * who saves data has to ask for it.
 */
export class LanguageModel extends figureWith(settings) {
  static override readonly texts = [STORY, TELLER];
  static override styles = [goalStyles, storyStyles];
  static override properties = { state: { state: true } };

  declare protected readonly words: TellerWords;
  declare protected state: 'asked' | 'failed' | undefined;
  #writer: Writer | undefined;
  #glosses: Readonly<Record<string, string>> = {};
  #isWriting = false;
  /** Whether the reader has changed anything. */
  #isPlayed = false;
  /** Whether the last change was of what the reader looks at. */
  #isLooking = false;
  readonly #runs = new Runs();
  readonly #goals = new Goals(this);
  readonly #size = new SizeObserver(() => this.#drawArcs(true));

  override connectedCallback(): void {
    super.connectedCallback();
    const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
    if (connection?.saveData !== true) whenIdle(() => void this.#open());
    this.#size.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#size.disconnect();
    this.#runs.dispose();
    this.#writer = this.state = undefined;
  }

  async #open(): Promise<void> {
    if (this.#writer !== undefined || this.state === 'asked') return;
    this.state = 'asked';
    try {
      const [writer, glosses] = await Promise.all([openWriter(await load()), glossesIn(this.words.language)]);
      if (this.isConnected) this.#writer = writer;
      this.#glosses = glosses;
      this.state = undefined;
    } catch (error) {
      this.state = 'failed';
      this.dispatchEvent(new CustomEvent('figure-error', { detail: error, bubbles: true, composed: true }));
    }
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    // A word may move to the next line while its last pieces are written.
    this.#drawArcs(!this.#isWriting);
    if (!this.#isWriting && this.#unwritten().length > 0) {
      this.#isWriting = true;
      if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.#write(MOST);
      else inFrames((count) => this.#write(count));
    }
  }

  /** The texts that have not reached their ends. */
  #unwritten(): Run[] {
    if (this.#writer === undefined) return [];
    const { plain, changed } = this.#shown(this.#writer);
    return [plain, changed].filter((run) => run?.canContinue === true) as Run[];
  }

  /** Whether there is more to write after some more tokens. */
  #write(count: number): boolean {
    for (const run of this.#unwritten()) run.write(count);
    this.#isWriting = this.#unwritten().length > 0;
    if (!this.#isWriting) this.#tick();
    this.requestUpdate();
    return this.#isWriting;
  }

  /** Ticks the goals that the finished texts reach. */
  #tick(): void {
    const { positions, silent } = this;
    const verdict = this.#verdict;
    // Who opens a link finds a story that somebody else has broken.
    if (!this.goals || !this.#isPlayed || verdict === undefined || !isBroken(verdict)) return;
    const reached = positions
      ? ['heads', `silent-${silent.length}`, ...(silent.length <= FEW ? ['few'] : [])]
      : ['order'];
    const goals: Readonly<Record<string, { readonly text: string }>> = this.#hunts;
    for (const goal of reached) {
      if (this.#goals.has(goal)) continue;
      this.#goals.reach(goal);
      if (goals[goal] !== undefined) this.say(`${this.words.text('goals.reached')}: ${goals[goal].text}`);
    }
  }

  /** How good the text with changes is, once it is written. */
  get #verdict(): Verdict | undefined {
    return this.#writer && this.#runs.verdict(this.#writer, this.#given(this.#writer).length);
  }

  override change(settings: Readonly<Record<string, unknown>>): void {
    this.#isPlayed = true;
    this.#isLooking = !['text', 'positions', 'silent'].some((name) => name in settings);
    super.change(settings);
  }

  protected override isSettled(): boolean {
    return this.#writer !== undefined && this.#unwritten().length === 0;
  }

  /** How the story ends and what has become of it, and what the chosen word looks at. */
  protected override sentence(): string {
    const { words } = this;
    const run = this.#last(this.#writer && this.#shown(this.#writer));
    const [verdict, why] = this.#verdictTexts();
    const cut = this.#isCut ? words.text('story.cut', { count: LONGEST_BEGINNING }) : undefined;
    const end = words.text('story.ends', { end: endOf(run ?? BEFORE.plain) });
    const looks = run && this.#at(run) !== undefined ? this.#headText() : undefined;
    return [cut, verdict, why, end, looks].filter((text) => text !== undefined).join(' ');
  }

  /** Who goes from word to word or from head to head does not want to hear the story each time. */
  protected override news(): string | undefined {
    return this.#isLooking ? this.#headText() : undefined;
  }

  /** The head and, if a word is chosen, what that looks at. */
  #headText(): string {
    const { words, layer, head } = this;
    const run = this.#last(this.#writer && this.#shown(this.#writer));
    const at = run && this.#at(run);
    const name = words.text('viewer.head', { layer, head });
    return at === undefined ? `${name}.` : `${name}: ${this.#looks(run!, at)}.`;
  }

  #drawArcs(anew: boolean): void {
    if (this.#writer === undefined) return;
    const { plain, changed } = this.#shown(this.#writer);
    const lines = this.renderRoot.querySelectorAll('.line');
    [plain, changed].forEach((run, i) => {
      const [line, at] = [lines[i], run && this.#at(run)];
      if (line === undefined) return;
      if (run === undefined || at === undefined) clearArcs(line);
      else drawArcs(line, at, run.looks(this.layer, this.head, at), anew);
    });
  }

  /** The chosen token of a text, from 0, if it has so many. */
  #at({ tokens }: Run): number | undefined {
    return this.word >= 1 && this.word <= tokens.length ? this.word - 1 : undefined;
  }

  /** The text that the reader looks at: the one with changes, if there are any. */
  #last(shown: Shown | undefined): Run | undefined {
    return shown?.changed ?? shown?.plain;
  }

  get #beginning(): string {
    return this.text.trim() === '' ? SAMPLES[0] : this.text;
  }

  #given(writer: Writer): readonly number[] {
    return writer.tokensOf(this.#beginning, LONGEST_BEGINNING);
  }

  get #changes(): Changes | undefined {
    const { positions, silent } = this;
    return positions && silent.length === 0 ? undefined : { positions, silent };
  }

  #shown(writer: Writer): Shown {
    return this.#runs.of(writer, this.#given(writer), this.steps, this.#changes);
  }

  protected override renderFigure(): TemplateResult {
    const { words, layer, head, silent } = this;
    const writer = this.#writer;
    const shown = writer && this.#shown(writer);
    const run = this.#last(shown);
    const at = run && this.#at(run);
    return html`<div class="teller" ?inert=${writer === undefined}>
        ${this.#lines(writer, shown)} ${this.#beginnings()}
        <div class="lab">
          ${headGrid(words, {
            silent,
            layer,
            head,
            strength: (layer, head) => (at === undefined ? 0 : strongest(run!.looks(layer, head, at))),
            onShow: (layer, head) => this.change({ layer, head }),
            onSilence: (silent) => this.change({ silent }),
          })}
          <div>${this.#readout(run, at)} ${this.#game()}</div>
        </div>
      </div>
      ${this.#foot()}`;
  }

  #lines(writer: Writer | undefined, shown: Shown | undefined): TemplateResult {
    const { words } = this;
    const choose = (at: number): void => this.change({ word: at === this.word - 1 ? 0 : at + 1 });
    const name = words.text('story.plain');
    const { plain, changed } = shown ?? BEFORE;
    const given = writer === undefined ? 0 : this.#given(writer).length;
    const both = { given, at: this.word === 0 ? undefined : this.word - 1 };
    return html`<div class="lines">
      <div>
        ${storyLine({ ...both, name, run: plain }, choose)}
        ${isEnglish(words.language) ? nothing : glossLine(plain.pieces.join(''), this.#glosses, words.language)}
      </div>
      <div class="switch" data-control>
        ${toggle(words.text('story.positions'), this.positions, (positions) => this.change({ positions }))}
      </div>
      ${
        changed === undefined
          ? html`<div class="line empty" data-control>
              <p class="name">${words.text('story.changed')}</p>
              <p class="story">${words.text('story.invite')}</p>
            </div>`
          : storyLine({ ...both, name: this.#changedName, run: changed, other: plain }, choose)
      }
    </div>`;
  }

  get #changedName(): string {
    const { words, positions, silent } = this;
    const heads = words.text('story.silentHeads', { count: silent.length, all: LAYERS * HEADS });
    if (positions) return heads;
    const order = words.text('story.noOrder');
    return silent.length === 0 ? order : `${order}, ${heads}`;
  }

  /** Whether the model reads only a part of the beginning. */
  get #isCut(): boolean {
    return (this.#writer?.tokensOf(this.#beginning, LONGEST_BEGINNING + 1).length ?? 0) > LONGEST_BEGINNING;
  }

  #beginnings(): TemplateResult {
    const { words } = this;
    const begin = (text: string): void => this.change({ text: clipped(text), word: 0 });
    return html`<div class="beginnings" data-control>
      <div class="samples" role="group" aria-label=${words.text('story.samples')}>
        ${SAMPLES.map(
          (text) =>
            html`<button type="button" lang="en" aria-pressed=${text === this.#beginning} @click=${() => begin(text)}>
              ${text} …
            </button>`,
        )}
      </div>
      ${textField({
        name: 'text',
        label: words.text('story.beginning'),
        value: this.text,
        placeholder: SAMPLES[0],
        onInput: begin,
      })}
      <p class="remark">${this.#isCut ? words.text('story.cut', { count: LONGEST_BEGINNING }) : nothing}</p>
    </div>`;
  }

  /** What the chosen word looks at. */
  #readout(run: Run | undefined, at: number | undefined): TemplateResult {
    const { words, layer, head } = this;
    const name = words.text('viewer.head', { layer, head });
    if (run === undefined || at === undefined)
      return html`<p class="readout" data-control><strong>${name}</strong> ${hint(words.text('story.hint'))}</p>`;
    return html`<p class="readout"><strong>${name}</strong> ${quotingEnglish(this.#looks(run, at))}</p>`;
  }

  #looks(run: Run, at: number): string {
    const { words, layer, head } = this;
    const nameOf = (token: number): string =>
      token === 0 ? words.text('story.start') : words.text('story.quoted', { word: run.pieces[token]!.trim() });
    return looksText(words, nameOf, at, run.looks(layer, head, at));
  }

  /** Whether the story is broken, why, and what broken means; nothing if it is not written or not changed. */
  #verdictTexts(): string[] {
    const { words } = this;
    const verdict = this.#verdict;
    if (verdict === undefined) return [];
    const share = (value: number): string => words.percent(value, 0);
    return [
      words.text(isBroken(verdict) ? 'story.broken' : 'story.stands', { what: this.#changedName }),
      words.text('story.likelihood', {
        share: share(verdict.share),
        own: share(verdict.own),
        repetition: share(verdict.repetition),
      }),
      words.text('story.threshold', { least: share(BROKEN), circles: share(CIRCLES) }),
    ];
  }

  get #hunts(): Record<'order' | 'heads' | 'few', { readonly text: string; readonly state?: string }> {
    const { words } = this;
    const fewest = this.#goals.least('silent');
    return {
      order: { text: words.text('story.goalOrder') },
      heads: {
        text: words.text('story.goalHeads'),
        ...(fewest !== undefined && { state: words.text('story.fewest', { count: fewest }) }),
      },
      few: { text: words.text('story.goalFew', { count: FEW }) },
    };
  }

  /** How near the story is to breaking, and the goals. */
  #game(): TemplateResult {
    const { words } = this;
    const verdict = this.#verdictTexts().join(' ');
    return html`<div class="game">
      <p class="remark" ?data-control=${verdict === ''}>${verdict || words.text('story.question')}</p>
      ${this.goals ? this.#goals.list(words, this.#hunts) : nothing}
    </div>`;
  }

  readonly #loadOrSend = (): void => {
    if (this.#writer !== undefined) {
      this.send();
      return;
    }
    this.say();
    void this.#open();
  };

  /** What the model is, a button that loads it if it has not come by itself, and one that sends the two texts. */
  #foot(): TemplateResult {
    const { words, state } = this;
    const load = words.text(state === 'asked' ? 'story.loading' : 'story.load');
    const send = words.text(this.isSent ? 'tools.linkCopied' : 'story.send');
    return html`<div class="foot">
      <button type="button" data-control aria-disabled=${state === 'asked'} @click=${this.#loadOrSend}>
        ${this.#writer === undefined ? load : send}
      </button>
      ${
        state === 'failed'
          ? html`<p class="remark" role="alert">${words.text('story.failed')}</p>`
          : html`<p class="remark">${words.text('story.about')}</p>`
      }
    </div>`;
  }

  /** One row per token: its place, its text and id as trained, and the same with changes. */
  protected override data(): FigureData {
    const { words } = this;
    const writer = this.#writer;
    if (writer === undefined) return { columns: [words.text('viewer.empty')], rows: [] };
    const { plain, changed } = this.#shown(writer);
    const runs = [
      { name: words.text('story.plain'), tokens: plain.tokens },
      ...(changed === undefined ? [] : [{ name: this.#changedName, tokens: changed.tokens }]),
    ];
    const columns = runs.flatMap(({ name }) => [
      `${words.text('token')}: ${name}`,
      `${words.text('story.number')}: ${name}`,
    ]);
    const longest = Math.max(...runs.map(({ tokens }) => tokens.length));
    const rows = Array.from({ length: longest }, (_, place) => [
      place + 1,
      ...runs.flatMap(({ tokens }) =>
        tokens[place] === undefined ? ['', ''] : [writer.nameOf(tokens[place]), tokens[place]],
      ),
    ]);
    return { columns: [words.text('position'), ...columns], rows };
  }

  protected override code(): FigureCode {
    const beginning = this.#writer === undefined ? [1] : this.#given(this.#writer);
    return storyCode(beginning, this.steps, this.#changes ?? AS_TRAINED);
  }
}

/** The largest of what a token gives to others than itself and the one that starts the text. */
function strongest(looks: Float32Array): number {
  return looks.subarray(1, -1).reduce((a, b) => Math.max(a, b), 0);
}

/** Whether a reader of this language needs no translation. */
function isEnglish(locale: string): boolean {
  return languageOf(locale) === 'en';
}

/** Calls `run` when the browser has nothing else to do. */
function whenIdle(run: () => void): void {
  // Not every engine has it.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run);
  else setTimeout(run, 200);
}

defineFigure('language-model', LanguageModel);
