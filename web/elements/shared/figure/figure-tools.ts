import { html, nothing, type LitElement, type ReactiveController, type TemplateResult } from 'lit';
import type { Localised } from '../localised.js';
import { CodePanel } from './code-panel.js';
import type { FigureCode, FigureData } from './figure-data.js';
import { FullScreen } from './full-screen.js';
import { saveStage } from './save-stage.js';
import { linkTo, withoutSettings, type Shareable } from './share-link.js';
import { figureEnd, skipButton } from './skip.js';
import { playTool, saveTools, toolMenu, type FileKind, type Tool } from './tool-menu.js';
import { ValuesPanel } from './values-panel.js';

/** A figure as its tools see it. */
interface Figure extends LitElement, Shareable {
  readonly figureName: string;
  readonly shortName: string;
  readonly description: string;
  readonly question: string;
  readonly firstSettings: Readonly<Record<string, unknown>>;
  reset(): void;
}

/** What the tools need of a figure. */
export interface FigureSources {
  readonly data: () => FigureData;
  readonly code: () => FigureCode;
}

/** How long the tools show that something is copied, in milliseconds. */
const CONFIRMATION_TIME = 2500;

/**
 * The tools below every figure: reset, and a menu of link, files, code, full screen and table of values. What is copied
 * is confirmed beside them. If the browser does not allow copying, the text to copy is shown.
 */
export class FigureTools implements ReactiveController {
  #sources: FigureSources | undefined;
  /** The URL to show, because the browser did not allow copying it. */
  #addressOpen = false;
  #copied: 'address' | 'code' | undefined;
  #note = '';
  /** Whether the figure has maps. */
  #plays = false;
  #silence: ReturnType<typeof setTimeout> | undefined;
  readonly #code: CodePanel;
  readonly #table: ValuesPanel;
  readonly #fullScreen: FullScreen;

  constructor(
    private readonly figure: Figure,
    private readonly words: Localised,
  ) {
    figure.addController(this);
    this.#code = new CodePanel(figure, words, (text) => void this.#copyCode(text));
    this.#table = new ValuesPanel(
      figure,
      words,
      () => this.#sources?.data(),
      () => figure.figureName,
    );
    this.#fullScreen = new FullScreen(figure);
  }

  hostDisconnected(): void {
    clearTimeout(this.#silence);
  }

  hostUpdated(): void {
    // Until the figure is drawn, the page reserves a place for it: see `:not([drawn])` in its style sheet.
    const { renderRoot } = this.figure;
    if (renderRoot.querySelector('.stage, .failure') !== null) this.figure.toggleAttribute('drawn', true);
    const plays = renderRoot.querySelector('heat-map, head-viewer, patch-viewer, lens-viewer') !== null;
    if (plays === this.#plays) return;
    this.#plays = plays;
    this.#update();
  }

  /** In the page, a link to skip the figure; in full screen, the caption's question, which is hidden there. */
  renderHead(): TemplateResult | typeof nothing {
    if (!this.#fullScreen.on) return skipButton(this.figure, this.words);
    const { question } = this.figure;
    return question === '' ? nothing : html`<p class="question">${question}</p>`;
  }

  render(sources: FigureSources): TemplateResult {
    this.#sources = sources;
    const { words, figure } = this;
    const full = this.#fullScreen;
    const tools: readonly Tool[] = [
      { name: 'tools.link', choose: () => void this.copyLink() },
      ...saveTools((kind) => void this.#save(kind)),
      this.#code.tool(this.#closeOthers),
      { name: 'table', choose: this.#toggleTable, open: this.#table.open },
      ...(this.#plays ? [playTool] : []),
      ...(full.possible && !full.on ? [{ name: 'tools.fullScreen', choose: full.toggle } as const] : []),
    ];
    return html`<div class="tools">
        <button type="button" @click=${() => figure.reset()}>${words.text('tools.reset')}</button>
        ${toolMenu(words, tools, figure.shortName)}
        ${
          full.on
            ? html`<button type="button" @click=${full.toggle}>${words.text('tools.leaveFullScreen')}</button>`
            : nothing
        }
        <span role="status">${this.#confirmation()}</span>
      </div>
      ${this.#note === '' ? nothing : html`<p class="note" role="alert">${this.#note}</p>`}
      ${this.#code.render(sources.code)} ${this.#addressPanel()}
      ${this.#table.place()}${figureEnd(figure.shortName, words)}`;
  }

  #addressPanel(): TemplateResult | typeof nothing {
    if (!this.#addressOpen) return nothing;
    return html`<div class="panel">
      <label
        >${this.words.text('tools.address')} <input class="address" type="text" readonly .value=${this.#address()}
      /></label>
    </div>`;
  }

  #confirmation(): string {
    if (this.#copied === undefined) return '';
    return this.words.text(this.#copied === 'address' ? 'tools.linkCopied' : 'tools.copied');
  }

  #address(): string {
    return linkTo(this.figure, withoutSettings(location.href), this.figure.firstSettings);
  }

  /** Whether the link has just been copied. */
  get isLinkCopied(): boolean {
    return this.#copied === 'address';
  }

  /** Hands the link to what the device sends with, or copies it. */
  async send(): Promise<void> {
    const url = this.#address();
    const isPhone = matchMedia('(pointer: coarse)').matches && 'share' in navigator;
    if (!isPhone) return this.copyLink();
    // Who closes the device's dialog wants nothing else.
    await navigator.share({ title: document.title, text: this.figure.question, url }).catch(() => undefined);
  }

  /** Copies the link, or shows it where the browser does not allow that. */
  async copyLink(): Promise<void> {
    this.#note = '';
    if (await copies(this.#address())) {
      this.#addressOpen = false;
      this.#say('address');
      return;
    }
    this.#code.close();
    this.#addressOpen = true;
    this.#update();
    await this.#enter('.address');
    this.figure.renderRoot.querySelector<HTMLInputElement>('.address')?.select();
  }

  /** Only one of the two panels is open. */
  readonly #closeOthers = (): void => {
    this.#addressOpen = false;
    this.#note = '';
    this.#update();
    void this.#enter('.panel :checked');
  };

  readonly #toggleTable = (): void => {
    this.#table.toggle();
    void this.#enter('.figure-values .scroller');
  };

  /** Moves the focus to what has opened, if it has. */
  async #enter(selector: string): Promise<void> {
    await this.figure.updateComplete;
    this.figure.renderRoot.querySelector<HTMLElement>(selector)?.focus({ preventScroll: selector !== '.address' });
  }

  async #copyCode(code: string): Promise<void> {
    if (await copies(code)) {
      this.#note = '';
      this.#say('code');
      return;
    }
    const text = this.figure.renderRoot.querySelector('.panel pre');
    if (text !== null) getSelection()?.selectAllChildren(text);
    this.#note = this.words.text('tools.selected');
    this.#update();
  }

  async #save(kind: FileKind): Promise<void> {
    const { figureName: title, description } = this.figure;
    this.#note = await saveStage(kind, this.figure, { title, description }, () => this.#sources!.data(), this.words);
    this.#update();
  }

  readonly #update = (): void => this.figure.requestUpdate();

  #say(what: 'address' | 'code'): void {
    this.#copied = what;
    this.#update();
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#copied = undefined;
      this.#update();
    }, CONFIRMATION_TIME);
  }
}

/** Whether the browser allowed copying the text. */
async function copies(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
