import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import type { CellDetail } from '../package-types.js';
import { onCell } from '../shared/heat-map/heat-map.js';
import '../shared/heat-map/ramp-legend.js';
import { ViewObserver } from '../shared/observers.js';
import { real, whole } from '../shared/settings.js';
import { dropoutCode } from './code.js';
import { draw, expectedError, MOST, Run, TOKENS } from './draws.js';
import { errorPlot, PLOT_WIDTH } from './plot.js';
import { dropoutStyles } from './styles.js';

/** Milliseconds of drawing in a frame; the rest of the frame is for painting. */
const SLICE = 2;

const settings = {
  /** Probability of dropping a weight. */
  rate: real(0.5, 0, 0.9),
  /** Seed of the first draw. Each further draw has the next one. */
  seed: whole(1, 1, 999),
  /** How many draws the mean has. */
  draws: whole(200, 1, MOST),
};

/**
 * `<attention-dropout>`: attention weights under dropout, with one draw per seed; the mean of many draws beside the
 * weights in evaluation; and how it approaches them.
 */
export class AttentionDropout extends figureWith(settings) {
  static override styles = dropoutStyles;
  static override properties = { pointed: { state: true } };

  /** The cell that all three maps mark. */
  declare protected pointed: CellDetail | undefined;
  protected readonly letters = new Width(this, '.plot', PLOT_WIDTH);
  #run: Run | undefined;
  #frame = 0;
  #slice: ReturnType<typeof setTimeout> | undefined;
  #visible = false;
  readonly #watch = new ViewObserver(([entry]) => {
    this.#visible = entry?.isIntersecting ?? false;
    if (this.#visible) this.#goOn();
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.#watch.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#watch.disconnect();
    this.#stop();
    this.#visible = false;
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    this.#goOn();
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, rate, draws } = this;
    const run = this.#current(library);
    const errors = run.errors.slice(0, draws);
    const last = draw(library, rate, this.seed + draws - 1).weights;
    const error = errors.at(-1);
    const expected = draw(library).weights;
    const sums = (of: readonly number[]): string =>
      words.text('dropout.sums', { sums: of.map((sum) => words.number(sum, 2)).join('\u2002') });
    const distance = (n: number): string => words.text('dropout.error', { n: words.number(n) });
    // All three have one scale at every rate, so that equal colours are equal weights. Weights that a draw keeps are
    // multiplied by 1 / (1 − p), which goes beyond the scale at rates above one half.
    const high = Math.ceil(20 * Math.max(...expected)) / 10;
    return html`
      <div class="panels">
        ${this.#map(words.text('dropout.draw', { n: words.number(draws) }), last, high, true)}
        ${this.#map(words.text('dropout.mean', { n: words.number(errors.length) }), run.meanWeights, high)}
        ${this.#map(words.text('dropout.evaluation'), expected, high)}
        <div>
          <p aria-hidden="true">${words.text('dropout.plot')}</p>
          ${errorPlot(words, errors, expectedError(library, rate))}
        </div>
      </div>
      <p class="remark" data-longest=${sums(new Array<number>(TOKENS).fill(2))}>
        <span>${sums(rowSums(last))}</span>
      </p>
      <p class="readout" data-longest="${distance(MOST)} ${words.number(0, 4)}">
        <span>${distance(errors.length)} <strong>${words.number(error ?? NaN, error === 0 ? 0 : 4)}</strong></span>
      </p>
      <div class="controls">
        <div class="sliders">
          ${this.slider('rate', words.text('dropout.rate'), { step: 0.05, text: words.number(rate, 2) })}
          ${this.slider('draws', words.text('dropout.draws'))}
        </div>
        <div class="button">
          <button
            type="button"
            ?disabled=${draws === MOST}
            @click=${() => this.change({ draws: Math.min(MOST, this.draws + 1) })}
          >
            ${words.text('dropout.again')}
          </button>
        </div>
      </div>
    `;
  }

  #map(title: string, weights: ArrayLike<number>, high: number, hatched = false): TemplateResult {
    const { words } = this;
    const beyond = Math.max(...Array.from(weights)) > high;
    return html`<div>
      <p aria-hidden="true">${title}</p>
      <heat-map
        bare
        tell
        .values=${weights}
        .rows=${TOKENS}
        .columns=${TOKENS}
        .mask=${hatched ? Array.from(weights, (weight) => weight !== 0) : undefined}
        low="0"
        .high=${high}
        origin="1"
        label=${title}
        row-name=${words.text('query')}
        column-name=${words.text('key')}
        .cursor=${this.pointed}
        @cell-change=${onCell((cell) => (this.pointed = cell))}
      ></heat-map>
      <ramp-legend low="0" .high=${high} ?beyond=${beyond}></ramp-legend>
    </div>`;
  }

  /** The run with these settings. A new one starts if the rate or the seed changes, or if fewer draws are wanted. */
  #current(library: WasmAttention): Run {
    const { rate, seed, draws } = this;
    const old = this.#run;
    const fits = old?.rate === rate && old.seed === seed && old.errors.length <= draws;
    const run = fits ? old : new Run(library, rate, seed);
    // Draws a slice at once, so that no frame shows an empty plot and one more draw appears immediately.
    run.advance(draws, SLICE);
    this.#run = run;
    return run;
  }

  /** Draws one slice per frame until there are enough, while the figure is on screen. */
  #goOn(): void {
    this.#stop();
    const wanted = this.#run !== undefined && this.#run.errors.length < this.draws;
    if (!this.#visible || !wanted) return;
    // After painting, because the reader's change must not wait for another slice.
    this.#frame = requestAnimationFrame(() => (this.#slice = setTimeout(() => this.requestUpdate())));
  }

  #stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#slice);
  }

  protected override data(library: WasmAttention): FigureData {
    const run = this.#current(library);
    run.advance(this.draws);
    const expected = expectedError(library, this.rate);
    return {
      columns: [this.words.text('dropout.draws'), this.words.text('dropout.plot'), this.words.text('dropout.expected')],
      rows: run.errors.map((error, i) => [i + 1, error, expected / Math.sqrt(i + 1)]),
    };
  }

  protected override code(): FigureCode {
    return dropoutCode(this.rate, this.seed, this.draws);
  }
}

function rowSums(weights: ArrayLike<number>): number[] {
  return Array.from({ length: TOKENS }, (_, row) =>
    Array.from(weights)
      .slice(row * TOKENS, (row + 1) * TOKENS)
      .reduce((sum, weight) => sum + weight, 0),
  );
}

defineFigure('attention-dropout', AttentionDropout);
