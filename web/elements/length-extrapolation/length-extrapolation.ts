import { html, type TemplateResult } from 'lit';
import { startTrainingWorker, Trainer } from '../../training/index.js';
import { controlStyles } from '../shared/controls/control-styles.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, FigureElement } from '../shared/figure/figure-element.js';
import { plotStyles } from '../shared/plot/plot-styles.js';
import { seriesStyles } from '../shared/plot/series.js';
import { whole } from '../shared/settings.js';
import { baseStyles } from '../shared/styles.js';
import { extrapolationCode } from './code.js';
import { extrapolationPlot } from './plot.js';
import {
  COMPARED,
  COMPUTED,
  extrapolationSettings,
  LENGTHS,
  STEPS,
  TRAINED,
  type Compared,
  type Curves,
} from './runs.js';
import { extrapolationStyles } from './styles.js';

const settings = { seed: whole(1, 1, 9999) };

interface SeededCurves {
  readonly seed: number;
  readonly curves: Curves;
}

/** What there is before anything is trained. */
const FIRST: SeededCurves = { seed: settings.seed.initial, curves: COMPUTED };

/**
 * `<length-extrapolation>`: five models that learned to name the token before on sequences of 32 tokens, and how often each is
 * right on longer ones. It begins with curves computed beforehand; the reader can train the models anew, in a worker.
 */
export class LengthExtrapolation extends FigureElement {
  static override styles = [baseStyles, controlStyles, plotStyles, seriesStyles, extrapolationStyles];
  static override settings = settings;
  static override properties = {
    drawn: { state: true },
    running: { state: true },
  };

  /** Seed of the parameters and the sequences; default 1. */
  declare seed: number;
  declare protected drawn: SeededCurves;
  declare protected running: { positions: Compared; step: number; steps: number } | undefined;
  /** All five curves of the training before, drawn faintly until each has another in its place. */
  #before = FIRST;
  #said = '';
  #queue: Compared[] = [];
  #frame = 0;
  readonly #width = new Width(this);
  readonly #trainer = new Trainer(startTrainingWorker, {
    progress: ({ step }) => {
      if (this.running === undefined) return;
      // Written into, and drawn with the next frame: steps come faster.
      this.running.step = step;
      if (this.#frame === 0) {
        this.#frame = requestAnimationFrame(() => {
          this.#frame = 0;
          this.requestUpdate();
        });
      }
    },
    ended: ({ reason, accuracies }) => {
      if (this.running === undefined) return;
      if (reason === 'cancelled' || accuracies === undefined) {
        this.#rest(this.words.text('extrapolation.stopped'));
        return;
      }
      const { seed, curves } = this.drawn;
      this.drawn = { seed, curves: new Map(curves).set(this.running.positions, accuracies) };
      const next = this.#queue.shift();
      if (next === undefined) this.#rest(this.words.text('extrapolation.done', { seed: this.seed }));
      else this.#train(next);
    },
    failed: ({ message }) => this.#rest(`${this.words.text('training.failed')} ${message}`),
  });

  constructor() {
    super();
    this.drawn = FIRST;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#rest('');
    this.#trainer.dispose();
  }

  override change(given: Readonly<Record<string, unknown>>): void {
    const { seed } = this;
    super.change(given);
    if (this.seed !== seed) this.#stop();
  }

  override reset(): void {
    this.#stop();
    this.drawn = this.#before = FIRST;
    super.reset();
  }

  protected override renderFigure(): TemplateResult {
    const { words, running } = this;
    const { curves, faint, faintOf } = this.#shown();
    return html`
      ${extrapolationPlot(curves, faint, this.#width.pixels, words)}
      <p class="readout">${words.text('extrapolation.task', { steps: STEPS, length: TRAINED })}</p>
      <div class="controls">
        <div class="train">${running === undefined ? this.#beginButton() : this.#progress(running)}</div>
        ${this.slider('seed', words.text('training.seed'), { max: 20 })}
      </div>
      <p class="readout" role="status">${this.#said || this.#whose(faint, faintOf)}</p>
    `;
  }

  /** The curves of this seed, and in place of those that are missing, faintly, the ones before. */
  #shown(): { curves: Curves; faint: Curves; faintOf: number } {
    const { seed, drawn } = this;
    const curves: Curves = drawn.seed === seed ? drawn.curves : new Map();
    const before = drawn.seed !== seed && drawn.curves.size === COMPARED.length ? drawn : this.#before;
    const faint = new Map([...before.curves].filter(([each]) => !curves.has(each)));
    return { curves, faint, faintOf: before.seed };
  }

  #whose(faint: Curves, seed: number): string {
    const { words } = this;
    if (faint.size > 0) return words.text('extrapolation.faint', { seed: words.number(seed) });
    return words.text(this.drawn === FIRST ? 'extrapolation.computed' : 'extrapolation.done', { seed });
  }

  #beginButton(): TemplateResult {
    const begin = (): void => {
      const [first, ...rest] = COMPARED;
      if (this.drawn.curves.size === COMPARED.length) this.#before = this.drawn;
      this.drawn = { seed: this.seed, curves: new Map() };
      this.#said = '';
      this.#queue = rest;
      this.#train(first);
    };
    return html`<button type="button" @click=${begin}>${this.words.text('extrapolation.train')}</button>`;
  }

  #progress({
    positions,
    step,
    steps,
  }: {
    positions: Compared;
    step: number;
    steps: number;
  }): TemplateResult {
    const label = this.words.text(`training.${positions}`);
    const stop = (): void => this.#trainer.cancel();
    return html`<label>${label} <progress max=${steps} .value=${step}></progress></label>
      <button type="button" @click=${stop}>${this.words.text('training.cancel')}</button>`;
  }

  #train(positions: Compared): void {
    const given = extrapolationSettings(positions, this.seed);
    this.running = { positions, step: 0, steps: STEPS };
    try {
      this.#trainer.start(given, LENGTHS);
    } catch {
      // Where there are no workers, or a policy forbids them, the constructor throws, in words that help no reader.
      this.#rest(this.words.text('training.failed'));
    }
  }

  #rest(said: string): void {
    this.#queue = [];
    this.#said = said;
    this.running = undefined;
    this.requestUpdate();
  }

  #stop(): void {
    this.#trainer.cancel();
    this.#rest('');
  }

  protected override data(): FigureData {
    const { words } = this;
    const { curves, faint, faintOf } = this.#shown();
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

declare global {
  interface HTMLElementTagNameMap {
    'length-extrapolation': LengthExtrapolation;
  }
}
