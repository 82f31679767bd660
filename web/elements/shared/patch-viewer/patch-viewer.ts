import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { HeadDetail, PatchArrays } from '../../package-types.js';
import { AttributeElement } from '../attribute-element.js';
import { controlStyles } from '../controls/control-styles.js';
import { slider, toggle } from '../controls/controls.js';
import { followHost } from '../dark-host.js';
import { define } from '../define.js';
import { entropies } from '../entropy/entropy.js';
import type { FigureData } from '../figure/figure-data.js';
import { isInFigure } from '../figure/figure-hosts.js';
import { toolStyles } from '../figure/figure-tools-styles.js';
import { viewerTools } from '../figure/viewer-tools.js';
import { watchDevicePixels } from '../heat-map/device-pixels.js';
import { followScheme } from '../heat-map/follow-scheme.js';
import { frameStyles } from '../heat-map/marks.js';
import { paintCells } from '../heat-map/paint-cells.js';
import { playRow, sound } from '../heat-map/sound.js';
import { valuesTable } from '../heat-map/values-table.js';
import { headsStyles } from '../heads/heads-styles.js';
import { numbersIn, partAround, type Span } from '../heads/part.js';
import { Localised } from '../localised.js';
import { onceAFrame } from '../once-a-frame.js';
import { baseStyles } from '../styles.js';
import { tableStyles } from '../table-styles.js';
import { heat } from './heat.js';
import { largeMap, strongest, type LargeMap } from './large-map.js';
import { paintPicture } from './paint-picture.js';
import { NO_PATCHES, patchHeadsOf, type PatchHeads } from './patch-heads.js';
import { patchViewerStyles } from './patch-viewer-styles.js';
import { Rollout } from './rollout.js';
import { acrossOf, smallMaps } from './small-maps.js';
import { PATCHES, tokenName, type PatchWords } from './words.js';

/** How long work on maps may keep the browser from the reader's input, in milliseconds. */
const SLICE = 12;
/** How long after the last key the outcome is spoken, in milliseconds. */
const SPOKEN_AFTER = 400;

/**
 * `<patch-viewer>`: what a vision transformer looks at. A picture under the map of what one of its patches, or the class
 * token, attends to; and the maps of all heads of a layer, or of the attention rollout up to each layer.
 *
 * Give it arrays and a picture with `loadArrays`.
 *
 * @slot - content above the small maps
 * @fires head-change - the reader chose another layer or head; `detail` is a {@link HeadDetail}
 * @fires query-change - the reader chose another token; `detail` has `query`
 * @fires head-silence - the reader switched a head off or on (only with `silenceable`); `detail` also has `silent`
 */
export class PatchViewer extends AttributeElement {
  /** What the shadow root adopts. */
  static override styles = [
    baseStyles,
    controlStyles,
    tableStyles,
    toolStyles,
    frameStyles,
    headsStyles,
    patchViewerStyles,
  ];
  static override properties = {
    heads: { attribute: false },
    layer: { type: Number },
    head: { type: Number },
    query: { type: Number },
    view: { type: String },
    strength: { type: Number },
    silenceable: { type: Boolean },
    silent: { attribute: false },
    pointed: { state: true },
    tableOpen: { state: true },
    note: { state: true },
    spoken: { state: true },
  };

  /** What to show. A figure may set it; pages call `loadArrays`, which checks its arguments. */
  declare heads: PatchHeads;
  /** The layer and the head that are shown large, from 1; default 1. */
  declare layer: number;
  declare head: number;
  /** The token whose attention is shown, from 0; default 0. */
  declare query: number;
  /** What the small maps are: `heads` of a layer (default), or the `rollout` up to each layer. */
  declare view: 'heads' | 'rollout';
  /** How much of the picture the map covers, from 0 to 1; default 0.6. */
  declare strength: number;
  /** Whether readers can silence heads; default no. */
  declare silenceable: boolean;
  /** The silenced heads, each `layer.head`. */
  declare silent: ReadonlySet<string>;
  /** The token that the pointer is over. */
  declare protected pointed: number | undefined;
  declare protected tableOpen: boolean;
  declare protected note: string;
  declare protected spoken: string;

  readonly #words: PatchWords = new Localised(this, PATCHES);
  /** The patch that was chosen last. */
  #patch = 0;
  #rollout = new Rollout(NO_PATCHES, 0, new Set());
  /** The canvases whose size is watched, how to stop that, and those that have to be painted. */
  readonly #watched = new Map<HTMLCanvasElement, () => void>();
  readonly #due = new Set<HTMLCanvasElement>();
  /** Whether the text waits for weights that are still computed. */
  #isWaiting = false;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    followScheme(this);
    this.heads = NO_PATCHES;
    this.layer = this.head = 1;
    this.query = 0;
    this.view = 'heads';
    this.strength = 0.6;
    this.silenceable = this.tableOpen = false;
    this.silent = new Set();
    this.note = this.spoken = '';
  }

  /**
   * Shows attention weights over a picture, which is copied.
   *
   * @throws TypeError, RangeError for invalid arrays, shapes or pictures, without any change
   */
  loadArrays(arrays: PatchArrays): void {
    this.heads = patchHeadsOf(arrays);
  }

  /**
   * The weights of all maps that are drawn, on each token: what the CSV has.
   *
   * @internal
   */
  data(): FigureData {
    const { heads, view } = this;
    const words = this.#words;
    const { first, columns } = heads.patches;
    const maps = numbersIn(this.#drawn).map((number) => ({ number, row: this.#rowOf(number, this.query) ?? [] }));
    const name = (number: number): string =>
      view === 'heads'
        ? words.text('viewer.head', { layer: this.layer, head: number })
        : words.text('patches.rolledOut', { layer: number });
    const line = (token: number): (string | number)[] => {
      const at = token - first;
      const place = at < 0 ? ['', ''] : [Math.floor(at / columns) + 1, (at % columns) + 1];
      return [tokenName(words, heads, token), ...place, ...maps.map(({ row }) => row[token] ?? NaN)];
    };
    return {
      columns: [
        words.text('key'),
        words.text('patches.row'),
        words.text('patches.column'),
        ...maps.map(({ number }) => name(number)),
      ],
      rows: Array.from({ length: this.#count }, (_, token) => line(token)),
    };
  }

  override connectedCallback(): void {
    if (!this.hasUpdated && !isInFigure(this)) followHost(this);
    super.connectedCallback();
    if (this.hasUpdated) this.#watch();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
    clearTimeout(this.#silence);
  }

  /** Repaints all maps. Needed only after the page has changed `color-scheme` itself. */
  readonly repaint = (): void => this.#repaint(true);

  protected override willUpdate(changed: PropertyValues<PatchViewer>): void {
    const { layers, heads, patches } = this.heads;
    if (layers === 0) return;
    if (this.view !== 'rollout') this.view = 'heads';
    this.layer = within(this.layer, 1, layers);
    this.head = within(this.head, 1, heads);
    this.query = within(this.query, 0, this.#count - 1);
    this.strength = Math.min(1, Math.max(0, this.strength)) || 0;
    const { first, rows, columns } = patches;
    if (changed.has('heads')) {
      if (this.pointed !== undefined && this.pointed >= this.#count) this.pointed = undefined;
      const fits = this.#patch >= first && this.#patch < this.#count;
      if (!fits) this.#patch = first + Math.floor(rows / 2) * columns + Math.floor(columns / 2);
    }
    if (this.query >= first) this.#patch = this.query;
    if (changed.has('heads') || changed.has('silent'))
      this.#rollout = new Rollout(this.heads, this.#count, this.silent);
    // The page's policy forbids style attributes; custom properties set from a script are fine.
    const set = (name: string, value: number): void => this.style.setProperty(name, String(value));
    set('--_aspect', columns / rows);
    set('--_across', acrossOf(numbersIn(this.#drawn).length));
    set('--_strength', this.strength);
  }

  protected override updated(changed: PropertyValues<PatchViewer>): void {
    if (this.renderRoot.querySelector('.plot') === null) return;
    this.#watch();
    const has = (name: string): boolean => changed.has(name as keyof PatchViewer);
    if (['heads', 'strength'].some(has)) this.#repaint(true);
    else if (['layer', 'head', 'query', 'view', 'silent', 'pointed'].some(has)) this.#repaint(false);
    this.toggleAttribute('drawn', true);
  }

  protected override render(): TemplateResult {
    const words = this.#words;
    if (!words.ready) return html``;
    if (this.heads.layers === 0) return html`<p class="readout">${words.text('viewer.empty')}</p>`;
    const { layer, view, silent } = this;
    // Computed once: a row of the rollout takes long.
    const shown = this.#shown();
    const bits = bitsOf(shown.row);
    return html`<div class="stage">
        <div class="board">
          ${this.#large(shown, bits)}
          ${smallMaps(
            words,
            {
              view,
              layer,
              chosen: this.#chosen,
              all: this.#all,
              drawn: this.#drawn,
              silent,
              bitsOf: (number) =>
                number === this.#chosen ? bits : view === 'heads' ? bitsOf(this.#rowOf(number)) : undefined,
            },
            (number) => this.#choose(view === 'heads' ? { head: number } : { layer: number }),
            (to) => (this.view = to),
          )}
        </div>
        ${this.#controls()}
      </div>
      <span class="spoken" role="status">${this.spoken}</span>
      ${isInFigure(this) ? nothing : this.#tools()}`;
  }

  #large(shown: LargeMap, bits: number | undefined): TemplateResult {
    const words = this.#words;
    const { layer, head, silent } = this;
    this.#isWaiting = shown.row === undefined;
    const isSilent = this.view === 'heads' && silent.has(`${layer}.${head}`);
    return html`<div class="large">
      <div class="switches">
        <p class="name">
          ${shown.name}
          <small>${bits === undefined ? nothing : words.text('map.entropy', { bits: words.number(bits, 1) })}</small>
        </p>
        ${
          this.silenceable && this.view === 'heads'
            ? toggle(words.text('viewer.silence'), isSilent, (to) =>
                this.#tell('head-silence', { layer, head, silent: to }),
              )
            : nothing
        }
      </div>
      ${largeMap(words, shown, {
        point: (token) => (this.pointed = token),
        choose: (token, byKey) => this.#ask(token, byKey),
        speak: () => this.#speak(),
        hush: () => this.#hush(),
        play: () => this.#play(),
      })}
      <p class="silent-note">${isSilent ? words.text('viewer.silentNote') : nothing}</p>
    </div>`;
  }

  #controls(): TemplateResult {
    const words = this.#words;
    const { layer, strength } = this;
    const { layers, patches } = this.heads;
    const { first, rows, columns } = patches;
    const at = this.#patch - first;
    const [row, column] = [Math.floor(at / columns) + 1, (at % columns) + 1];
    const ask = (row: number, column: number): void => this.#ask(first + (row - 1) * columns + column - 1, true);
    const count = (name: string, value: number, max: number, onInput: (to: number) => void): TemplateResult =>
      max === 1
        ? html``
        : slider({
            name,
            label: words.text(`patches.${name}` as 'patches.row'),
            value,
            min: 1,
            max,
            text: words.number(value),
            onInput,
          });
    const byLayer = count('layer', layer, layers, (to) => {
      void this.#choose({ layer: to });
      this.#speak();
    });
    return html`<div class="controls">
      ${layers === 1 ? nothing : html`<div class="sliders">${byLayer}</div>`}
      ${count('row', row, rows, (to) => ask(to, column))} ${count('column', column, columns, (to) => ask(row, to))}
      ${slider({
        name: 'strength',
        label: words.text('patches.strength'),
        value: strength,
        min: 0,
        max: 1,
        step: 0.05,
        text: words.percent(strength, 0),
        onInput: (to) => (this.strength = to),
      })}
    </div>`;
  }

  #tools(): TemplateResult {
    const tools = viewerTools(this, this.#words, {
      caption: this.#caption(),
      data: () => this.data(),
      table: { name: 'table', choose: () => (this.tableOpen = !this.tableOpen), open: this.tableOpen },
      note: (text) => (this.note = text),
    });
    return html`${tools} ${this.note === '' ? nothing : html`<p class="note" role="alert">${this.note}</p>`}
    ${this.tableOpen ? this.#table() : nothing}`;
  }

  /** The weights on the patches, as they lie in the picture; the others are in the caption. */
  #table(): TemplateResult {
    const words = this.#words;
    const { heads } = this;
    const { first, rows, columns } = heads.patches;
    const row = this.#rowOf(this.#chosen, this.query) ?? [];
    const others = Array.from(
      { length: first },
      (_, token) => `${tokenName(words, heads, token)} ${words.value(row[token] ?? NaN)}`,
    );
    return html`<div class="figure-values scroller" role="region" tabindex="0" aria-label=${words.text('table')}>
      ${valuesTable({
        rows,
        rowName: words.text('patches.row'),
        columnName: words.text('patches.column'),
        rowHead: (row) => row + 1,
        heads: Array.from({ length: columns }, (_, column) => column + 1),
        format: (at) => words.value(row[first + at] ?? NaN),
        part: (shown) => words.text('table.part', shown),
        caption: [this.#caption(), ...others].join('; '),
      })}
    </div>`;
  }

  /** What is shown, in words. */
  #caption(): string {
    return `${this.#shown().name}: ${tokenName(this.#words, this.heads, this.query)}`;
  }

  #shown(): LargeMap {
    const words = this.#words;
    const { heads, layer, head, view, query } = this;
    const row = this.#rowOf(this.#chosen);
    return {
      heads,
      row,
      high: this.#highOf(row),
      token: this.#token,
      query,
      patch: this.#patch,
      name: view === 'heads' ? words.text('viewer.head', { layer, head }) : words.text('patches.rolledOut', { layer }),
    };
  }

  /** The number of tokens. */
  get #count(): number {
    const { first, rows, columns } = this.heads.patches;
    return first + rows * columns;
  }

  /** The token whose attention is shown. */
  get #token(): number {
    return this.pointed ?? this.query;
  }

  /** The number of the small map that is shown large, of all, and of those that are drawn. */
  get #chosen(): number {
    return this.view === 'rollout' ? this.layer : this.head;
  }

  get #all(): number {
    return this.view === 'rollout' ? this.heads.layers : this.heads.heads;
  }

  get #drawn(): Span {
    const part = partAround(this.heads, this);
    return this.view === 'rollout' ? part.layers : part.heads;
  }

  /** The token's weights in a small map; undefined while they are computed. */
  #rowOf(number: number, token = this.#token): ArrayLike<number> | undefined {
    if (this.view === 'rollout') {
      const end = performance.now() + SLICE;
      while (!this.#rollout.isReady(number) && performance.now() < end) this.#rollout.prepare(number);
      return this.#rollout.isReady(number) ? this.#rollout.rowOf(number, token) : undefined;
    }
    const map = this.heads.mapOf(this.layer, number);
    return Array.prototype.slice.call(map, token * this.#count, (token + 1) * this.#count) as number[];
  }

  /** The largest weight on a patch: that on the class token may be much larger. */
  #highOf(row: ArrayLike<number> | undefined): number {
    let high = 0;
    for (let token = this.heads.patches.first; token < (row?.length ?? 0); ++token) high = Math.max(high, row![token]!);
    return high || 1;
  }

  #choose(to: Partial<HeadDetail>): Promise<unknown> {
    Object.assign(this, to);
    const { layer, head } = this;
    this.#tell('head-change', { layer, head });
    return this.updateComplete;
  }

  #ask(query: number, byKey: boolean): void {
    const isOther = query !== this.query;
    this.pointed = undefined;
    this.query = query;
    this.#tell('query-change', { query });
    if (byKey) this.#speak();
    if (byKey && isOther && sound.on) this.#play();
  }

  /** Says what the token attends to, once the reader pauses. */
  #speak(): void {
    // The same text again would not be spoken.
    this.#hush();
    this.#silence = setTimeout(() => {
      const words = this.#words;
      const shown = this.#shown();
      const bits = bitsOf(shown.row) ?? NaN;
      const entropy = Number.isNaN(bits) ? '' : ` ${words.text('map.entropy', { bits: words.number(bits, 1) })}`;
      this.spoken = strongest(words, shown) + entropy;
    }, SPOKEN_AFTER);
  }

  #hush(): void {
    clearTimeout(this.#silence);
    this.spoken = '';
  }

  /** Plays the chosen token's weights on the patches. */
  #play(): void {
    const row = this.#rowOf(this.#chosen, this.query);
    if (row === undefined) return;
    const values = Array.prototype.slice.call(row, this.heads.patches.first) as number[];
    void playRow({ values, columns: values.length }, 0);
  }

  #tell(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** Watches the canvases that there are. */
  #watch(): void {
    const canvases = new Set(this.renderRoot.querySelectorAll('canvas'));
    for (const [canvas, stop] of this.#watched) {
      if (canvases.has(canvas)) continue;
      stop();
      this.#watched.delete(canvas);
      this.#due.delete(canvas);
    }
    for (const canvas of canvases) {
      if (this.#watched.has(canvas)) continue;
      const stop = watchDevicePixels(canvas, (width, height) => {
        Object.assign(canvas, { width, height });
        // What takes no time is there in the same frame.
        if (this.view === 'heads' && this.#paintOne(canvas)) return;
        this.#due.add(canvas);
        this.#paint();
      });
      this.#watched.set(canvas, stop);
    }
  }

  #repaint(withPicture: boolean): void {
    for (const canvas of this.#watched.keys()) if (withPicture || canvas.className !== 'picture') this.#due.add(canvas);
    this.#paint();
  }

  /** Paints in the next frames, as much in each as leaves time for the reader's input. */
  readonly #paint = onceAFrame(() => {
    const end = performance.now() + SLICE;
    for (const canvas of this.#due) {
      if (performance.now() > end || !this.#paintOne(canvas)) {
        this.#paint();
        return;
      }
      this.#due.delete(canvas);
    }
  });

  /** Paints a canvas, and returns whether its weights were there. */
  #paintOne(canvas: HTMLCanvasElement): boolean {
    const { picture, patches } = this.heads;
    if (canvas.className === 'picture') {
      paintPicture(canvas, picture, this.strength);
      return true;
    }
    const small = canvas.closest<HTMLElement>('[data-number]');
    const number = small === null ? this.#chosen : Number(small.dataset.number);
    const row = this.#rowOf(number);
    if (row === undefined) return false;
    const values = Array.prototype.slice.call(row, patches.first) as number[];
    const { rows, columns } = patches;
    paintCells(canvas, { values, rows, columns, low: 0, high: this.#highOf(row) }, heat, devicePixelRatio);
    if (this.#isWaiting) this.requestUpdate();
    return true;
  }
}

/** The entropy of a row of weights in bits. */
function bitsOf(row: ArrayLike<number> | undefined): number | undefined {
  return row && entropies(row, row.length)[0];
}

/** The nearest whole number in a range. */
function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, Math.round(value))) || least;
}

define('patch-viewer', PatchViewer);

declare global {
  interface HTMLElementTagNameMap {
    'patch-viewer': PatchViewer;
  }
}
