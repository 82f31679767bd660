import { html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { slider } from '../shared/controls/controls.js';
import { pressedTo } from '../shared/controls/pressed-to.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { plotCursorStyles, plotStyles } from '../shared/plot/plot-styles.js';
import { whole } from '../shared/settings.js';
import { rotaryCode } from './code.js';
import { dial, SIDE, sumPlot, type Arrow } from './drawing.js';
import { rotaryStyles } from './styles.js';
import {
  draggedTo,
  LAST,
  PAIRS,
  productsOf,
  spreadAt,
  sumAt,
  thetaOf,
  turnBetween,
  rotated,
  WIDTH,
  type Rotated,
} from './turning.js';

const LAST_SEED = 9999;

const settings = {
  /** The query's position i. */
  query: whole(12, 0, LAST),
  /** The key's position j. */
  key: whole(6, 0, LAST),
  // With this seed all arrows are long enough to be seen.
  /** Seed of the query and the key. */
  seed: whole(278, 1, LAST_SEED),
};

/** An arrow that a pointer holds: its start, and how far it has been rotated since, in radians. */
interface Grip {
  readonly arrow: Arrow;
  readonly pair: number;
  readonly from: number;
  turn: number;
  angle: number;
}

/**
 * `<rotary-pairs>`: a query and a key as arrows, one of each per pair of components, which rotary position embedding
 * rotates by their positions. The dot product depends only on the offset between the two (Su et al. 2021).
 */
export class RotaryPairs extends figureWith(settings) {
  static override styles = [plotStyles, plotCursorStyles, rotaryStyles];

  #grip: Grip | undefined;
  #drawn: (Rotated & { readonly seed: number }) | undefined;
  readonly #width = new Width(this, '.plot');
  protected readonly letters = new Width(this, '.dial', SIDE);

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, query, key } = this;
    const both = this.#both(library);
    const products = productsOf(both, query, key);
    return html`
      <div class="pictures">
        <div class="dials">${products.map((product, pair) => this.#dial(both, pair, product))}</div>
        <div class="plot">${sumPlot(both, key - query, this.#width.pixels, words)}</div>
      </div>
      <span id="help" hidden>${words.text('rotary.help')}</span>
      ${this.line(this.#shown(LAST, LAST - 10, -10, { count: LAST, spread: 1e-10 }))} ${this.#controls()}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { query, key } = this;
    const both = this.#both(library);
    return this.#shown(query, key, sumAt(both, query, key), spreadAt(both, key - query));
  }

  protected override outcome(library: WasmAttention): string {
    return `${this.words.text('rotary.sum')} ${this.words.value(sumAt(this.#both(library), this.query, this.key))}`;
  }

  #shown(query: number, key: number, sum: number, { count, spread }: ReturnType<typeof spreadAt>): string {
    const { words } = this;
    const given = { query, key, offset: words.number(key - query), sum: words.value(sum) };
    return `${words.text('rotary.total', given)} ${words.text('rotary.spread', { count, spread: words.value(spread) })}`;
  }

  /** The query and the key of the present seed, at all positions. */
  #both(library: WasmAttention): Rotated {
    const { seed } = this;
    if (this.#drawn?.seed !== seed) this.#drawn = { seed, ...rotated(library, seed) };
    return this.#drawn;
  }

  #dial(both: Rotated, pair: number, product: number): TemplateResult {
    const { words, query, key } = this;
    const value = words.value(product);
    const theta = `θ${'₀₁₂₃'[pair]}`;
    return html`<div>
      ${dial({
        both,
        pair,
        query,
        key,
        label: words.text('rotary.dialLabel', { pair, value }),
        spoken: {
          query: `${words.text('rotary.query')}, ${theta}`,
          key: `${words.text('rotary.key')}, ${theta}`,
        },
        events: {
          grab: (arrow, event) => this.#onGrab(arrow, pair, event),
          drag: this.#onDrag,
          press: this.#onPress,
        },
      })}
      <p>${theta} = ${words.number(thetaOf(pair))}</p>
      <p class="product">${value}</p>
    </div>`;
  }

  #controls(): TemplateResult {
    const { words, query, key } = this;
    const offset = key - query;
    return html`<div class="controls">
      <div class="sliders">
        ${this.slider('query', words.text('rotary.query'))} ${this.slider('key', words.text('rotary.key'))}
        ${slider({
          name: 'both',
          label: words.text('rotary.both'),
          value: query,
          // As far as both stay within their positions.
          min: Math.max(0, -offset),
          max: LAST - Math.max(0, offset),
          text: `i\u00a0=\u00a0${query}, j\u00a0=\u00a0${key}`,
          onInput: (to) => this.change({ query: to, key: to + offset }),
        })}
      </div>
      <div class="switches">
        <button type="button" @click=${() => this.change({ seed: (this.seed % LAST_SEED) + 1 })}>
          ${words.text('rotary.draw')}
        </button>
      </div>
    </div>`;
  }

  #onGrab(arrow: Arrow, pair: number, event: PointerEvent): void {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.#grip = { arrow, pair, from: this[arrow], turn: 0, angle: angleOf(event) };
  }

  readonly #onDrag = (event: PointerEvent): void => {
    const grip = this.#grip;
    if (grip === undefined || !(event.currentTarget as Element).hasPointerCapture(event.pointerId)) return;
    const angle = angleOf(event);
    grip.turn += turnBetween(grip.angle, angle);
    grip.angle = angle;
    const to = draggedTo(grip.from, grip.turn, grip.pair);
    if (to !== this[grip.arrow]) this.change({ [grip.arrow]: to });
  };

  readonly #onPress = (arrow: Arrow, event: KeyboardEvent): void => {
    const to = pressedTo(this[arrow], LAST, event);
    if (to === undefined) return;
    event.preventDefault();
    if (to !== this[arrow]) this.change({ [arrow]: to });
  };

  protected override data(library: WasmAttention): FigureData {
    const { words, query, key } = this;
    const { queries, keys } = this.#both(library);
    const products = productsOf({ queries, keys }, query, key);
    const pairOf = (vectors: Float32Array, position: number, pair: number): Float32Array =>
      vectors.subarray(position * WIDTH + 2 * pair, position * WIDTH + 2 * pair + 2);
    return {
      columns: [
        words.text('rotation.pairNumber'),
        'θ',
        ...['Rᵢq', 'Rⱼk'].flatMap((vector) => [`${vector} 2r`, `${vector} 2r+1`]),
        words.text('rotary.product'),
      ],
      rows: Array.from({ length: PAIRS }, (_, pair) => [
        pair,
        thetaOf(pair),
        ...pairOf(queries, query, pair),
        ...pairOf(keys, key, pair),
        products[pair] ?? NaN,
      ]),
    };
  }

  protected override code(): FigureCode {
    return rotaryCode(this.query, this.key, this.seed);
  }
}

/** The pointer's direction from its dial's centre, counterclockwise from the right, in radians. */
function angleOf(event: PointerEvent): number {
  const { left, top, width, height } = (event.currentTarget as Element).closest('svg')!.getBoundingClientRect();
  return Math.atan2(top + height / 2 - event.clientY, event.clientX - left - width / 2);
}

defineFigure('rotary-pairs', RotaryPairs);
