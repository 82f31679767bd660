import { html, type TemplateResult } from 'lit';
import { longest } from '../shared/controls/controls.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { plotStyles } from '../shared/plot/plot-styles.js';
import { readable, readingStyles } from '../shared/plot/reading.js';
import { seriesStyles } from '../shared/plot/series.js';
import { whole } from '../shared/settings.js';
import { trainingFailure } from '../shared/training-failure.js';
import { extrapolationCode } from './code.js';
import { extrapolationPlot, lengthAt, valuesAt } from './plot.js';
import { COMPARED, COMPUTED, LENGTHS, STEPS, TRAINED } from './runs.js';
import { ExtrapolationSession, type Running, type ShownCurves } from './session.js';
import { extrapolationStyles } from './styles.js';
import { EXTRAPOLATION, type ExtrapolationWords } from './texts.js';
import { comparisonText } from './words.js';

const LAST_SEED = 9999;

const settings = {
  /** Seed of the parameters and the sequences. */
  seed: whole(1, 1, LAST_SEED),
};

/**
 * `<length-extrapolation>`: five models that learned to name the previous token on sequences of 32 tokens, and their
 * accuracy on longer ones. It begins with precomputed curves; the reader can train the models again, in a worker.
 */
export class LengthExtrapolation extends figureWith(settings) {
  static override readonly texts = [EXTRAPOLATION];
  static override styles = [plotStyles, seriesStyles, readingStyles, extrapolationStyles];
  static override properties = { read: { state: true } };

  declare protected readonly words: ExtrapolationWords;
  /** The length whose accuracies are read. */
  declare protected read: number | undefined;
  readonly #width = new Width(this);
  readonly #session = new ExtrapolationSession(this);

  override change(given: Readonly<Record<string, unknown>>): void {
    const { seed } = this;
    super.change(given);
    if (this.seed !== seed) this.#session.stop();
  }

  override reset(): void {
    this.#session.forget();
    super.reset();
  }

  protected override renderFigure(): TemplateResult {
    const { words, seed } = this;
    const { running } = this.#session;
    const { pixels } = this.#width;
    const shown = this.#session.shown(seed);
    return html`
      ${readable(extrapolationPlot(shown, this.read, pixels, words), {
        label: words.text('extrapolation.plotLabel'),
        min: TRAINED,
        max: LENGTHS.at(-1)!,
        step: TRAINED,
        at: this.read,
        text: (length) => valuesAt(shown, length, words),
        below: ({ x }) => lengthAt(x, pixels),
        read: (length) => (this.read = length),
      })}
      ${this.line(this.#longest, running && this.#progress(running))}
      <p class="remark">${words.text('extrapolation.task', { steps: STEPS, length: TRAINED })}</p>
      <div class="controls">
        <div>${this.#button(running !== undefined)}</div>
        ${this.slider('seed', words.text('training.seed'), { max: 20 })}
      </div>
    `;
  }

  get #longest(): string {
    const { words } = this;
    const seed = words.number(LAST_SEED);
    const whose = longest(words.text('extrapolation.computed'), words.text('extrapolation.faint', { seed }));
    return `${comparisonText(words, { curves: COMPUTED, faint: new Map() })} ${whose}`;
  }

  protected override sentence(): string {
    const shown = this.#session.shown(this.seed);
    return `${this.#outcome()} ${comparisonText(this.words, shown)} ${this.#whose(shown)}`.trim();
  }

  /** A training speaks once, when it has ended. */
  protected override isSettled(): boolean {
    return this.#session.running === undefined;
  }

  /** Why the training ended before all models had learned; empty if none did. */
  #outcome(): string {
    const { outcome } = this.#session;
    if (outcome === undefined) return '';
    return outcome === 'stopped'
      ? this.words.text('extrapolation.stopped')
      : trainingFailure(this.words, outcome.failed);
  }

  /** Which curves are shown; empty if the outcome says it. */
  #whose({ faint, faintOf }: ShownCurves): string {
    const { words, seed } = this;
    if (this.#session.outcome !== undefined) return '';
    if (faint.size > 0) return words.text('extrapolation.faint', { seed: words.number(faintOf) });
    return words.text(this.#session.untouched ? 'extrapolation.computed' : 'extrapolation.done', { seed });
  }

  #button(stops: boolean): TemplateResult {
    const press = (): void => {
      this.say();
      if (stops) this.#session.cancel();
      else this.#session.begin(this.seed);
    };
    // The second click of a double click would stop the training.
    return html`<button type="button" @click=${({ detail }: MouseEvent) => detail < 2 && press()}>
      ${this.words.text(stops ? 'training.cancel' : 'extrapolation.train')}
    </button>`;
  }

  #progress({ positions, step }: Running): TemplateResult {
    const label = this.words.text(`training.${positions}`);
    return html`<label>${label} <progress max=${STEPS} .value=${step}></progress></label>`;
  }

  protected override data(): FigureData {
    const { words } = this;
    const { curves, faint, faintOf } = this.#session.shown(this.seed);
    const whose = ` (${words.text('training.seed')} ${words.number(faintOf)})`;
    return {
      columns: [
        words.text('extrapolation.length'),
        ...COMPARED.map((each) => words.text(`training.${each}`) + (curves.has(each) ? '' : whose)),
      ],
      rows: LENGTHS.map((length, k) => [
        length,
        ...COMPARED.map((each) => (curves.get(each) ?? faint.get(each))?.[k] ?? ''),
      ]),
    };
  }

  protected override code(): FigureCode {
    return extrapolationCode(this.seed);
  }
}

defineFigure('length-extrapolation', LengthExtrapolation);
