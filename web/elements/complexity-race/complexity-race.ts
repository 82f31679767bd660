import { html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { pointerIn } from '../shared/controls/pointer-in.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { plotStyles } from '../shared/plot/plot-styles.js';
import { seriesStyles } from '../shared/plot/series.js';
import { oneOf, whole } from '../shared/settings.js';
import { raceCode } from './code.js';
import { raceButton } from './controls.js';
import { drawRace, layoutOf } from './drawing.js';
import { describeMachine, type Describing, type Machine } from './machine.js';
import { entriesUpTo, multiplyAdds, powerOfTwo, RANGES, sizesAlong, type Axis, type Entry, type Size } from './plan.js';
import { keyToMarks } from './key.js';
import { racePlot } from './plot.js';
import { RaceRun } from './run.js';
import { raceStyles } from './styles.js';
import { RACE, type RaceWords } from './texts.js';
import type { RaceView } from './view.js';
import { countsTables, crossingsLine, raceData, shownText, statusLine, withAvailability } from './words.js';

/** The least width for a table of six columns, in CSS pixels. */
const NARROW = 624;

const settings = {
  /** Tokens n, a power of two. */
  length: powerOfTwo('n', 256),
  /** Width d, a power of two. */
  width: powerOfTwo('d', 128),
  /** Taps k of the convolution's kernel, odd. */
  kernel: whole(3, 1, 9, 2),
  /** The size that grows along the axis, `n` (default) or `d`. */
  axis: oneOf('n', 'd'),
};

/**
 * `<complexity-race>`: exact counts of multiply–adds of a convolution, a recurrent layer, self-attention's mixing and a
 * whole attention layer, as curves over n or d; and a race of the library's kernels, measured in a worker, as dots on
 * the same axes.
 */
export class ComplexityRace extends figureWith(settings) {
  static override readonly texts = [RACE];
  static override styles = [plotStyles, seriesStyles, raceStyles];

  declare protected readonly words: RaceWords;
  readonly #run = new RaceRun(() => this.requestUpdate());
  #machine: Machine | undefined;
  readonly #width = new Width(this);

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#run.cancel();
  }

  /** A change of sizes other than along the axis ends the race; measured times remain. */
  override change(changes: Readonly<Record<string, unknown>>): void {
    const along = this.axis === 'n' ? 'length' : 'width';
    const before = { length: this.length, width: this.width, kernel: this.kernel, axis: this.axis };
    super.change(changes);
    const other = Object.entries(before).some(
      ([name, value]) => name !== along && this[name as keyof typeof before] !== value,
    );
    if (other) this.#run.cancel();
  }

  override reset(): void {
    this.#run.clear();
    super.reset();
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const view = this.#view(library);
    const plot = racePlot(view, this.#width.pixels);
    const { height, x } = layoutOf(plot);
    const { words, axis } = this;
    const pick = (event: MouseEvent): void => {
      const [least, most] = RANGES[axis];
      const power = Math.round(Math.log2(x.invert(pointerIn(event).x)));
      this.change({ [axis === 'n' ? 'length' : 'width']: Math.max(least, Math.min(most, 2 ** power)) });
    };
    return html`
      <div class="plot" @click=${pick}>
        <svg height=${height} role="img" aria-label=${words.text('race.label', { axis: plot.axisName })}>
          ${drawRace(plot)}
        </svg>
      </div>
      <div class="controls">
        <div class="sliders">
          ${this.#power('length', 'n')} ${this.#power('width', 'd')} ${this.slider('kernel', words.text('race.kernel'))}
        </div>
        ${this.choices('axis', words.text('race.axis'), ['n', 'd'] as const, String)}
        ${raceButton(words, this.#run, () => this.#press(library))}
      </div>
      <div class="counts" role="region" tabindex="0" aria-label=${words.text('race.counts')}>
        ${countsTables(view, this.#width.pixels < NARROW)}
      </div>
      ${this.line(undefined, withAvailability(this.#run.state, words, crossingsLine(plot, view)))} ${keyToMarks(words)}
      <p class="remark machine">${statusLine(this.#run, view, plot)}</p>
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const view = this.#view(library);
    return shownText(this.#run.state, view, racePlot(view, this.#width.pixels));
  }

  /** A race speaks once, when it has ended. */
  protected override isSettled(): boolean {
    return this.#run.state !== 'running';
  }

  /** A slider in steps of powers of two. */
  #power(name: 'length' | 'width', of: Axis): TemplateResult {
    const [least, most] = RANGES[of];
    return this.slider(name, this.words.text(of === 'n' ? 'race.tokens' : 'encoding.width'), {
      value: Math.log2(this[name]),
      min: Math.log2(least),
      max: Math.log2(most),
      onInput: (power) => this.change({ [name]: 2 ** power }),
    });
  }

  get #size(): Size {
    return { n: this.length, d: this.width, k: this.kernel };
  }

  /** Threads need shared memory, which browsers offer only to cross-origin isolated pages. */
  get #entries(): Entry[] {
    return entriesUpTo(globalThis.crossOriginIsolated ? navigator.hardwareConcurrency : 1);
  }

  #view(library: WasmAttention): RaceView {
    return {
      library,
      words: this.words,
      size: this.#size,
      axis: this.axis,
      entries: this.#entries,
      timing: this.#run.timing.bind(this.#run),
      lacks: this.#run.lacks.bind(this.#run),
      measuredAt: this.#run.measuredAt,
      machine: this.#machine,
    };
  }

  /** Starts a race or stops it. */
  #press(library: WasmAttention): void {
    this.say();
    if (this.isSettled()) this.#start(library);
    else this.#run.cancel();
  }

  #start(library: WasmAttention): void {
    // From small sizes to large ones, so that a stopped race has measured every contestant.
    const points = sizesAlong(this.axis, this.#size).flatMap((size) =>
      this.#entries.map((entry) => ({
        ...entry,
        size,
        multiplyAdds: multiplyAdds(library, entry.contestant, size),
      })),
    );
    this.#run.start(points);
    if (this.#machine !== undefined) return;
    void describeMachine(navigator as Describing).then((machine) => {
      this.#machine = machine;
      this.requestUpdate();
    });
  }

  protected override data(library: WasmAttention): FigureData {
    return raceData(this.#view(library));
  }

  protected override code(): FigureCode {
    return raceCode(this.#size);
  }
}

defineFigure('complexity-race', ComplexityRace);
