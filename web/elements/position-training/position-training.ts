import { html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import {
  chance,
  DEFAULTS,
  POSITIONS,
  type Positions,
  type Task,
  TASKS,
  Training,
  type TrainingSettings,
} from '../../training/index.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { mapAxesStyles } from '../shared/heat-map/map-axes.js';
import { sampled } from '../shared/plot/direct-labels.js';
import { plotStyles } from '../shared/plot/plot-styles.js';
import { readable, readingStyles } from '../shared/plot/reading.js';
import { positionsStyle } from '../shared/plot/positions-style.js';
import { seriesStyles } from '../shared/plot/series.js';
import { oneOf, whole } from '../shared/settings.js';
import { trainingCode } from './code.js';
import { STEPS_A_POINT } from './computed-curves.js';
import { areComputed, curvesData, shownCurves, type Measure, type ShownCurves } from './curves.js';
import { insideOf, type View } from './inside.js';
import { stepAt, trainingPlot, valuesAt } from './plot.js';
import { trainingOrder, TrainingSession } from './session.js';
import { trainingStyles } from './styles.js';
import { TRAINING, type TrainingWords } from './texts.js';
import { comparisonText, faintText, looksText, outcomeText, progressText } from './words.js';

const settings = {
  /** `copy`: name the token three places back; `reverse`: the sequence from its end. */
  task: oneOf(...TASKS),
  /** `learned`, `none`, `sinusoidal`, `rotary`, `alibi` or `shaw`. */
  positions: oneOf<Positions>('learned', ...POSITIONS.filter((each) => each !== 'learned')),
  /** The plotted measure: `accuracy` or `loss`. */
  measure: oneOf('accuracy', 'loss'),
  /** Seed of the first parameters and the sequences. */
  seed: whole(1, 1, 9999),
};

/**
 * `<position-training>`: a one-layer encoder that learns a task which needs order, in a worker, with positions of the
 * reader's choice: accuracy or loss of every choice so far, and each head's attention map.
 */
export class PositionTraining extends figureWith(settings) {
  static override readonly texts = [TRAINING];
  static override styles = [plotStyles, seriesStyles, mapAxesStyles, readingStyles, trainingStyles];
  static override properties = { read: { state: true } };

  declare protected readonly words: TrainingWords;
  /** The step whose values are read. */
  declare protected read: number | undefined;
  /** The precomputed maps; undefined if they could not be loaded. */
  #computed: typeof import('./computed-maps.js') | undefined;
  /** The maps to show before the first run. */
  #initial: { key: string; view: View } | undefined;
  readonly #session = new TrainingSession(this, (positions) => {
    if (this.positions !== positions) this.change({ positions });
  });
  readonly #width = new Width(this, '.readable');

  override change(given: Readonly<Record<string, unknown>>): void {
    const { task, seed } = this;
    super.change(given);
    // Curves of another task or seed are not comparable with these.
    if (task !== this.task || seed !== this.seed) this.#session.setAside(this);
  }

  override reset(): void {
    this.#session.forget();
    super.reset();
  }

  protected override async prepare(): Promise<void> {
    this.#computed = await import('./computed-maps.js').catch(() => undefined);
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, positions, measure } = this;
    const { steps, vocabulary } = DEFAULTS;
    const { pixels } = this.#width;
    const shown = this.#shown(measure);
    const plot = {
      ...shown,
      measure,
      selected: positions,
      read: this.read,
      steps,
      vocabulary,
      chance: chance(DEFAULTS),
      pixels,
      words,
    };
    const name = (each: Positions | Task | Measure): string => words.text(`training.${each}`);
    return html`
      <div class="controls placed above">${this.choices('task', words.text('training.task'), TASKS, name)}</div>
      <div class="with-four">
        ${readable(trainingPlot(plot), {
          label: words.text('training.plotLabel'),
          min: STEPS_A_POINT,
          max: steps,
          step: STEPS_A_POINT,
          at: this.read,
          text: (step) => valuesAt(plot, step),
          below: ({ x }) => stepAt(x, steps, pixels),
          read: (step) => (this.read = step),
        })}
        ${insideOf(this.#view(library), positions, words)}
      </div>
      ${this.line(`${this.#comparison(library)} ${words.text('training.computed')}`, `${this.sentence(library)} ${this.#note}`.trim())}
      <div class="controls">
        ${this.choices('positions', words.text('training.positions'), POSITIONS, (each) =>
          sampled(positionsStyle(each), name(each)),
        )}
        <div class="buttons">${this.#buttons()}</div>
      </div>
      <div class="controls placed">
        ${this.choices('measure', words.text('training.measure'), ['accuracy', 'loss'] as const, name)}
        ${this.slider('seed', words.text('training.seed'), { max: 20 })}
      </div>
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { words, positions, measure } = this;
    const { phase, runs, outcome } = this.#session;
    const run = phase === 'idle' ? undefined : runs.get(positions);
    if (run !== undefined) return progressText(words, positions, run);
    const comparison = this.#comparison(library);
    return outcome === undefined
      ? `${comparison} ${this.#whose(this.#shown(measure))}`.trim()
      : `${outcomeText(words, outcome)} ${comparison}`;
  }

  /** A training speaks when it pauses and when it has ended. */
  protected override isSettled(): boolean {
    return this.#session.phase !== 'running';
  }

  #comparison(library: WasmAttention): string {
    const { words, task, positions, measure } = this;
    const compared = comparisonText(words, this, this.#shown(measure));
    return `${compared} ${looksText(words, task, positions, this.#view(library))}`;
  }

  /** A note about precomputed curves and maps. It is the same after each change, so that only the line has it. */
  get #note(): string {
    const isOwn = !areComputed(this) || this.#session.runs.size > 0 || this.#session.outcome !== undefined;
    return isOwn || this.#computed === undefined ? '' : this.words.text('training.computed');
  }

  /** The text about the curves and the maps before the reader has trained with these settings. */
  #whose(shown: ShownCurves): string {
    const { words } = this;
    const isComputed = areComputed(this);
    if (isComputed && (this.#session.runs.size > 0 || this.#computed !== undefined)) return '';
    const curves = isComputed ? words.text('extrapolation.computed') : faintText(words, shown);
    return curves && `${curves} ${words.text('training.untrained')}`;
  }

  #buttons(): TemplateResult[] {
    const { words, positions, task, seed } = this;
    const session = this.#session;
    const begin = (order: readonly Positions[]): void => session.begin(order, { task, seed });
    const isIdle = session.phase === 'idle';
    const isRunning = session.phase === 'running';
    const pause = words.text(isRunning ? 'training.pause' : 'training.resume');
    const name = words.text(`training.${positions}`);
    const pairs: readonly [label: string, press: () => void][] = isIdle
      ? [
          [words.text('training.train', { name }), () => begin([positions])],
          [words.text('training.all'), () => begin(trainingOrder(positions))],
        ]
      : [
          [pause, () => (isRunning ? session.pause() : session.resume())],
          [words.text('training.cancel'), () => session.cancel()],
        ];
    // The same two buttons all the time, so that the focus stays on them.
    const button = ([label, press]: (typeof pairs)[number], at: number): TemplateResult => {
      const click = (): void => {
        this.say();
        press();
      };
      return html`<button type="button" class=${isIdle && at === 0 ? 'primary' : ''} @click=${click}>${label}</button>`;
    };
    return pairs.map(button);
  }

  /** The curves to show, with these settings or others. */
  #shown(measure: Measure): ShownCurves {
    const { runs, before } = this.#session;
    return shownCurves(measure, this, runs, before);
  }

  /** The model that the reader has trained or, with precomputed maps, the author; otherwise the untrained model. */
  #view(library: WasmAttention): View {
    const { task, positions, seed } = this;
    const own = this.#session.runs.get(positions)?.snapshot;
    if (own !== undefined) return own;
    const key = `${task} ${positions} ${seed}`;
    if (this.#initial?.key !== key) {
      const computed = areComputed(this) ? this.#computed?.computedView(task, positions) : undefined;
      this.#initial = { key, view: computed ?? untrained(library, { task, positions, seed }) };
    }
    return this.#initial.view;
  }

  protected override data(): FigureData {
    return curvesData((measure) => this.#shown(measure), this.words);
  }

  protected override code(): FigureCode {
    return trainingCode(this.task, this.positions, this.seed);
  }
}

function untrained(library: WasmAttention, settings: Partial<TrainingSettings>): View {
  const training = new Training(library, settings);
  const snapshot = training.snapshot();
  training.dispose();
  return snapshot;
}

defineFigure('position-training', PositionTraining);
