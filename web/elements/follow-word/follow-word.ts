import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { load } from 'wasm-attention';
import { textField } from '../shared/controls/controls.js';
import { Width } from '../shared/controls/width.js';
import type { Picture as Exported } from '../package-types.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles } from '../shared/goals.js';
import type { Translations } from '../shared/localised.js';
import { ViewObserver } from '../shared/observers.js';
import { askStyles, askTemplate } from '../shared/story/ask.js';
import { quotingEnglish } from '../shared/story/looks-text.js';
import { STORY } from '../shared/story/story-texts.js';
import { openWriter, type Writer } from '../shared/story/writer.js';
import { clipped } from '../shared/tokens.js';
import { followCode } from './code.js';
import { picture, type Picture } from './picture.js';
import { MOST, SAMPLES, settings } from './settings.js';
import { steps } from './steps.js';
import { BESIDE, followStyles } from './styles.js';
import { described, shownText, type FollowWords, type Pointed, type Scene } from './symbols.js';
import { sceneData } from './table.js';
import english from './texts/en.json';
import { candidatesOf, likeliest, looksOf, trace, type Candidate, type Trace } from './trace.js';

/** The token that starts a text. */
const START = 1;
const GOALS = { before: 'follow.goalBefore', first: 'follow.goalFirst', change: 'follow.goalChange' } as const;

const FOLLOW: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./texts/${language}.json`),
};

/**
 * `<follow-word>`: one word of a sentence on its way through a head of a real language model, in six steps with the
 * model's own numbers: its vector, its query, key and value, its scores, their softmax, the mixture of the values, and
 * the next token. The reader chooses the word and the head, moves scores, and goes on with a token. The model is loaded
 * with the figure.
 */
export class FollowWord extends figureWith(settings) {
  static override readonly texts = [STORY, FOLLOW];
  static override styles = [askStyles, goalStyles, followStyles];
  static override properties = {
    state: { state: true },
    pointed: { state: true },
    step: { state: true },
    held: { state: true },
    tab: { state: true },
  };

  declare protected readonly words: FollowWords;
  declare protected state: 'asked' | 'failed' | undefined;
  declare protected pointed: Pointed | undefined;
  /** The step whose text the reader reads. */
  declare protected step: number;
  /** The key whose bar, and the place of the symbol that, has a tab stop. */
  declare protected held: number;
  declare protected tab: number;
  #writer: Writer | undefined;
  readonly #plain = lastOf<Trace>();
  readonly #now = lastOf<Trace>();
  readonly #goals = new Goals(this);
  readonly #width = new Width(this);
  #isBeside: boolean | undefined;
  #reading: InstanceType<typeof ViewObserver> | undefined;

  constructor() {
    super();
    this.step = this.held = 1;
    this.tab = 0;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#reading?.disconnect();
    this.#isBeside = undefined;
  }

  override show(given: Readonly<Record<string, unknown>>): void {
    super.show(given);
    void this.#open();
  }

  /** The page reserves the figure's height until it is drawn, so it waits for the model; who saves data has to ask. */
  protected override async prepare(): Promise<void> {
    const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
    if (connection?.saveData === true) return;
    await this.#open();
  }

  async #open(): Promise<void> {
    if (this.#writer !== undefined || this.state === 'asked') return;
    this.state = 'asked';
    try {
      this.#writer = await openWriter(await load());
      this.state = undefined;
    } catch (error) {
      this.state = 'failed';
      this.dispatchEvent(new CustomEvent('figure-error', { detail: error, bubbles: true, composed: true }));
    }
  }

  /** All parts are in the picture. Nobody sees them, and nothing scrolls, because it is made at once. */
  protected override exported(make: () => Exported): Exported {
    const top = scrollY;
    this.toggleAttribute('whole', true);
    const picture = make();
    this.removeAttribute('whole');
    scrollTo({ top, behavior: 'instant' });
    return picture;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const isBeside = this.#width.pixels >= BESIDE;
    if (isBeside !== this.#isBeside) this.#watch((this.#isBeside = isBeside));
    for (const section of this.renderRoot.querySelectorAll('.step')) this.#reading!.observe(section);
  }

  /** Notices which step is read: the one on a line across the window, which is below the picture if the texts are. */
  #watch(isBeside: boolean): void {
    this.#reading?.disconnect();
    this.#reading = new ViewObserver(
      (entries) => {
        const read = entries.find(({ isIntersecting }) => isIntersecting);
        if (read !== undefined) this.step = Number((read.target as HTMLElement).dataset.step);
      },
      { rootMargin: isBeside ? '-33% 0px -66% 0px' : '-76% 0px -23% 0px' },
    );
  }

  protected override renderFigure(): TemplateResult {
    const { words } = this;
    const writer = this.#writer;
    if (writer === undefined) return askTemplate(words, SAMPLES[0], this.state, () => void this.#ask());
    const scene = this.#scene(writer);
    const shown = this.#picture(writer, scene);
    return html`
      <div class="beside">
        <div class="given">
          ${textField({
            name: 'text',
            label: words.text('follow.sentence'),
            value: this.text,
            placeholder: SAMPLES[0],
            onInput: (text) => this.#begin({ text: clipped(text) }),
          })}
          <div class="samples" data-control role="group" aria-label=${words.text('follow.samples')}>
            ${SAMPLES.map((text) => html`<button type="button" lang="en" @click=${() => this.#begin({ text })}>${text}</button>`)}
          </div>
          <p class="remark">${this.#limit(writer, scene) ?? words.text('follow.pieces')}</p>
        </div>
        <div class="board">${picture(shown)}</div>
        <div class="texts">
          ${steps(shown, this.tab, (place) => (this.tab = place))} ${this.goals ? this.#hunts(scene) : nothing}
        </div>
      </div>
    `;
  }

  protected override sentence(): string {
    const writer = this.#writer;
    if (writer === undefined) return this.words.text('story.about');
    const scene = this.#scene(writer);
    const [limit, shown] = [this.#limit(writer, scene), shownText(this.words, scene)];
    return limit === undefined ? shown : `${limit} ${shown}`;
  }

  protected override isSettled(): boolean {
    return this.#writer !== undefined;
  }

  /** Loads the model on request, and then says what is shown. */
  async #ask(): Promise<void> {
    this.say();
    await this.#open();
    await this.updateComplete;
    // The button had the focus, and has gone.
    if (this.#writer !== undefined && document.activeElement === document.body) this.#focus('.sentence [tabindex="0"]');
  }

  /** Says so if the text is too long, or if nothing can follow the word. */
  #limit(writer: Writer, { word }: Scene): string | undefined {
    const isCut = this.tokens.length === 0 && writer.tokensOf(this.#text, MOST + 1).length > MOST;
    if (!isCut && word < MOST) return undefined;
    return this.words.text(isCut ? 'follow.cut' : 'follow.full', { count: MOST });
  }

  #focus(selector: string): void {
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  get #text(): string {
    return this.text.trim() === '' ? SAMPLES[0] : this.text;
  }

  /** Begins with other settings, and at the last word. */
  #begin(given: Readonly<Record<string, unknown>>): void {
    this.change({ tokens: [], word: MOST, moved: [], ...given });
  }

  /** What is shown. */
  #scene(writer: Writer): Scene {
    const { layer, head, temperature } = this;
    const tokens = this.tokens.length > 0 ? this.tokens : writer.tokensOf(this.#text, MOST);
    const word = Math.min(this.word, tokens.length);
    const traced = (moved: Scene['moved']): Trace => trace(writer.model, tokens, { word, layer, head, moved });
    const key = JSON.stringify([tokens, word, layer, head]);
    const moved = new Map(this.moved.filter(([key]) => key <= word));
    const plain = this.#plain(key, () => traced(new Map()));
    const now = moved.size === 0 ? plain : this.#now(key + JSON.stringify([...moved]), () => traced(moved));
    const nameOf = (token: number): string =>
      token === START ? this.words.text('follow.start') : writer.nameOf(token);
    const joined = (token: number): boolean => token !== START && !writer.pieceOf(token).startsWith('␣');
    const names = tokens.map(nameOf);
    return { tokens, names, nameOf, joined, word, layer, head, moved, temperature, plain, now };
  }

  #picture(writer: Writer, scene: Scene): Picture {
    const { words, pointed, step, held } = this;
    const { word } = scene;
    return {
      words,
      scene,
      pointed,
      step,
      held: Math.min(held, word),
      canContinue: word < MOST,
      line: this.#line(scene),
      temperature: html`<div class="controls placed">
        ${this.slider('temperature', words.text('lookup.temperature'), { step: 0.1 })}
      </div>`,
      point: (pointed) => {
        if (JSON.stringify(pointed) !== JSON.stringify(this.pointed)) this.pointed = pointed;
      },
      tell: (pointed) => this.say(described(words, scene, pointed)),
      look: (step) => (this.step = step),
      read: (step) => void this.#read(step),
      follow: (word) => this.change({ word, moved: [] }),
      choose: (layer, head) => {
        this.change({ layer, head, moved: [] });
        const { before, first, enough } = looksOf(scene.plain.maps[layer - 1]!, head, scene.tokens.length);
        if (before >= enough) this.#reach('before');
        if (first >= enough) this.#reach('first');
      },
      hold: (key) => (this.held = key),
      move: (key, score) => {
        this.change({ moved: [...this.moved.filter(([other]) => other !== key), [key, score]] });
        const { plain, now, moved } = this.#scene(writer);
        if (moved.size === 1 && likeliest(plain.logits) !== likeliest(now.logits)) this.#reach('change');
      },
      putBack: () => {
        this.change({ moved: [] });
        // The button goes.
        this.#focus('.rows [tabindex="0"]');
      },
      go: (token = drawn(candidatesOf(scene.now.logits, this.temperature))) => this.#go(writer, scene, token),
    };
  }

  /** Goes on with a token after the word, in place of those that follow. */
  #go(writer: Writer, { tokens, word }: Scene, token: number): void {
    if (word >= MOST) {
      this.say();
      return;
    }
    const longer = [...tokens.slice(0, word), token];
    const text = writer.textOf(longer);
    const same = String(writer.tokensOf(text, MOST)) === String(longer);
    this.change({ text, tokens: same ? [] : longer, word: longer.length, moved: [] });
  }

  async #read(step: number): Promise<void> {
    this.step = step;
    await this.updateComplete;
    const title = this.renderRoot.querySelector<HTMLElement>(`[data-step="${step}"] .title`);
    title?.scrollIntoView({ block: this.#isBeside ? 'nearest' : 'start', behavior: 'instant' });
    title?.focus({ preventScroll: true });
  }

  /** What the reader points at, or what is shown. */
  #line(scene: Scene): TemplateResult {
    const { words, pointed } = this;
    const isBar = pointed?.symbol === 's' && pointed.key !== undefined;
    const text = pointed === undefined || isBar ? shownText(words, scene) : described(words, scene, pointed);
    return this.line(undefined, quotingEnglish(text, words.text('follow.start')));
  }

  /** The goals, and how far the head is from two of them. */
  #hunts({ plain, layer, head, tokens }: Scene): TemplateResult {
    const { words } = this;
    const { before, first, all, enough } = looksOf(plain.maps[layer - 1]!, head, tokens.length);
    const state = (count: number): string => words.text('follow.state', { count, all, enough });
    return this.#goals.list(words, {
      before: { text: words.text(GOALS.before), state: state(before) },
      first: { text: words.text(GOALS.first), state: state(first) },
      change: { text: words.text(GOALS.change) },
    });
  }

  /** Ticks a goal, and says so. */
  #reach(goal: keyof typeof GOALS): void {
    if (!this.goals || this.#goals.has(goal)) return;
    this.#goals.reach(goal);
    this.say(`${this.words.text('goals.reached')}: ${this.words.text(GOALS[goal])}`);
  }

  protected override data(): FigureData {
    const writer = this.#writer;
    if (writer === undefined) return { columns: [this.words.text('viewer.empty')], rows: [] };
    return sceneData(this.words, this.#scene(writer));
  }

  protected override code(): FigureCode {
    const { layer, head, temperature } = this;
    const writer = this.#writer;
    if (writer === undefined)
      return followCode({ tokens: [START], word: 1, layer, head, moved: new Map(), temperature });
    const { tokens, word, moved } = this.#scene(writer);
    return followCode({ tokens, word, layer, head, moved, temperature });
  }
}

/** One of the candidates by chance. */
function drawn(candidates: readonly Candidate[]): number {
  let rest = Math.random();
  return (candidates.find(({ share }) => (rest -= share) < 0) ?? candidates[0]!).token;
}

/** A function that keeps its last result, and makes another one only for another key. */
function lastOf<T>(): (key: string, make: () => T) => T {
  let last: { readonly key: string; readonly value: T } | undefined;
  return (key, make) => {
    if (last?.key !== key) last = { key, value: make() };
    return last.value;
  };
}

defineFigure('follow-word', FollowWord);
