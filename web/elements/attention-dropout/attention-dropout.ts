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

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    // Draws a slice at once, so that no frame shows an empty plot and one more draw appears immediately.
    if (this.library !== undefined) this.#current(this.library).advance(this.draws, SLICE);
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
    const expected = draw(library).weights;
    // All three have one scale at every rate, so that equal colours are equal weights. Weights that a draw keeps are
    // multiplied by 1 / (1 − p), which goes beyond the scale at rates above one half.
    const high = Math.ceil(20 * Math.max(...expected)) / 10;
    const mean = run.meanWeights;
    const cellText = ({ row, column }: CellDetail): string => {
      const at = row * TOKENS + column;
      const drawn = last[at] === 0 ? words.text('dropout.dropped') : words.value(last[at]!);
      const others = { mean: words.value(mean[at]!), evaluation: words.value(expected[at]!) };
      return words.text('dropout.cell', { query: row + 1, key: column + 1, drawn, ...others });
    };
    const map = (title: string, weights: ArrayLike<number>, hatched = false): TemplateResult =>
      html`<div>
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
          .cellText=${cellText}
          .maskedText=${(count: number) => words.text('dropout.droppedKeys', { count: words.number(count) })}
          .cursor=${this.pointed}
          @cell-change=${onCell((cell) => (this.pointed = cell))}
        ></heat-map>
        <ramp-legend low="0" .high=${high} ?beyond=${Math.max(...Array.from(weights)) > high}></ramp-legend>
      </div>`;
    return html`
      <div class="panels">
        ${map(words.text('dropout.draw', { n: words.number(draws) }), last, true)}
        ${map(words.text('dropout.mean', { n: words.number(errors.length) }), mean)}
        ${map(words.text('dropout.evaluation'), expected)}
        <div>
          <p aria-hidden="true">${words.text('dropout.plot')}</p>
          ${errorPlot(words, errors, expectedError(library, rate))}
        </div>
      </div>
      <p class="remark" data-longest=${this.#sums(new Float32Array(TOKENS * TOKENS).fill(2 / TOKENS))}>
        <span>${this.#sums(last)}</span>
      </p>
      ${this.line(this.#distance(MOST, '0.0001'), this.#distance(errors.length, this.outcome(library)))}
      <div class="controls">
        <div class="sliders">
          ${this.slider('rate', words.text('dropout.rate'), { step: 0.05, text: words.number(rate, 2) })}
          ${this.slider('draws', words.text('dropout.draws'))}
        </div>
        <div class="button">
          <button
            type="button"
            aria-disabled=${draws === MOST}
            @click=${() => this.draws < MOST && this.change({ draws: this.draws + 1 })}
          >
            ${words.text('dropout.again')}
          </button>
        </div>
      </div>
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { errors } = this.#current(library);
    const { weights } = draw(library, this.rate, this.seed + this.draws - 1);
    return `${this.#sums(weights, '; ')}. ${this.#distance(errors.length, this.outcome(library))}.`;
  }

  protected override outcome(library: WasmAttention): string {
    const error = this.#current(library).errors.at(-1) ?? NaN;
    return this.words.number(error, error === 0 ? 0 : 4);
  }

  protected override isSettled(): boolean {
    return this.#run?.errors.length === this.draws;
  }

  #sums(weights: ArrayLike<number>, between = '\u2002'): string {
    const sums = rowSums(weights).map((sum) => this.words.number(sum, 2));
    return this.words.text('dropout.sums', { sums: sums.join(between) });
  }

  #distance(n: number, error: string): string {
    return `${this.words.text('dropout.error', { n: this.words.number(n) })} ${error}`;
  }

  /** The run with these settings. A new one starts if the rate or the seed changes, or if fewer draws are wanted. */
  #current(library: WasmAttention): Run {
    const { rate, seed, draws } = this;
    const old = this.#run;
    const fits = old?.rate === rate && old.seed === seed && old.errors.length <= draws;
    return (this.#run = fits ? old : new Run(library, rate, seed));
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
