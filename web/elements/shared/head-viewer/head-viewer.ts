/* This file is long because it holds a whole element; data, thumbnails and lines are in files of their own. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { controlStyles } from '../controls/control-styles.js';
import { choice, hint, toggle } from '../controls/controls.js';
import { Width } from '../controls/width.js';
import { followHost } from '../dark-host.js';
import { define } from '../define.js';
import { entropies } from '../entropy/entropy.js';
import { entropyBars, entropyStyles } from '../entropy/entropy-bars.js';
import { isInFigure } from '../figure/figure-hosts.js';
import { watchDevicePixels } from '../heat-map/device-pixels.js';
import { onCell, type CellDetail } from '../heat-map/heat-map.js';
import { shownOf } from '../heat-map/marks.js';
import { rampFor, rampStyles } from '../heat-map/ramps.js';
import { Localised } from '../localised.js';
import { baseStyles } from '../styles.js';
import { shortened } from '../tokens.js';
import { headViewerStyles } from './head-viewer-styles.js';
import { headsOf, NO_HEADS, type HeadArrays, type Heads } from './heads.js';
import { lines, ROW } from './lines.js';
import { paintThumbnails } from './thumbnails.js';

/** Letters of a token on an axis, the least distance of two labels, and what stands beside the large map, in CSS pixels. */
const ROOM = 10;
const LABEL = 12;
const BESIDE = 170;

/** A head, both numbers from 1. */
export interface HeadDetail {
  readonly layer: number;
  readonly head: number;
}

/**
 * `<head-viewer>`: the attention of a whole model over one text. All heads of all layers as thumbnails, and one of them large: as a map
 * with the entropy of each row, or as lines between the tokens.
 *
 * Give it arrays with `loadArrays`.
 *
 * @fires head-change - the reader chose another head; `detail` is a {@link HeadDetail}
 * @fires head-silence - the reader switched a head off or on (only with `silenceable`); `detail` also has `silent`
 */
export class HeadViewer extends LitElement {
  /** What the shadow root adopts. */
  static override styles = [baseStyles, controlStyles, rampStyles, entropyStyles, headViewerStyles];
  static override properties = {
    heads: { attribute: false },
    layer: { type: Number },
    head: { type: Number },
    view: { type: String },
    silenceable: { type: Boolean },
    silent: { attribute: false },
    cell: { state: true },
    query: { state: true },
  };

  /** What is shown. A figure may set it; pages call `loadArrays`, which checks. */
  declare heads: Heads;
  /** The layer and the head that are shown large, from 1; default 1. */
  declare layer: number;
  declare head: number;
  /** How: `map` (default) or `lines`. */
  declare view: 'map' | 'lines';
  /** Whether readers can silence heads; default no. */
  declare silenceable: boolean;
  /** The heads that are silent, each `layer.head`. */
  declare silent: ReadonlySet<string>;
  declare protected cell: CellDetail | undefined;
  declare protected query: number | undefined;

  readonly #words = new Localised(this);
  readonly #width = new Width(this, '.large');
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  #stopWatching: (() => void) | undefined;

  constructor() {
    super();
    this.heads = NO_HEADS;
    this.layer = this.head = 1;
    this.view = 'map';
    this.silenceable = false;
    this.silent = new Set();
  }

  /**
   * Shows weights of attention.
   *
   * @throws TypeError, RangeError for arrays that are none, or do not fit; what was shown stays
   */
  loadArrays(arrays: HeadArrays): void {
    this.heads = headsOf(arrays);
  }

  override connectedCallback(): void {
    if (!this.hasUpdated && !isInFigure(this)) followHost(this);
    super.connectedCallback();
    this.#dark.addEventListener('change', this.repaint);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#dark.removeEventListener('change', this.repaint);
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** Paints the thumbnails again. Needed only after the page has changed `color-scheme` by itself. */
  readonly repaint = (): void => {
    const canvas = this.renderRoot.querySelector<HTMLCanvasElement>('.thumbnails');
    if (canvas !== null) paintThumbnails(canvas, this.heads, rampFor(canvas, 0, 1), devicePixelRatio);
  };

  protected override willUpdate(changed: PropertyValues<HeadViewer>): void {
    const { layers, heads, tokens, keyTokens } = this.heads;
    // The page's policy forbids style attributes; custom properties set from a script are fine.
    const set = (name: string, value: unknown): void => this.style.setProperty(name, String(value));
    // Lines keep to the height of the map that they replace, so that what follows does not move.
    const large = changed.get('view') === 'map' && this.renderRoot.querySelector('.large');
    if (large) set('--_high', getComputedStyle(large).height);
    if (layers === 0) return;
    this.layer = Math.min(this.layer, layers);
    this.head = Math.min(this.head, heads);
    if (!changed.has('heads')) return;
    if (this.query !== undefined && this.query >= tokens.length) this.query = undefined;
    const aspect = keyTokens.length / tokens.length;
    set('--_layers', layers);
    set('--_heads', heads);
    set('--_aspect', aspect);
    set('--_overview', (heads * Math.min(2, Math.max(0.5, aspect))) / layers);
  }

  protected override updated(changed: PropertyValues<HeadViewer>): void {
    const canvas = this.renderRoot.querySelector<HTMLCanvasElement>('.thumbnails');
    if (canvas === null) return;
    if (this.#stopWatching === undefined) {
      this.#stopWatching = watchDevicePixels(canvas, (width, height) => {
        Object.assign(canvas, { width, height });
        this.repaint();
      });
    } else if (changed.has('heads')) this.repaint();
    this.toggleAttribute('drawn', true);
  }

  protected override render(): TemplateResult {
    if (!this.#words.ready) return html``;
    if (this.heads.layers === 0) return html`<p class="readout">${this.#words.text('viewer.empty')}</p>`;
    return html`<div class="board">${this.#overview()} ${this.#large()}</div>`;
  }

  #overview(): TemplateResult {
    const { layers, heads } = this.heads;
    const numbers = (count: number): TemplateResult[] =>
      Array.from({ length: count }, (_, i) => html`<span>${i + 1}</span>`);
    const words = this.#words;
    return html`<div class="overview">
      <div class="numbers of-heads" aria-hidden="true">${numbers(heads)}</div>
      <div class="numbers of-layers" aria-hidden="true">${numbers(layers)}</div>
      <div
        class="grid"
        role="radiogroup"
        aria-label=${words.text('viewer.overview', { layers, heads })}
        @keydown=${this.#onKey}
      >
        <canvas class="thumbnails" aria-hidden="true"></canvas>
        ${Array.from({ length: layers * heads }, (_, i) => this.#thumbnail(Math.floor(i / heads) + 1, (i % heads) + 1))}
      </div>
      <p class="hint">${words.text('viewer.hint')}</p>
    </div>`;
  }

  #thumbnail(layer: number, head: number): TemplateResult {
    const chosen = layer === this.layer && head === this.head;
    const silent = this.silent.has(`${layer}.${head}`);
    const name = this.#words.text('viewer.head', { layer, head });
    return html`<button
      type="button"
      class=${silent ? 'thumbnail silent' : 'thumbnail'}
      role="radio"
      aria-checked=${chosen}
      aria-label=${silent ? `${name}, ${this.#words.text('viewer.silent')}` : name}
      title=${name}
      tabindex=${chosen ? 0 : -1}
      @click=${() => this.#choose(layer, head)}
    ></button>`;
  }

  #large(): TemplateResult {
    const { layer, head } = this;
    const words = this.#words;
    const bits = entropies(this.#map, this.heads.keyTokens.length);
    const seen = bits.filter((value) => !Number.isNaN(value));
    const mean = seen.reduce((sum, value) => sum + value, 0) / seen.length;
    const silent = this.silent.has(`${layer}.${head}`);
    const view = (value: 'map' | 'lines'): TemplateResult =>
      choice('view', words.text(`viewer.${value}`), this.view === value, () => (this.view = value));
    return html`<div class=${this.view === 'map' ? 'large' : 'large as-lines'}>
      <p class="name">
        ${words.text('viewer.head', { layer, head })}
        <small>${words.text('tokens.meanEntropy', { bits: words.number(mean, 1) })}</small>
      </p>
      <div class="switches">
        ${view('map')} ${view('lines')}
        ${
          this.silenceable
            ? toggle(words.text('viewer.silence'), silent, (silent) =>
                this.#tell('head-silence', { layer, head, silent }),
              )
            : nothing
        }
      </div>
      <p class="silent-note" role="status">${silent ? words.text('viewer.silentNote') : nothing}</p>
      ${this.view === 'map' ? this.#asMap(bits) : this.#asLines()}
    </div>`;
  }

  #asMap(bits: readonly number[]): TemplateResult {
    const { tokens, keyTokens } = this.heads;
    const { layer, head } = this;
    const words = this.#words;
    const step = Math.max(
      1,
      Math.ceil(
        (LABEL * Math.max(keyTokens.length, tokens.length)) / Math.max(1, this.#width.pixels - BESIDE),
      ),
    );
    // Some words without those between them say little, and a column of one letter looks like a line: where not all have room, the map
    // numbers its rows and columns.
    const named = (all: readonly string[]): string[] | undefined =>
      step > 1 ? undefined : all.map((token) => shortened(token, ROOM));
    return html`<div class="with-entropies">
        <heat-map
          bare
          .values=${this.#map}
          .mask=${this.heads.mask}
          .rows=${tokens.length}
          .columns=${keyTokens.length}
          .rowLabels=${named(tokens)}
          .columnLabels=${named(keyTokens)}
          .cursor=${this.cell}
          low="0"
          high="1"
          origin="1"
          label=${words.text('viewer.mapLabel', { layer, head })}
          row-name=${words.text('query')}
          column-name=${words.text('key')}
          @cell-change=${onCell((cell) => (this.cell = cell))}
        ></heat-map>
        ${entropyBars(bits, Math.log2(keyTokens.length), shownOf({ count: bits.length, step, cursor: this.cell?.row }), words)}
      </div>
      <p class="readout">${this.#readout()}</p>
      <ramp-legend low="0" high="1"></ramp-legend>`;
  }

  #readout(): TemplateResult {
    const words = this.#words;
    if (this.cell === undefined) return hint(words.text('viewer.pointAt'));
    const { tokens, keyTokens, mask } = this.heads;
    const { row, column } = this.cell;
    const at = row * keyTokens.length + column;
    const masked = words.text(column > row ? 'tokens.masked' : 'masks.keyHidden');
    return html`${words.text('viewer.readout', { query: tokens[row] ?? '', key: keyTokens[column] ?? '' })}
      <strong>${words.value(this.#map[at] ?? NaN)}</strong>
      ${mask?.[at] === false ? `(${masked})` : nothing}`;
  }

  readonly #onLineLeave = ({ pointerType }: PointerEvent): void => {
    // What a finger has tapped stays when it is lifted.
    if (pointerType !== 'touch') this.query = undefined;
  };

  #asLines(): TemplateResult {
    const { tokens, keyTokens } = this.heads;
    const words = this.#words;
    return html`<div
        class="lines"
        role="application"
        tabindex="0"
        aria-label=${words.text('viewer.linesLabel', { layer: this.layer, head: this.head })}
        @keydown=${this.#onLineKey}
        @pointermove=${this.#onLinePoint}
        @pointerdown=${this.#onLinePoint}
        @pointerleave=${this.#onLineLeave}
      >
        <svg height=${Math.max(tokens.length, keyTokens.length) * ROW} aria-hidden="true">
          ${lines({ map: this.#map, tokens, keyTokens, query: this.query })}
        </svg>
      </div>
      <p class="readout" role="status">
        ${this.query === undefined ? hint(words.text('viewer.linesHint')) : this.#strongest(this.query)}
      </p>`;
  }

  /** The keys that a query attends to most, in words. */
  #strongest(query: number): string {
    const { tokens, keyTokens } = this.heads;
    const words = this.#words;
    const row = Array.from(this.#map).slice(query * keyTokens.length, (query + 1) * keyTokens.length);
    const top = row
      .map((value, key) => ({ value, key }))
      .sort((a, b) => b.value - a.value)
      .slice(0, 3);
    const list = top.map(({ value, key }) => `${keyTokens[key]} ${words.number(value, 2)}`).join(', ');
    return words.text('viewer.strongest', { query: tokens[query] ?? '', keys: list });
  }

  get #map(): ArrayLike<number> {
    return this.heads.maps[(this.layer - 1) * this.heads.heads + this.head - 1] ?? [];
  }

  #choose(layer: number, head: number): void {
    this.layer = layer;
    this.head = head;
    this.#tell('head-change', { layer, head });
  }

  #tell(type: string, detail: HeadDetail & { readonly silent?: boolean }): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const { layers, heads } = this.heads;
    const { layer, head } = this;
    const to = {
      ArrowLeft: [layer, head - 1],
      ArrowRight: [layer, head + 1],
      ArrowUp: [layer - 1, head],
      ArrowDown: [layer + 1, head],
      Home: [layer, 1],
      End: [layer, heads],
    }[event.key] as [number, number] | undefined;
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (to[0] < 1 || to[0] > layers || to[1] < 1 || to[1] > heads) return;
    this.#choose(...to);
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>('[aria-checked=true]')?.focus(),
    );
  };

  readonly #onLineKey = (event: KeyboardEvent): void => {
    const last = this.heads.tokens.length - 1;
    const from = this.query ?? -1;
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: last }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.query = Math.min(last, Math.max(0, to));
  };

  readonly #onLinePoint = (event: PointerEvent): void => {
    const top = this.renderRoot.querySelector('.lines svg')?.getBoundingClientRect().top ?? 0;
    const row = Math.floor((event.clientY - top) / ROW);
    this.query = row >= 0 && row < this.heads.tokens.length ? row : undefined;
  };
}

define('head-viewer', HeadViewer);

declare global {
  interface HTMLElementTagNameMap {
    'head-viewer': HeadViewer;
  }
}
