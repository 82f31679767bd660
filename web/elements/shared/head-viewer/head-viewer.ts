import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CellDetail, HeadArrays, HeadDetail } from '../../package-types.js';
import { AttributeElement } from '../attribute-element.js';
import { controlStyles } from '../controls/control-styles.js';
import { choice, toggle } from '../controls/controls.js';
import { Width } from '../controls/width.js';
import { followHost } from '../dark-host.js';
import { define } from '../define.js';
import { entropies } from '../entropy/entropy.js';
import { entropyStyles } from '../entropy/entropy-bars.js';
import { isInFigure } from '../figure/figure-hosts.js';
import { watchDevicePixels } from '../heat-map/device-pixels.js';
import { followScheme } from '../heat-map/follow-scheme.js';
import { rampFor, rampStyles } from '../heat-map/ramps.js';
import { Localised } from '../localised.js';
import { onceAFrame } from '../once-a-frame.js';
import { baseStyles } from '../styles.js';
import { headViewerStyles } from './head-viewer-styles.js';
import { headsOf, NO_HEADS, type Heads } from '../heads/heads.js';
import { headsStyles } from '../heads/heads-styles.js';
import { largeMap } from './large-map.js';
import { largeLines, MOST_TOKENS } from './lines.js';
import { overview } from './overview.js';
import { numbersIn, partAround, type Part } from '../heads/part.js';
import { paintThumbnails } from './thumbnails.js';

/** How long painting may keep the browser from the reader's input, in milliseconds. */
const SLICE = 12;

/**
 * `<head-viewer>`: the attention of a whole model over one text. All heads of all layers as thumbnails, and one of them
 * large: as a map with the entropy of each row, or as lines between the tokens.
 *
 * Give it arrays with `loadArrays`.
 *
 * @slot - content above the thumbnails
 * @fires head-change - the reader chose another head; `detail` is a {@link HeadDetail}
 * @fires head-silence - the reader switched a head off or on (only with `silenceable`); `detail` also has `silent`
 */
export class HeadViewer extends AttributeElement {
  /** What the shadow root adopts. */
  static override styles = [baseStyles, controlStyles, rampStyles, entropyStyles, headsStyles, headViewerStyles];
  static override properties = {
    heads: { attribute: false },
    layer: { type: Number },
    head: { type: Number },
    view: { type: String },
    silenceable: { type: Boolean },
    silent: { attribute: false },
    cell: { state: true },
    query: { state: true },
    spoken: { state: true },
  };

  /** The heads to show. A figure may set it; pages call `loadArrays`, which checks its arguments. */
  declare heads: Heads;
  /** The layer and the head that are shown large, from 1; default 1. */
  declare layer: number;
  declare head: number;
  /** The view: `map` (default) or `lines`. */
  declare view: 'map' | 'lines';
  /** Whether readers can silence heads; default no. */
  declare silenceable: boolean;
  /** The silenced heads, each `layer.head`. */
  declare silent: ReadonlySet<string>;
  declare protected cell: CellDetail | undefined;
  declare protected query: number | undefined;
  /** What is said of the lines. */
  declare protected spoken: string;

  readonly #words = new Localised(this);
  readonly #width = new Width(this, '.large');
  #stopWatching: (() => void) | undefined;
  #painting: Generator<void> | undefined;
  /** The heads that are on the canvas. */
  #painted: Part | undefined;
  /** The mean entropies that are known, by `layer.head`. */
  #bits = new Map<string, number>();

  constructor() {
    super();
    followScheme(this);
    this.heads = NO_HEADS;
    this.layer = this.head = 1;
    this.view = 'map';
    this.silenceable = false;
    this.silent = new Set();
    this.spoken = '';
  }

  /**
   * Shows attention weights.
   *
   * @throws TypeError, RangeError for invalid arrays or shapes, without any change
   */
  loadArrays(arrays: HeadArrays): void {
    this.heads = headsOf(arrays);
  }

  override connectedCallback(): void {
    if (!this.hasUpdated && !isInFigure(this)) followHost(this);
    super.connectedCallback();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** Repaints the thumbnails. Needed only after the page has changed `color-scheme` itself. */
  readonly repaint = (): void => {
    const canvas = this.renderRoot.querySelector<HTMLCanvasElement>('.thumbnails');
    if (canvas === null) return;
    const part = this.#part;
    this.#painting = this.#work(paintThumbnails(canvas, this.heads, part, rampFor(canvas, 0), devicePixelRatio), part);
    this.#painted = part;
    this.#paint();
  };

  /** Paints, then computes the entropies in the names of what is painted. */
  *#work(painting: Generator<void>, { layers, heads }: Part): Generator<void> {
    yield* painting;
    for (const layer of numbersIn(layers)) {
      for (const head of numbersIn(heads)) {
        this.#bitsOf(layer, head);
        yield;
      }
    }
    this.requestUpdate();
  }

  /** A head's mean entropy over the queries that see a key. */
  #bitsOf(layer: number, head: number): number {
    const key = `${layer}.${head}`;
    let mean = this.#bits.get(key);
    if (mean === undefined) {
      const seen = entropies(this.heads.mapOf(layer, head), this.heads.keyTokens.length).filter((bits) => bits >= 0);
      mean = seen.reduce((sum, bits) => sum + bits, 0) / seen.length;
      this.#bits.set(key, mean);
    }
    return mean;
  }

  /** Paints in this frame and the next ones, as much in each as leaves time for the reader's input. */
  readonly #paint = (): void => {
    const end = performance.now() + SLICE;
    while (performance.now() < end) if (this.#painting?.next().done !== false) return;
    this.#paintMore();
  };
  readonly #paintMore = onceAFrame(this.#paint);

  protected override willUpdate(changed: PropertyValues<HeadViewer>): void {
    const { layers, heads, tokens, keyTokens } = this.heads;
    // The page's policy forbids style attributes; custom properties set from a script are fine.
    const set = (name: string, value: unknown): void => this.style.setProperty(name, String(value));
    // Lines keep the height of the map that they replace, so that what follows does not move.
    const large = changed.get('view') === 'map' && this.renderRoot.querySelector('.large');
    if (large) set('--_high', getComputedStyle(large).height);
    if (layers === 0) return;
    this.layer = Math.min(this.layer, layers);
    this.head = Math.min(this.head, heads);
    if (!changed.has('heads')) return;
    this.#bits.clear();
    if (this.query !== undefined && this.query >= tokens.length) this.query = undefined;
    const aspect = keyTokens.length / tokens.length;
    const [shownLayers, shownHeads] = [this.#part.layers, this.#part.heads].map((span) => numbersIn(span).length);
    set('--_layers', shownLayers);
    set('--_heads', shownHeads);
    set('--_aspect', aspect);
    set('--_overview', (shownHeads! * Math.min(2, Math.max(0.5, aspect))) / shownLayers!);
  }

  protected override updated(changed: PropertyValues<HeadViewer>): void {
    const canvas = this.renderRoot.querySelector<HTMLCanvasElement>('.thumbnails');
    if (canvas === null) return;
    if (this.#stopWatching === undefined) {
      this.#stopWatching = watchDevicePixels(canvas, (width, height) => {
        Object.assign(canvas, { width, height });
        this.repaint();
      });
    } else if (changed.has('heads') || JSON.stringify(this.#painted) !== JSON.stringify(this.#part)) this.repaint();
    this.toggleAttribute('drawn', true);
  }

  protected override render(): TemplateResult {
    if (!this.#words.ready) return html``;
    if (this.heads.layers === 0) return html`<p class="readout">${this.#words.text('viewer.empty')}</p>`;
    const { heads, layer, head, silent } = this;
    // The chosen head, which the focus reads out, is named at once.
    this.#bitsOf(layer, head);
    const bitsOf = (layer: number, head: number): number | undefined => this.#bits.get(`${layer}.${head}`);
    const choose = (layer: number, head: number): Promise<unknown> => {
      Object.assign(this, { layer, head });
      this.#tell('head-change', { layer, head });
      return this.updateComplete;
    };
    return html`<div class="board">
      ${overview(this.#words, { heads, part: this.#part, layer, head, silent, bitsOf }, choose)} ${this.#large()}
    </div>`;
  }

  /** The heads that the overview draws. */
  get #part(): Part {
    return partAround(this.heads, this);
  }

  #large(): TemplateResult {
    const { heads, layer, head } = this;
    const words = this.#words;
    const map = heads.mapOf(layer, head);
    const bits = entropies(map, heads.keyTokens.length);
    const silent = this.silent.has(`${layer}.${head}`);
    const isMap = this.view === 'map';
    const view = (value: 'map' | 'lines'): TemplateResult =>
      choice('view', words.text(`viewer.${value}`), this.view === value, () => (this.view = value));
    const label = words.text(isMap ? 'viewer.mapLabel' : 'viewer.linesLabel', { layer, head });
    return html`<div class=${isMap ? 'large' : 'large as-lines'}>
      <div class="switches">
        <p class="name">
          ${words.text('viewer.head', { layer, head })}
          <small>${words.text('tokens.meanEntropy', { bits: words.number(this.#bitsOf(layer, head), 1) })}</small>
        </p>
        <div>${view('map')} ${view('lines')}</div>
        ${
          this.silenceable
            ? toggle(words.text('viewer.silence'), silent, (silent) =>
                this.#tell('head-silence', { layer, head, silent }),
              )
            : nothing
        }
      </div>
      ${
        isMap
          ? largeMap(
              words,
              { heads, map, bits, label, width: this.#width.pixels, cell: this.cell },
              (cell) => (this.cell = cell),
            )
          : largeLines(words, { ...heads, map, label, query: this.query, spoken: this.spoken }, (query, spoken) =>
              Object.assign(this, { query, spoken }),
            )
      }
      ${Math.max(heads.tokens.length, heads.keyTokens.length) > MOST_TOKENS ? html`<p class="remark">${words.text('viewer.tokens', { count: words.number(MOST_TOKENS) })}</p>` : nothing}
      <p class="silent-note">${silent ? words.text('viewer.silentNote') : nothing}</p>
    </div>`;
  }

  #tell(type: string, detail: HeadDetail & { readonly silent?: boolean }): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

define('head-viewer', HeadViewer);

declare global {
  interface HTMLElementTagNameMap {
    'head-viewer': HeadViewer;
  }
}
