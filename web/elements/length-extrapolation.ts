import { css, html, type TemplateResult } from 'lit';
import { Trainer } from '../training/trainer.js';
import { DEFAULTS } from '../training/settings.js';
import { slider } from './controls.js';
import { extrapolationCode } from './extrapolation-code.js';
import { extrapolationPlot } from './extrapolation-plot.js';
import {
  COMPARED,
  COMPUTED,
  extrapolationSettings,
  LENGTHS,
  type Compared,
  type Curves,
} from './extrapolation-runs.js';
import { defineFigure, FigureElement, type FigureCode, type FigureData } from './figure-element.js';
import { seriesStyles } from './series.js';
import { whole } from './settings.js';
import { baseStyles, controlStyles } from './styles.js';
import { createWorker } from './training-session.js';
import { widthObserver } from './width-observer.js';

const settings = { seed: whole(1, 1, 9999) };

/**
 * `<length-extrapolation>`: five models that learned to name the token before on sequences of 32 tokens, and how often each is
 * right on longer ones. It begins with curves computed beforehand; the reader can train the models anew, in a worker.
 */
export class LengthExtrapolation extends FigureElement {
  static override styles = [
    baseStyles,
    controlStyles,
    seriesStyles,
    css`
      svg {
        display: block;
        width: 100%;
      }
      .grid {
        stroke: var(--_line);
      }
      .lesson {
        fill: var(--_line);
        opacity: 0.45;
      }
      .dot {
        fill: var(--_series);
      }
      text.curve-label {
        fill: var(--_series);
        font-weight: 600;
      }
      progress {
        width: 10rem;
        accent-color: var(--_accent);
      }
      .train {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem 1rem;
      }
    `,
  ];
  static override settings = settings;
  static override properties = { pixels: { state: true }, curves: { state: true }, running: { state: true } };

  /** Seed of the parameters and the sequences; default 1. */
  declare seed: number;
  declare protected pixels: number;
  declare protected curves: Curves;
  declare protected running: { positions: Compared; step: number; steps: number } | undefined;
  #said = '';
  #queue: Compared[] = [];
  #frame = 0;
  readonly #observer = widthObserver((width) => (this.pixels = width));
  readonly #trainer = new Trainer(createWorker, {
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
      this.curves = new Map(this.curves).set(this.running.positions, accuracies);
      const next = this.#queue.shift();
      if (next === undefined) this.#rest(this.words.text('extrapolation.done', { seed: this.seed }));
      else this.#train(next);
    },
    failed: ({ message }) => this.#rest(`${this.words.text('training.failed')} ${message}`),
  });

  constructor() {
    super();
    this.pixels = 600;
    this.curves = COMPUTED;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#rest('');
    this.#trainer.dispose();
  }

  override change(given: Readonly<Record<string, unknown>>): void {
    if (given.seed !== undefined && given.seed !== this.seed) this.#forget();
    super.change(given);
  }

  override reset(): void {
    this.#forget();
    this.curves = COMPUTED;
    super.reset();
  }

  protected override renderFigure(): TemplateResult {
    const { words, curves, pixels, seed, running } = this;
    return html`
      ${extrapolationPlot(curves, pixels, words)}
      <div class="controls">
        <div class="train">${running === undefined ? this.#beginButton() : this.#progress(running)}</div>
        ${slider({
          name: 'seed',
          label: words.text('training.seed'),
          value: seed,
          min: 1,
          max: 20,
          text: words.number(seed),
          onInput: (value) => this.change({ seed: value }),
        })}
      </div>
      <p class="readout" role="status">
        ${this.#said || words.text(curves === COMPUTED ? 'extrapolation.computed' : 'extrapolation.hint')}
      </p>
    `;
  }

  #beginButton(): TemplateResult {
    const begin = (): void => {
      const [first, ...rest] = COMPARED;
      this.curves = new Map();
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
    this.running = { positions, step: 0, steps: given.steps ?? DEFAULTS.steps };
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

  /** Ends what runs, and drops the curves of another seed. */
  #forget(): void {
    this.#trainer.cancel();
    this.#rest('');
    this.curves = new Map();
  }

  protected override data(): FigureData {
    const { words, curves } = this;
    return {
      columns: [
        words.text('extrapolation.length'),
        ...COMPARED.map((each) => words.text(`training.${each}`)),
      ],
      rows: LENGTHS.map((length, k) => [length, ...COMPARED.map((each) => curves.get(each)?.[k] ?? '')]),
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
