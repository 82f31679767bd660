import { html, nothing, type CSSResultGroup, type CSSResultOrNative, type TemplateResult } from 'lit';
import { load, type WasmAttention } from 'wasm-attention';
import { AttributeElement } from '../attribute-element.js';
import { controlStyles } from '../controls/control-styles.js';
import { choices, slider, type Slider } from '../controls/controls.js';
import { followHost } from '../dark-host.js';
import { define } from '../define.js';
import type { Picture } from '../../package-types.js';
import { Localised, type Translations } from '../localised.js';
import { valueOf, type Settings, type Values } from '../settings.js';
import { baseStyles } from '../styles.js';
import { tableStyles } from '../table-styles.js';
import type { FigureCode, FigureData } from './figure-data.js';
import { figureHosts } from './figure-hosts.js';
import { toolStyles } from './figure-tools-styles.js';
import { FigureTools } from './figure-tools.js';
import { settingsInLink, withSettings } from './share-link.js';
import { Voice } from './voice.js';

/**
 * A figure that computes. It loads the library once it is in the page, speaks the page's language, says so if
 * WebAssembly is missing, takes its settings from attributes and from the URL, says what it shows, and has the tools
 * that every figure has: reset, link, export, code, full screen.
 *
 * A figure extends `figureWith(settings)`, draws in `renderFigure`, and gives `sentence`, `data` and `code`;
 * `defineFigure` registers it.
 *
 * @fires figure-change - the reader changed a setting; `detail` has all settings by name
 * @fires figure-error - the library could not be loaded; `detail` is the cause
 */
export abstract class FigureElement extends AttributeElement {
  /** The settings; each is a property and, in kebab case, an attribute. */
  static readonly settings: Settings = {};
  /** Texts that are loaded with the figure, besides those that all figures share. */
  static readonly texts: readonly Translations<string>[] = [];

  protected readonly words: Localised = new Localised(this, ...(this.constructor as typeof FigureElement).texts);
  /** The settings that the page's author gave. */
  #first: Readonly<Record<string, unknown>> = {};
  #started = false;
  readonly #tools = new FigureTools(this, this.words);
  /** The sentence of the present drawing. */
  #sentence = '';
  readonly #voice = new Voice(this, () => this.#result());
  /** The outcome before the change of which the figure has not spoken yet. */
  #before: string | undefined;
  #library: WasmAttention | undefined;
  #failed = false;

  constructor() {
    super();
    figureHosts.add(this);
    for (const [name, { initial }] of Object.entries(this.settings)) this.#set(name, initial);
  }

  /** The figure's own styles. */
  static override styles: CSSResultGroup = [];

  /** Adds the styles that all figures have to a figure's own. */
  protected static override finalizeStyles(styles?: CSSResultGroup): CSSResultOrNative[] {
    return super.finalizeStyles([tableStyles, baseStyles, controlStyles, styles ?? [], toolStyles]);
  }

  get settings(): Settings {
    return (this.constructor as typeof FigureElement).settings;
  }

  /** The settings that the page's author gave: those of a link without any. */
  get firstSettings(): Readonly<Record<string, unknown>> {
    return this.#first;
  }

  protected set firstSettings(first: Readonly<Record<string, unknown>>) {
    this.#first = first;
  }

  override connectedCallback(): void {
    if (!this.#started) followHost(this);
    super.connectedCallback();
    if (this.#started) return;
    this.#started = true;
    this.#first = this.#values();
    const given = settingsInLink(this, location.href);
    for (const [name, value] of Object.entries(given)) this.#set(name, value);
    void this.#load();
  }

  /** The question in the figure's caption; empty if there is none. */
  get question(): string {
    const text = this.closest('figure')?.querySelector('figcaption strong')?.textContent ?? '';
    return text.replace(/\s+/g, ' ').trim();
  }

  /** The question in the figure's caption, else its accessible name, else its tag. */
  get figureName(): string {
    return [this.question, this.getAttribute('aria-label')].find((text) => text) ?? this.localName;
  }

  /** The figure's number in the page, else its name. */
  get shortName(): string {
    return this.closest('figure')?.querySelector('figcaption .number')?.textContent ?? this.figureName;
  }

  /** What the figure shows now; empty until it is drawn. */
  get description(): string {
    const library = this.#library;
    return library === undefined || !this.words.ready ? '' : this.sentence(library);
  }

  /** Changes settings as the reader would, fires `figure-change`, and says what the figure then shows. */
  change(settings: Readonly<Record<string, unknown>>): void {
    if (this.#library !== undefined && !this.#voice.isPending) this.#before = this.outcome?.(this.#library);
    this.say();
    for (const [name, value] of Object.entries(settings)) this.#set(name, value);
    this.dispatchEvent(new CustomEvent('figure-change', { detail: this.#values(), bubbles: true, composed: true }));
  }

  /** The page's URL with those of the figure's settings that differ from the initial ones. */
  addSettingsTo(address: string): string {
    return withSettings(this, address, this.#first);
  }

  /** The figure's current state as a standalone SVG. Rejects until the figure is drawn. */
  async picture(): Promise<Picture> {
    const { pictureOf } = await import('../export/svg.js');
    const stage = this.renderRoot.querySelector('.stage');
    if (stage === null) throw new Error(`picture: expected <${this.localName}> to have drawn itself`);
    const { figureName: title, description, words } = this;
    return this.exported(() => pictureOf(stage, { title, description, language: words.language }));
  }

  /** Makes the picture of what is shown. */
  protected exported(make: () => Picture): Picture {
    return make();
  }

  /** Restores the settings that the page's author gave. */
  reset(): void {
    this.change(this.#first);
  }

  /**
   * Shows a state that the page describes: the initial settings with these changes. Loads what readers otherwise have
   * to ask for.
   */
  show(settings: Readonly<Record<string, unknown>>): void {
    this.reset();
    this.change(settings);
  }

  /** Sends the link to the present state, or copies it; then `isSent` is true for a moment. */
  protected send(): void {
    void this.#tools.send();
  }

  protected get isSent(): boolean {
    return this.#tools.isLinkCopied;
  }

  /** The library, once it is loaded. */
  protected get library(): WasmAttention | undefined {
    return this.#library;
  }

  protected override render(): TemplateResult {
    // Until it is drawn, a figure shows what the page has put into it.
    if (!this.words.ready) return html`<slot></slot>`;
    if (this.#failed) return html`<p class="failure" role="alert">${this.words.text('unsupported')}</p>`;
    const library = this.#library;
    if (library === undefined) return html`<slot></slot>`;
    this.#sentence = this.sentence(library);
    return html`${this.#tools.renderHead()}
      <div class="stage" role="group" aria-label=${this.figureName} aria-describedby="shown">
        ${this.renderFigure(library)}
      </div>
      <span id="shown" hidden>${this.#sentence}</span>
      ${this.#voice.place()} ${this.#tools.render({ data: () => this.data(library), code: () => this.code() })}`;
  }

  /** Loads what else the figure needs before it is drawn. */
  protected prepare?(): Promise<void>;

  /**
   * The picture and its controls. Called only when library and texts are loaded. Exports leave out form controls and
   * `details`.
   */
  protected abstract renderFigure(library: WasmAttention): TemplateResult;

  /**
   * What the figure shows now, in one or two short sentences made from its data, for whoever does not see it: the line
   * below the picture, its description for screen readers, and the alternative text of exported pictures.
   */
  protected abstract sentence(library: WasmAttention): string;

  /** What alone is to be said after the last change, if that is less than the sentence. */
  protected news?(): string | undefined;

  /** What most changes with the settings, in a few words. After a change the figure also says what it was before. */
  protected outcome?(library: WasmAttention): string;

  /** Whether what the figure shows is final. It does not speak until then. */
  protected isSettled(): boolean {
    return true;
  }

  /** Says, soon after the last change, these texts and what the figure then shows. */
  protected say(...first: readonly string[]): void {
    if (this.#library !== undefined) this.#voice.changed(...first);
  }

  /**
   * The line below the picture: the figure's sentence, or `instead`, what the reader points at. `longest` is a text
   * whose height it reserves.
   */
  protected line(longest?: string, instead?: unknown): TemplateResult {
    return html`<p class="readout" data-longest=${longest ?? nothing}><span>${instead ?? this.#sentence}</span></p>`;
  }

  /** The figure's numbers. */
  protected abstract data(library: WasmAttention): FigureData;

  /** The figure's code. */
  protected abstract code(): FigureCode;

  /** A slider for the setting `name`, over its range. `given` overrides its properties. */
  protected slider(name: string, label: string, given: Partial<Slider> = {}): TemplateResult {
    const value = this.#values()[name] as number;
    const limits = this.settings[name]!.limits!;
    const text = this.words.number(value);
    const onInput = (to: number): void => this.change({ [name]: to });
    return slider({ name, label, value, text, onInput, ...limits, ...given });
  }

  /** Radio buttons for the setting `name`, and what follows them. */
  protected choices<T>(
    name: string,
    legend: string,
    values: readonly T[],
    label: (value: T) => string | TemplateResult,
    more?: TemplateResult,
  ): TemplateResult {
    const chosen = this.#values()[name] as T;
    const onChoose = (value: T): void => this.change({ [name]: value });
    return choices({ name, legend, values, chosen, label, onChoose, more });
  }

  /** What the figure says after a change. */
  #result(): string | undefined {
    const library = this.#library;
    if (library === undefined || !this.isSettled()) return undefined;
    const sentence = this.news?.() ?? this.sentence(library);
    const before = this.#before;
    if (before === undefined || before === this.outcome?.(library)) return sentence;
    return `${sentence} ${this.words.text('voice.before', { before })}`;
  }

  #set(name: string, value: unknown): void {
    (this as unknown as Record<string, unknown>)[name] = value;
  }

  #values(): Record<string, unknown> {
    const values = this as unknown as Readonly<Record<string, unknown>>;
    return Object.fromEntries(Object.keys(this.settings).map((name) => [name, values[name]]));
  }

  async #load(): Promise<void> {
    let library: WasmAttention | undefined;
    try {
      [library] = await Promise.all([load(), this.prepare?.()]);
    } catch (error) {
      this.#failed = true;
      // The reader sees a sentence; the embedding page gets the cause.
      this.dispatchEvent(new CustomEvent('figure-error', { detail: error, bubbles: true, composed: true }));
    }
    if (library !== undefined) await this.#warmUp(library);
    this.#library = library;
    this.requestUpdate();
  }

  /**
   * Prepares the first drawing, which is the page's longest task on a slow phone: the first use of a language's number
   * format, and the first call of each function, are tasks of their own.
   */
  async #warmUp(library: WasmAttention): Promise<void> {
    await nextTask();
    if (!this.words.ready) return;
    this.words.number(0.5);
    await nextTask();
    this.sentence(library);
    this.renderFigure(library);
    await nextTask();
  }
}

/** Yields to the browser. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The base class of a figure with these settings, which become properties of the element. */
export function figureWith<S extends Settings>(
  settings: S,
): Pick<typeof FigureElement, keyof typeof FigureElement> & (abstract new () => FigureElement & Values<S>) {
  abstract class Figure extends FigureElement {
    static override readonly settings = settings;
  }
  return Figure as unknown as ReturnType<typeof figureWith<S>>;
}

/** Registers a figure under its tag, with its settings as properties and attributes. */
export function defineFigure(
  tag: string,
  figure: CustomElementConstructor & Pick<typeof FigureElement, 'settings' | 'createProperty'>,
): void {
  for (const [name, setting] of Object.entries(figure.settings)) {
    const attribute = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    figure.createProperty(name, { attribute, converter: (given: unknown) => valueOf(setting, given) });
  }
  define(tag, figure);
}
