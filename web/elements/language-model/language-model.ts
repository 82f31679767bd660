import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { load } from 'wasm-attention';
import { languageOf } from '../languages.js';
import { hint, textField, toggle } from '../shared/controls/controls.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles } from '../shared/goals.js';
import { SizeObserver } from '../shared/observers.js';
import { STORY } from '../shared/story/story-texts.js';
import { openWriter, type Writer } from '../shared/story/writer.js';
import { clipped } from '../shared/tokens.js';
import { storyCode } from './code.js';
import { headGrid } from './head-grid.js';
import { clearArcs, drawArcs, glossLine, storyLine } from './line.js';
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
    for (const goal of reached) this.#goals.reach(goal);
  }

  /** How good the text with changes is, once it is written. */
  get #verdict(): Verdict | undefined {
    return this.#writer && this.#runs.verdict(this.#writer, this.#given(this.#writer).length);
  }

  override change(settings: Readonly<Record<string, unknown>>): void {
    this.#isPlayed = true;
    super.change(settings);
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
    const at = shown && this.#at(shown.changed ?? shown.plain);
    return html`<div class="teller" ?inert=${writer === undefined}>
        ${this.#lines(writer, shown)} ${this.#beginnings(writer)}
        <div class="lab">
          ${headGrid(words, {
            silent,
            layer,
            head,
            strength: (layer, head) =>
              at === undefined ? 0 : strongest((shown!.changed ?? shown!.plain).looks(layer, head, at)),
            onShow: (layer, head) => this.change({ layer, head }),
            onSilence: (silent) => this.change({ silent }),
          })}
          <div>${this.#readout(shown, at)} ${this.#game()}</div>
        </div>
      </div>
      ${this.#foot()}`;
  }

  #lines(writer: Writer | undefined, shown: Shown | undefined): TemplateResult {
    const { words } = this;
    const choose = (at: number): void => this.change({ word: at === this.word - 1 ? 0 : at + 1 });
    const name = words.text('story.plain');
    const { plain, changed } = shown ?? {
      plain: { tokens: [], pieces: [STILL], canContinue: false },
      changed: undefined,
    };
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

  #beginnings(writer: Writer | undefined): TemplateResult {
    const { words } = this;
    const begin = (text: string): void => this.change({ text: clipped(text), word: 0 });
    const isCut = (writer?.tokensOf(this.#beginning, LONGEST_BEGINNING + 1).length ?? 0) > LONGEST_BEGINNING;
    return html`<div class="beginnings" data-control>
      <div class="samples" role="group" aria-label=${words.text('story.samples')} lang="en">
        ${SAMPLES.map(
          (text) =>
            html`<button type="button" aria-pressed=${text === this.#beginning} @click=${() => begin(text)}>
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
      <p class="remark" role="status">${isCut ? words.text('story.cut', { count: LONGEST_BEGINNING }) : nothing}</p>
    </div>`;
  }

  /** What the chosen word looks at. */
  #readout(shown: Shown | undefined, at: number | undefined): TemplateResult {
    const { words, layer, head } = this;
    const name = words.text('viewer.head', { layer, head });
    if (shown === undefined || at === undefined)
      return html`<p class="readout" data-control><strong>${name}</strong> ${hint(words.text('story.hint'))}</p>`;
    const run = shown.changed ?? shown.plain;
    const nameOf = (token: number): string =>
      token === 0 ? words.text('story.start') : `“${run.pieces[token]!.trim()}”`;
    const keys = Array.from(run.looks(layer, head, at), (weight, token) => ({ weight, token }))
      .sort((a, b) => b.weight - a.weight)
      .slice(0, 3)
      .map(({ weight, token }) => `${nameOf(token)} ${words.number(weight, 2)}`);
    const text = words.text('viewer.strongest', { query: nameOf(at), keys: keys.join(', ') });
    return html`<p class="readout" role="status"><strong>${name}</strong> ${text}</p>`;
  }

  /** How near the story is to breaking, and the goals. */
  #game(): TemplateResult {
    const { words } = this;
    const verdict = this.#verdict;
    const share = (value: number): string => words.percent(value, 0);
    const fewest = this.#goals.least('silent');
    return html`<div class="game">
      <p class="remark" role="status" ?data-control=${verdict === undefined}>
        ${
          verdict === undefined
            ? words.text('story.question')
            : html`${words.text(isBroken(verdict) ? 'story.broken' : 'story.stands', { what: this.#changedName })}
              ${words.text('story.likelihood', {
                share: share(verdict.share),
                own: share(verdict.own),
                repetition: share(verdict.repetition),
                least: share(BROKEN),
                circles: share(CIRCLES),
              })}`
        }
      </p>
      ${
        this.goals
          ? this.#goals.list(words, {
              order: { text: words.text('story.goalOrder') },
              heads: {
                text: words.text('story.goalHeads'),
                ...(fewest !== undefined && { state: words.text('story.fewest', { count: fewest }) }),
              },
              few: { text: words.text('story.goalFew', { count: FEW }) },
            })
          : nothing
      }
    </div>`;
  }

  /** What the model is, a button that loads it if it has not come by itself, and one that sends the two texts. */
  #foot(): TemplateResult {
    const { words, state } = this;
    const isMissing = this.#writer === undefined;
    const isFailed = state === 'failed';
    return html`<div class="foot">
      ${
        isMissing
          ? html`<button type="button" data-control ?disabled=${state === 'asked'} @click=${() => void this.#open()}>
              ${words.text(state === 'asked' ? 'story.loading' : 'story.load')}
            </button>`
          : html`<button type="button" class="send" data-control @click=${() => this.send()}>
              ${words.text(this.isSent ? 'tools.linkCopied' : 'story.send')}
            </button>`
      }
      <p class="remark" role="status">${words.text(isFailed ? 'story.failed' : 'story.about')}</p>
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
