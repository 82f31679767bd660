import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { LensArrays } from '../../package-types.js';
import { AttributeElement } from '../attribute-element.js';
import { controlStyles } from '../controls/control-styles.js';
import { hint } from '../controls/controls.js';
import { Width } from '../controls/width.js';
import { followHost } from '../dark-host.js';
import { define } from '../define.js';
import { dataTable } from '../figure/data-table.js';
import type { FigureData } from '../figure/figure-data.js';
import { toolStyles } from '../figure/figure-tools-styles.js';
import { viewerTools } from '../figure/viewer-tools.js';
import type { Cell } from '../heat-map/cursor.js';
import '../heat-map/heat-map.js';
import { mapAxesStyles } from '../heat-map/map-axes.js';
import { anew } from '../anew.js';
import { Localised } from '../localised.js';
import { nextTokensStyles } from '../next-tokens.js';
import { baseStyles } from '../styles.js';
import { tableStyles } from '../table-styles.js';
import { aspectOf, cellText, column, lensMap, rankText, rowText, ticksOf, type LensMap } from './lens-map.js';
import { lensViewerStyles } from './lens-viewer-styles.js';
import { lensesOf, NO_LENSES, type Lens, type Lenses } from './lens.js';
import { LENS, type LensWords } from './words.js';

/** The most rows of the table: more take a browser seconds. */
const MOST_ROWS = 2000;

/**
 * `<lens-viewer>`: the logit lens. For each layer and each token of a text, the next token that the model would predict if it
 * ended there, with its probability as colour; or the rank of one token everywhere. A second lens, with heads or neurons
 * ablated, is shown beside.
 *
 * Give it logits with `loadArrays`.
 *
 * @fires follow-change - the reader follows another token, or none; `detail` has `followed`, its id or null
 */
export class LensViewer extends AttributeElement {
  /** What the shadow root adopts. */
  static override styles = [
    baseStyles,
    controlStyles,
    tableStyles,
    toolStyles,
    mapAxesStyles,
    nextTokensStyles,
    lensViewerStyles,
  ];
  static override properties = {
    lenses: { attribute: false },
    followed: { type: Number },
    cell: { state: true },
    note: { state: true },
    failure: { state: true },
    spoken: { state: true },
    tableOpen: { state: true },
  };

  /**
   * What to show. Pages call `loadArrays`, which checks its arguments.
   *
   * @internal
   */
  declare lenses: Lenses;
  /** The id of the token whose rank is shown; default none. */
  declare followed: number | null;
  /** The layer and the token that the reader points at, from 0. */
  declare protected cell: Cell;
  /** Why a file could not be saved, or which token is unknown. */
  declare protected note: string;
  /** Why the logits could not be read. */
  declare protected failure: string;
  /** What is said once another token is followed. */
  declare protected spoken: string;
  declare protected tableOpen: boolean;

  readonly #words: LensWords = new Localised(this, LENS);
  readonly #width = new Width(this, '.map');
  /** Counts readings: a later one ends those before it. */
  #readings = 0;
  /** Whether the reader has chosen a token to follow, or none, which is said once its ranks are known. */
  #hasChosen = false;

  constructor() {
    super();
    this.lenses = NO_LENSES;
    this.followed = null;
    this.cell = { row: 0, column: 0 };
    this.note = this.failure = this.spoken = '';
    this.tableOpen = false;
  }

  /**
   * Shows logits.
   *
   * @throws TypeError, RangeError for invalid arrays or shapes, without any change
   */
  loadArrays(arrays: LensArrays): void {
    this.lenses = lensesOf(arrays);
  }

  /**
   * The most likely tokens in all cells, with their probabilities: what the CSV has.
   *
   * @internal
   */
  data(): FigureData {
    const { sides, tokens, nameOf } = this.lenses;
    const words = this.#words;
    const followed = this.#followed;
    const kept = sides[0]?.best[0]?.length ?? 0;
    const nth = Array.from({ length: kept }, (_, i) => [
      words.text('lens.nth', { number: i + 1 }),
      words.text('lens.share', { number: i + 1 }),
    ]);
    const own = [
      ...nth.flat(),
      ...(followed === undefined ? [] : [words.text('lens.rankOf', { token: nameOf(followed) })]),
    ];
    const others = sides.length > 1 ? own.map((name) => words.text('lens.off', { name })) : [];
    const values = ({ best, ranks }: Lens, at: number): (string | number)[] => [
      ...Array.from({ length: kept }, (_, i) => best[at]?.[i]).flatMap((each) =>
        each === undefined ? ['', NaN] : [nameOf(each.at), each.share],
      ),
      ...(followed === undefined ? [] : [ranks[at] ?? NaN]),
    ];
    return {
      columns: [words.text('lens.layer'), words.text('lens.number'), words.text('token'), ...own, ...others],
      rows: (sides[0]?.best ?? []).map((_, at) => [
        Math.floor(at / tokens.length) + 1,
        (at % tokens.length) + 1,
        tokens[at % tokens.length]!,
        ...sides.flatMap((side) => values(side, at)),
      ]),
    };
  }

  override connectedCallback(): void {
    if (!this.hasUpdated) followHost(this);
    super.connectedCallback();
    if (this.hasUpdated) void this.#read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    ++this.#readings;
  }

  /** Repaints the maps. Needed only after the page has changed `color-scheme` itself. */
  readonly repaint = (): void => this.renderRoot.querySelectorAll('heat-map').forEach((map) => map.repaint());

  protected override willUpdate(changed: PropertyValues<LensViewer>): void {
    const { sides, tokens } = this.lenses;
    const [first] = sides;
    const before = changed.get('lenses');
    if (changed.has('lenses') && first) {
      const isSame = before?.sides[0]?.layers === first.layers && before.tokens.length === tokens.length;
      if (!isSame) this.cell = { row: first.layers - 1, column: tokens.length - 1 };
    }
    if (changed.has('lenses') || changed.has('followed')) void this.#read();
    // The page's policy forbids style attributes; custom properties set from a script are fine.
    const set = (name: string, value: unknown): void => this.style.setProperty(name, String(value));
    if (first === undefined) return;
    set('--_aspect', aspectOf(first, this.#width.pixels));
    set('--_ticks', ticksOf(tokens, this.#width.pixels));
  }

  protected override updated(): void {
    if (this.renderRoot.querySelector('.map') !== null) this.toggleAttribute('drawn', true);
  }

  protected override render(): TemplateResult {
    const words = this.#words;
    if (!words.ready) return html``;
    const { sides } = this.lenses;
    if (sides.length === 0) return html`<p class="readout">${words.text('lens.empty')}</p>`;
    return html`<div class="stage">
        <div class=${sides.length > 1 ? 'board both' : 'board'}>
          ${sides.map((lens, i) => this.#side(lens, this.#names[i]))}
        </div>
        ${this.#scale()}
        <p class="remark">${hint(words.text('lens.hint'))}</p>
      </div>
      ${this.#follow()}
      <p class="note" role="alert">${this.failure}${this.note}</p>
      <span class="spoken" role="status">${this.spoken}</span>
      ${this.#tools()}`;
  }

  #side(lens: Lens, name: string | undefined): TemplateResult {
    const { lenses, cell } = this;
    const followed = this.#followed;
    const shown: LensMap = {
      lens,
      lenses,
      cell,
      followed,
      width: this.#width.pixels,
      cellText: (at) => this.#said((each) => cellText(this.#words, each, lenses, at, followed)),
      rowText: (row) => this.#said((each) => rowText(this.#words, each, lenses, row, followed)),
    };
    return html`<div class="side">
      <div>
        ${name === undefined ? nothing : html`<p class="name">${name}</p>`}
        ${lensMap(this.#words, shown, (to) => (this.cell = { row: to.row, column: to.column }))} ${this.#readout(lens)}
      </div>
      ${column(this.#words, shown)}
    </div>`;
  }

  /** The two lenses' names, where there are two. */
  get #names(): readonly string[] {
    return this.lenses.sides.length > 1 ? [this.#words.text('lens.model'), this.#words.text('lens.ablated')] : [];
  }

  /** What is said of each lens, with its name. */
  #said(text: (lens: Lens) => string): string {
    const names = this.#names;
    return this.lenses.sides.map((lens, i) => (names[i] ? `${names[i]}: ${text(lens)}` : text(lens))).join('. ');
  }

  /** The candidates in the cell, each a button by which the reader follows it. */
  #readout(lens: Lens): TemplateResult {
    const words = this.#words;
    const { tokens, nameOf } = this.lenses;
    const { row, column } = this.cell;
    const at = row * tokens.length + column;
    const followed = this.#followed;
    const candidate = (id: number, share: number): TemplateResult =>
      html`<button
        type="button"
        data-picture
        aria-pressed=${id === followed}
        @click=${() => this.#choose(id === followed ? null : id)}
      >
        ${nameOf(id)} ${words.percent(share, 1)}
      </button>`;
    return html`<div class="readout">
      ${words.text('lens.place', { layer: row + 1, token: tokens[column] ?? '' })}
      <div class="candidates">${(lens.best[at] ?? []).map(({ at: id, share }) => candidate(id, share))}</div>
      ${rankText(words, lens, this.lenses, at, followed) || nothing}
    </div>`;
  }

  /** What the colours mean. */
  #scale(): TemplateResult {
    const { sides, nameOf } = this.lenses;
    const followed = this.#followed;
    if (followed === undefined) return html`<ramp-legend low="0" high="1"></ramp-legend>`;
    const count = this.#words.number(sides[0]?.size ?? 0);
    return html`<p class="remark">${this.#words.text('lens.scale', { token: nameOf(followed), count })}</p>`;
  }

  #follow(): TemplateResult {
    const words = this.#words;
    const { nameOf, find } = this.lenses;
    const followed = this.#followed;
    const read = ({ target }: Event): void => {
      const text = (target as HTMLInputElement).value;
      const found = text === '' ? null : find(text);
      if (found === undefined) this.note = words.text('lens.unknown', { text });
      else this.#choose(found);
    };
    // The button goes away.
    const all = (): void => {
      this.#choose(null);
      this.renderRoot.querySelector<HTMLElement>('#followed')?.focus();
    };
    return html`<div class="follow">
      <div class="text-field">
        <label for="followed">${words.text('lens.follow')}</label>
        <input
          id="followed"
          type="text"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          .value=${live(followed === undefined ? '' : nameOf(followed))}
          @change=${read}
        />
      </div>
      ${followed === undefined ? nothing : html`<button type="button" @click=${all}>${words.text('lens.all')}</button>`}
    </div>`;
  }

  #tools(): TemplateResult {
    const tools = viewerTools(this, this.#words, {
      caption: this.#title(),
      data: () => this.data(),
      table: { name: 'table', choose: () => (this.tableOpen = !this.tableOpen), open: this.tableOpen },
      note: (text) => (this.note = text),
    });
    return html`${tools} ${this.tableOpen ? this.#table() : nothing}`;
  }

  #table(): TemplateResult {
    const words = this.#words;
    const { columns, rows } = this.data();
    const part = words.text('lens.part', { rows: words.number(MOST_ROWS) });
    return html`${rows.length > MOST_ROWS ? html`<p class="remark">${part}</p>` : nothing}
      <div class="figure-values">${dataTable({ columns, rows: rows.slice(0, MOST_ROWS) }, words, this.#title())}</div>`;
  }

  #title(): string {
    const followed = this.#followed;
    if (followed === undefined) return this.#words.text('lens.map');
    return this.#words.text('lens.rankMap', { token: this.lenses.nameOf(followed) });
  }

  /** An attribute may be no id. */
  get #followed(): number | undefined {
    const { followed } = this;
    return followed !== null && Number.isInteger(followed) && followed >= 0 ? followed : undefined;
  }

  #choose(followed: number | null): void {
    this.note = '';
    this.#hasChosen = followed !== this.followed;
    this.followed = followed;
    this.dispatchEvent(new CustomEvent('follow-change', { detail: { followed }, bubbles: true, composed: true }));
  }

  /** Says the followed token's rank in the cell, or what is most likely there. */
  #sayChoice(): void {
    this.#hasChosen = false;
    const { lenses, cell } = this;
    const followed = this.#followed;
    const at = cell.row * lenses.tokens.length + cell.column;
    const text = (lens: Lens): string =>
      rankText(this.#words, lens, lenses, at, followed) || cellText(this.#words, lens, lenses, cell, followed);
    this.spoken = anew(this.#said(text), this.spoken);
  }

  /** Reads what is missing, and draws it as it comes. */
  async #read(): Promise<void> {
    const reading = ++this.#readings;
    this.failure = '';
    try {
      for (const lens of this.lenses.sides) {
        for await (const _ of lens.read(this.#followed)) {
          if (reading !== this.#readings) return;
          this.requestUpdate();
          await new Promise((resolve) => setTimeout(resolve));
        }
      }
      if (this.#hasChosen && reading === this.#readings) this.#sayChoice();
    } catch (error) {
      if (reading === this.#readings) this.failure = (error as Error).message;
    }
  }
}

define('lens-viewer', LensViewer);

declare global {
  interface HTMLElementTagNameMap {
    'lens-viewer': LensViewer;
  }
}
