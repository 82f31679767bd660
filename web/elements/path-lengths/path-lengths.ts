import { html, nothing, type TemplateResult } from 'lit';
import type { Architecture, WasmAttention } from 'wasm-attention';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles, type Winnable } from '../shared/goals.js';
import { flag, whole } from '../shared/settings.js';
import { pathLengthsCode } from './code.js';
import { diagramOf, drawDiagram, viewHeight, VIEW_WIDTH } from './drawing.js';
import { pathStyles } from './styles.js';

const MAX_TOKENS = 12;
const ARCHITECTURES = ['cnn', 'rnn', 'self-attention'] as const;
const NAMES = { cnn: 'paths.cnn', rnn: 'race.rnn', 'self-attention': 'paths.attention' } as const;

const settings = {
  /** Tokens n. */
  length: whole(7, 2, MAX_TOKENS),
  /** Taps k of the convolutions' kernels. */
  kernel: whole(3, 2, 7),
  /** The number of convolutional layers. */
  layers: whole(3, 1, 6),
  /** One of the two tokens, counted from 1, at most n. */
  from: whole(1, 1, MAX_TOKENS),
  /** The other token. */
  to: whole(7, 1, MAX_TOKENS),
  /** Whether there are goals. */
  goals: flag(true),
};

/** The most digits of a number in the texts. */
const LONGEST = { i: 12, j: 12, layers: 6, needed: 11, cnn: 11, rnn: 11, attention: 1 };

/**
 * `<path-lengths>`: a stack of convolutions, a recurrent layer and self-attention over the same tokens. The reader
 * picks two tokens; each diagram highlights their paths to the nearest unit that depends on both.
 */
export class PathLengths extends figureWith(settings) {
  static override styles = [pathStyles, goalStyles];

  protected readonly letters = new Width(this, 'svg', VIEW_WIDTH);
  /** A click moves one of the two tokens, the next click the other. */
  #next: 'from' | 'to' = 'from';
  readonly #goals = new Goals(this);

  override change(settings: Readonly<Record<string, unknown>>): void {
    super.change(settings);
    if (this.goals && this.library !== undefined) this.say(...this.#goals.win(this.words, this.#hunts(this.library)));
  }

  #hunts(library: WasmAttention): Record<string, Winnable> {
    const { words, length, kernel, layers } = this;
    const [i, j] = this.#ends();
    const path = this.#pathLength(library, 'cnn', i, j);
    return {
      nine: {
        text: words.text('paths.goalNine'),
        won: length === 9 && kernel === 3 && j - i === 8 && layers === path,
        why: words.text('paths.whyNine'),
      },
      single: {
        text: words.text('paths.goalSingle'),
        won: j - i === 6 && path === 1,
        why: words.text('paths.whySingle'),
      },
    };
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    return html`
      <div class="diagrams">${ARCHITECTURES.map((architecture) => this.#diagram(library, architecture))}</div>
      ${this.line(words.text('paths.summaryShort', LONGEST))}
      <div class="controls">${this.#sliders()}</div>
      ${this.goals ? this.#goals.list(words, this.#hunts(library)) : nothing}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { words, layers } = this;
    const [i, j] = this.#ends();
    const lengths = ARCHITECTURES.map((architecture) => this.#pathLength(library, architecture, i, j));
    const [cnn = NaN, rnn = NaN, attention = NaN] = lengths;
    const summary = cnn > layers ? 'paths.summaryShort' : 'paths.summary';
    return words.text(i === j ? 'paths.same' : summary, { i, j, layers, cnn, rnn, attention });
  }

  #sliders(): TemplateResult[] {
    const { words, length } = this;
    const end = (name: 'from' | 'to'): TemplateResult => {
      const value = Math.min(this[name], length);
      return this.slider(name, words.text(`paths.${name}`), {
        value,
        max: length,
        text: words.number(value),
      });
    };
    return [
      this.slider('length', words.text('race.tokens')),
      this.slider('kernel', words.text('race.kernel')),
      this.slider('layers', words.text('paths.layers')),
      end('from'),
      end('to'),
    ];
  }

  #diagram(library: WasmAttention, architecture: Architecture): TemplateResult {
    const { words, length: n } = this;
    const [i, j] = this.#ends();
    const drawn = diagramOf(architecture, this, [i - 1, j - 1], (token) => this.#pick(token + 1));
    const name = words.text(NAMES[architecture], { kernel: this.kernel });
    const { maximumPathLength, order } = library.complexity(architecture, { n, d: 1, k: this.kernel });
    const length = this.#pathLength(library, architecture, i, j);
    const path =
      drawn.meeting.at === undefined
        ? words.text('paths.tooFew', { layers: drawn.layers, needed: length })
        : words.text('paths.length', { length });
    return html`<div class="diagram">
      <svg
        viewBox="0 0 ${VIEW_WIDTH} ${viewHeight(drawn)}"
        role="img"
        aria-label="${name}. ${words.text(i === j ? 'paths.same' : 'paths.label', { i, j })} ${path}"
      >
        ${drawDiagram(drawn)}
      </svg>
      <p class="name colour-${ARCHITECTURES.indexOf(architecture)}">${name}</p>
      <p class="length" data-longest=${architecture === 'cnn' ? words.text('paths.tooFew', LONGEST) : nothing}>
        <span>${path}</span>
      </p>
      <p class="longest">
        ${words.text('paths.longest', { n, length: maximumPathLength })} ·&nbsp;${order.maximumPathLength}
      </p>
    </div>`;
  }

  /** The picked tokens, in order. */
  #ends(): readonly [number, number] {
    const [a, b] = [Math.min(this.from, this.length), Math.min(this.to, this.length)];
    return a <= b ? [a, b] : [b, a];
  }

  /**
   * The path between tokens i and j is as long as between the first and the last of j − i + 1 tokens; it is 0 for a
   * single token.
   */
  #pathLength(library: WasmAttention, architecture: Architecture, i: number, j: number): number {
    if (i === j) return 0;
    return library.complexity(architecture, { n: j - i + 1, d: 1, k: this.kernel }).maximumPathLength;
  }

  #pick(token: number): void {
    const end = this.#next;
    this.#next = end === 'from' ? 'to' : 'from';
    this.change({ [end]: token });
  }

  protected override data(library: WasmAttention): FigureData {
    const { words, length: n, kernel: k } = this;
    const [i, j] = this.#ends();
    return {
      columns: [
        words.text('race.architecture'),
        words.text('paths.pathBetween', { i, j }),
        words.text('paths.pathBetween', { i: 1, j: n }),
        words.text('paths.order'),
      ],
      rows: ARCHITECTURES.map((architecture) => {
        const { maximumPathLength, order } = library.complexity(architecture, { n, d: 1, k });
        return [
          words.text(NAMES[architecture], { kernel: k }),
          this.#pathLength(library, architecture, i, j),
          maximumPathLength,
          order.maximumPathLength,
        ];
      }),
    };
  }

  protected override code(): FigureCode {
    const [i, j] = this.#ends();
    return pathLengthsCode({ n: this.length, k: this.kernel, i, j });
  }
}

defineFigure('path-lengths', PathLengths);
