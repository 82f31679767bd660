import { html, nothing, svg, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { pressedTo } from '../shared/controls/pressed-to.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles, type Winnable } from '../shared/goals.js';
import { flag, whole } from '../shared/settings.js';
import { arcPath, degreesAt, residual, rotate, turnedTo, type Pair } from './rotation.js';
import { rotationStyles } from './styles.js';

/** The figure's positions. The encoding extends to the largest offset from the last of them. */
const POSITIONS = 60;
const OFFSET = 30;
const LAST = POSITIONS - 1;

const settings = {
  /** The position i whose hands are turned. */
  position: whole(10, 0, LAST),
  /** The offset δ. */
  offset: whole(6, -OFFSET, OFFSET),
  /** Width of the encoding, even. */
  width: whole(16, 4, 32, 2),
  /** Whether there are goals. */
  goals: flag(true),
};

/** The last of the pairs whose marks are told in words. */
const TOLD = 3;

/** Positions in a turn of the first hand, whose step is a radian, at least. */
const TURN = Math.floor(2 * Math.PI);

/**
 * `<encoding-rotation>`: the pairs (2j, 2j+1) of an encoding as clock hands. The matrix of an offset δ turns every hand
 * from position i to position i + δ; the residual is its error.
 */
export class EncodingRotation extends figureWith(settings) {
  static override styles = [rotationStyles, goalStyles];
  static override properties = { sought: { state: true } };

  /** The position that the reader looks for. */
  declare protected sought: number | undefined;
  readonly #goals = new Goals(this);
  /** Where the reader took hold of a hand, by pointer or keys. */
  #start = 0;

  override change(settings: Readonly<Record<string, unknown>>): void {
    super.change(settings);
    if (!this.goals) return;
    this.say(...this.#goals.win(this.words, this.#hunts()));
    if (this.position === this.sought) this.sought = undefined;
  }

  #hunts(isTurned = false): Record<string, Winnable> {
    const { words } = this;
    return {
      turn: { text: words.text('rotation.goalTurn'), won: isTurned, why: words.text('rotation.whyTurn') },
      read: {
        text: words.text('rotation.goalRead'),
        won: this.position === this.sought,
        why: words.text('rotation.whyRead'),
      },
    };
  }

  /** Turns hand j towards the pointer, to a whole position. */
  #turn(event: PointerEvent, j: number): void {
    const hand = event.currentTarget as SVGGElement;
    if (!hand.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = hand.ownerSVGElement!.getBoundingClientRect();
    const angle = Math.atan2(event.clientX - left - width / 2, top + height / 2 - event.clientY);
    this.#turnTo(turnedTo(angle, this.position, this.#omega(j), LAST), j);
  }

  #press(event: KeyboardEvent, j: number): void {
    const to = pressedTo(this.position, LAST, event);
    if (to === undefined) return;
    event.preventDefault();
    this.#turnTo(to, j);
  }

  /** Turns hand j, and with it all others, to a position. */
  #turnTo(position: number, j: number): void {
    if (position === this.position) return;
    this.change({ position });
    const isTurned = j === 0 && Math.abs(position - this.#start) >= TURN;
    if (this.goals) this.say(...this.#goals.win(this.words, this.#hunts(isTurned)));
  }

  /** The angle in radians by which hand j turns from position to position. */
  #omega(j: number): number {
    return 10000 ** ((-2 * j) / this.width);
  }

  /** The angle by which an offset turns hand j, in degrees. */
  #turned(j: number, offset = this.offset): string {
    const angle = offset * this.#omega(j);
    return this.words.number((angle * 180) / Math.PI, Math.abs(angle) < 1 ? 1 : 0);
  }

  /** Hides a position at least a turn away. */
  readonly #hide = (): void => {
    const ways = POSITIONS - 2 * TURN;
    this.sought = (this.position + TURN + Math.floor(ways * Math.random())) % POSITIONS;
    this.say();
  };

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, width } = this;
    const [matrices, P] = this.#arrays(library);
    const pairs = Array.from({ length: width / 2 }, (_, j) => j);
    return html`
      <div class="controls placed above">
        ${this.slider('offset', words.text('rotation.offset'))}
        ${this.slider('position', words.text('rotation.position'))}
        ${this.slider('width', words.text('encoding.width'))}
        ${
          this.goals
            ? html`<button type="button" class="button" @click=${this.#hide}>${words.text('rotation.hide')}</button>`
            : nothing
        }
      </div>
      <div class="clocks">${pairs.map((j) => this.#clock(j, matrices, P))}</div>
      <div class="legend">${this.#key()}</div>
      <span id="help" hidden>${words.text('rotary.help')}</span>
      ${this.line(this.#shown(LAST, -OFFSET, this.#difference(1e-8)))}
      ${this.goals ? this.#goals.list(words, this.#hunts()) : nothing}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { position, offset, sought } = this;
    if (sought !== undefined) return this.#shown(position, offset, this.#search(sought));
    const given = { positions: POSITIONS, offset, dim: this.width };
    return this.#shown(position, offset, this.#difference(residual(...this.#arrays(library), given)));
  }

  /** What δ does, and a sentence more. */
  #shown(position: number, offset: number, more: string): string {
    const { words, width } = this;
    const given = {
      offset: words.number(offset),
      first: this.#turned(0, offset),
      last: this.#turned(width / 2 - 1, offset),
      position,
      target: words.number(position + offset),
    };
    return `${words.text('rotation.shown', given)} ${more}`;
  }

  #difference(value: number): string {
    return this.words.text('rotation.residual', { value: this.words.value(value) });
  }

  /** Where the marks of the hidden position are, and the hands. */
  #search(sought: number): string {
    const { words, position, width } = this;
    const marks = Array.from({ length: Math.min(TOLD, width / 2 - 1) }, (_, i) => {
      const omega = this.#omega(i + 1);
      const given = { pair: i + 1, hand: degreesAt(position, omega), mark: degreesAt(sought, omega) };
      return words.text('rotation.markAt', given);
    });
    return words.text('rotation.search', { list: marks.join('; ') });
  }

  /** The matrices of δ, and the encoding of all positions. */
  #arrays(library: WasmAttention): [matrices: Float32Array, P: Float32Array] {
    const { offset, width: dim } = this;
    return [
      library.encodingRotation({ delta: offset, dim }).data,
      library.sinusoidalEncoding({ length: POSITIONS + OFFSET, dim }).data,
    ];
  }

  #clock(j: number, matrices: Float32Array, P: Float32Array): TemplateResult {
    const { words, position, offset, width } = this;
    const pairAt = (row: number): Pair => [P[row * width + 2 * j] ?? NaN, P[row * width + 2 * j + 1] ?? NaN];
    const from = pairAt(position);
    const to = rotate(matrices.subarray(4 * j, 4 * j + 4), from);
    const omega = this.#omega(j);
    const angle = this.#turned(j);
    const target = position + offset >= 0 ? pairAt(position + offset) : undefined;
    const mark = this.sought === undefined || j === 0 ? undefined : pairAt(this.sought);
    const grab = (event: PointerEvent): void => {
      (event.currentTarget as SVGGElement).setPointerCapture(event.pointerId);
      this.#start = this.position;
    };
    // A finger beside the tip scrolls: in SVG, touch-action works only on the outermost element.
    const stay = (event: TouchEvent): void => event.preventDefault();
    // All hands have one position, so only the first is a tab stop.
    // The cosine points up and the sine to the right, so at position 0 every hand points up and turns clockwise.
    return html`<div class="clock">
      <svg
        viewBox="-1.15 -1.15 2.3 2.3"
        role="group"
        aria-label=${words.text('rotation.clockLabel', { pair: j, angle })}
      >
        <circle class="dial" r="1" />
        <path class="turn" d=${arcPath(position * omega, offset * omega, 0.62)} />
        <line class="from" x2=${from[0]} y2=${-from[1]} />
        <line class="to" x2=${to[0]} y2=${-to[1]} />
        <circle class="tip" r="0.075" cx=${to[0]} cy=${-to[1]} />
        ${target === undefined ? '' : svg`<circle class="target" r="0.125" cx=${target[0]} cy=${-target[1]} />`}
        ${mark === undefined ? '' : svg`<circle class="sought" r="0.16" cx=${mark[0]} cy=${-mark[1]} />`}
        <g
          class="hand"
          transform="translate(${from[0]} ${-from[1]})"
          role="slider"
          tabindex=${j === 0 ? 0 : -1}
          aria-label=${words.text('rotation.hand', { pair: j })}
          aria-valuenow=${position}
          aria-valuemin="0"
          aria-valuemax=${LAST}
          aria-valuetext="${words.text('position')} ${position}: ${degreesAt(position, omega)}°"
          aria-describedby="help"
          @focus=${() => (this.#start = this.position)}
          @keydown=${(event: KeyboardEvent) => this.#press(event, j)}
          @touchstart=${stay}
          @pointerdown=${grab}
          @pointermove=${(event: PointerEvent) => this.#turn(event, j)}
        >
          <circle r="0.34" />
          <circle class="start" r="0.09" />
        </g>
      </svg>
      <p class="pair">${words.text('rotation.pair', { pair: j, sine: 2 * j, cosine: 2 * j + 1 })}</p>
      <p>δω = ${angle}°</p>
    </div>`;
  }

  #key(): TemplateResult {
    const { words } = this;
    const sample = (content: unknown): TemplateResult =>
      html`<svg aria-hidden="true" viewBox="-0.75 -0.5 1.5 1">${content}</svg>`;
    return html`
      <span
        >${sample(svg`<line class="from" x1="-0.7" x2="0.3" /><circle class="start" r="0.12" cx="0.4" />`)}${words.text('rotation.keyFrom')}</span
      >
      <span
        >${sample(svg`<line class="to" x1="-0.7" x2="0.4" /><circle class="tip" r="0.14" cx="0.4" />`)}${words.text('rotation.keyTurned')}</span
      >
      <span
        >${
          this.position + this.offset < 0
            ? words.text('rotation.noTarget')
            : html`${sample(svg`<circle class="target" r="0.3" />`)}${words.text('rotation.keyTarget')}`
        }</span
      >
      ${
        this.sought === undefined
          ? nothing
          : html`<span>${sample(svg`<circle class="sought" r="0.3" />`)}${words.text('rotation.keyHidden')}</span>`
      }
    `;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words, position, width } = this;
    const [matrices, P] = this.#arrays(library);
    const rows = Array.from({ length: width / 2 }, (_, j) => {
      const from: Pair = [P[position * width + 2 * j] ?? NaN, P[position * width + 2 * j + 1] ?? NaN];
      return [j, ...from, ...rotate(matrices.subarray(4 * j, 4 * j + 4), from)];
    });
    const names = ['sine', 'cosine', 'turnedSine', 'turnedCosine'] as const;
    return {
      columns: [words.text('rotation.pairNumber'), ...names.map((name) => words.text(`rotation.${name}`))],
      rows,
    };
  }

  protected override code(): FigureCode {
    const { position, offset, width } = this;
    return {
      javascript: `import { load } from 'wasm-attention';

const { encodingRotation, sinusoidalEncoding } = await load();
const i = ${position};
const delta = ${offset};
const dim = ${width};
const P = sinusoidalEncoding({ length: i + 1, dim }).data;
const M = encodingRotation({ delta, dim }).data; // (dim / 2, 2, 2)

for (let j = 0; j < dim / 2; ++j) {
  const [sine, cosine] = [P[i * dim + 2 * j], P[i * dim + 2 * j + 1]];
  const [a, b, c, d] = M.subarray(4 * j, 4 * j + 4);
  console.log(a * sine + b * cosine, c * sine + d * cosine);
}
`,
      pytorch: `import torch

i, delta, dim = ${position}, ${offset}, ${width}
omega = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
p = torch.stack([torch.sin(i * omega), torch.cos(i * omega)], dim=-1)
cos, sin = torch.cos(delta * omega), torch.sin(delta * omega)
M = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2)

print((M @ p.unsqueeze(-1)).squeeze(-1))  # the pairs of position i + delta
`,
    };
  }
}

defineFigure('encoding-rotation', EncodingRotation);
