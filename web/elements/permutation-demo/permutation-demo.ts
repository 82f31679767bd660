import { html, nothing, type TemplateResult } from 'lit';
import type { MultiHeadAttention, WasmAttention } from 'wasm-attention';
import { longest, toggle } from '../shared/controls/controls.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles, type Winnable } from '../shared/goals.js';
import { flag, whole } from '../shared/settings.js';
import { permutationCode } from './code.js';
import { heads, isRounding, legend, links, rowSquares } from './drawing.js';
import {
  COUNT,
  FIRST,
  moved,
  NUM_HEADS,
  orderSetting,
  permutationScene,
  shuffled,
  WIDTH,
  type PermutationScene,
} from './permutation.js';
import { permutationStyles } from './styles.js';

const LAST_SEED = 9999;
const VERDICTS = ['permute.same', 'permute.differs', 'permute.identity'] as const;

const settings = {
  /** At each place the number of the token that moves there. */
  order: orderSetting([1, 5, 3, 4, 2]),
  /** Whether the positional encoding is added. */
  positions: flag(false),
  /** Whether later tokens are masked. */
  causal: flag(false),
  /** Seed of the last shuffle. */
  seed: whole(1, 1, LAST_SEED),
  /** Whether there are goals. */
  goals: flag(true),
};

/** How much the outputs have changed. */
type Outcome = Pick<PermutationScene, 'differences' | 'residual'>;

/** After as many orders the goal that no order reaches has a hint. */
const TRIES = 3;

/**
 * `<permutation-demo>`: the outputs of self-attention before and after its tokens are permuted. Without positions the
 * outputs are permuted in the same way (f(ΠX) = Π·f(X), up to rounding); with a positional encoding or a causal mask
 * they are not.
 */
export class PermutationDemo extends figureWith(settings) {
  static override styles = [permutationStyles, goalStyles];

  #layer: MultiHeadAttention | undefined;
  #kept: { readonly of: string; readonly scene: PermutationScene } | undefined;
  readonly #goals = new Goals(this);
  /** How often the reader has changed the order. */
  #tries = 0;
  /** The place of the word that is dragged. */
  #dragged = 0;

  override change(settings: Readonly<Record<string, unknown>>): void {
    super.change(settings);
    if (settings.order !== undefined) ++this.#tries;
    if (this.goals && this.library !== undefined)
      this.say(...this.#goals.win(this.words, this.#hunts(this.#scene(this.library))));
  }

  #hunts({ differences }: PermutationScene): Record<string, Winnable> {
    const { words, positions, causal } = this;
    const changed = countChanged(differences);
    const hint = this.#tries >= TRIES && changed === 0 ? { state: words.text('permute.hintChange') } : {};
    return {
      change: {
        text: words.text('permute.goalChange'),
        won: changed > 0,
        why: words.text('permute.whyChange'),
        ...hint,
      },
      two: {
        text: words.text('permute.goalTwo'),
        won: causal && !positions && changed === 2,
        why: words.text('permute.whyTwo'),
      },
    };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#layer?.dispose();
    this.#layer = undefined;
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, order } = this;
    const scene = this.#scene(library);
    return html`
      <div class="board" role="group" aria-label=${words.text('permute.label')}>
        ${heads()} ${FIRST.map((_, place) => this.#row(scene, place))} ${links(order, scene.differences)}
      </div>
      <div class="legend" aria-hidden="true">${legend(words)}</div>
      ${this.line(longest(...VERDICTS.map((each) => this.#told(each, { differences: [], residual: 1e-7 }))))}
      ${this.#controls()} ${this.goals ? this.#goals.list(words, this.#hunts(scene)) : nothing}
    `;
  }

  get #tokens(): readonly string[] {
    return this.words.text('permute.sentence').split(' ');
  }

  #scene(library: WasmAttention): PermutationScene {
    const { order, positions, causal } = this;
    const tokens = this.#tokens;
    const of = [...tokens, ...order, positions, causal].join();
    if (this.#kept?.of !== of) {
      this.#layer ??= new library.MultiHeadAttention({ numHiddens: WIDTH, numHeads: NUM_HEADS, seed: 1 });
      this.#kept = { of, scene: permutationScene(library, this.#layer, { tokens, order, positions, causal }) };
    }
    return this.#kept.scene;
  }

  protected override sentence(library: WasmAttention): string {
    const scene = this.#scene(library);
    return this.#told(this.#verdict(scene), scene);
  }

  /** The new order of the tokens, and what it does to their outputs. */
  #told(verdict: (typeof VERDICTS)[number], { differences, residual }: Outcome): string {
    const { words } = this;
    const tokens = this.#tokens;
    const order = this.order.map((number) => tokens[number - 1]).join(' ');
    const changed = countChanged(differences);
    return `${order}: ${words.text(verdict, { changed, count: COUNT, residual: words.value(residual) })}`;
  }

  #row(scene: PermutationScene, place: number): TemplateResult {
    const tokens = this.#tokens;
    const after = tokens[(this.order[place] ?? 0) - 1] ?? '';
    const word = html`<div
      class="after"
      @pointerdown=${(event: PointerEvent) => {
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        this.#dragged = place;
      }}
      @pointermove=${this.#drag}
    >
      ${after}
    </div>`;
    return html`${rowSquares(scene, place, tokens[place] ?? '', word)} ${this.#movers(place, after)}`;
  }

  /** Moves the dragged word to the place whose word is nearest to the pointer. */
  readonly #drag = (event: PointerEvent): void => {
    if (!(event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) return;
    const away = [...this.renderRoot.querySelectorAll('.after')].map((word) => {
      const { top, height } = word.getBoundingClientRect();
      return Math.abs(event.clientY - top - height / 2);
    });
    const to = away.indexOf(Math.min(...away));
    if (to === this.#dragged) return;
    const order = [...this.order];
    order.splice(to, 0, ...order.splice(this.#dragged, 1));
    this.#dragged = to;
    this.change({ order });
  };

  /** Two buttons with one tab stop, since each moves the token both ways by the arrow keys. */
  #movers(place: number, token: string): TemplateResult {
    const { words } = this;
    const button = (by: -1 | 1): TemplateResult =>
      html`<button
        type="button"
        data-place=${place}
        data-by=${by}
        tabindex=${by < 0 === place > 0 ? 0 : -1}
        ?disabled=${moved(this.order, place, by) === this.order}
        aria-label=${words.text(by < 0 ? 'permute.up' : 'permute.down', { token, place: place + 1 })}
        @click=${() => void this.#move(place, by, by)}
      >
        <span aria-hidden="true">${by < 0 ? '↑' : '↓'}</span>
      </button>`;
    const onKey = (event: KeyboardEvent): void => {
      const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
      if (by === undefined) return;
      event.preventDefault();
      const held = Number((event.target as HTMLElement).dataset.by) < 0 ? -1 : 1;
      void this.#move(place, by, held);
    };
    return html`<div class="move" @keydown=${onKey}>${button(-1)}${button(1)}</div>`;
  }

  /** Moves a token and keeps the focus on its button `held`, or at the ends on its other button. */
  async #move(place: number, by: -1 | 1, held: -1 | 1): Promise<void> {
    const order = moved(this.order, place, by);
    if (order === this.order) return;
    this.change({ order });
    await this.updateComplete;
    const button = (which: number): HTMLButtonElement | null =>
      this.renderRoot.querySelector(`button[data-place="${place + by}"][data-by="${which}"]`);
    const wanted = button(held);
    (wanted?.disabled === true ? button(-held) : wanted)?.focus();
  }

  #verdict({ residual }: Outcome): (typeof VERDICTS)[number] {
    if (this.order.every((number, place) => number === place + 1)) return 'permute.identity';
    return isRounding(residual) ? 'permute.same' : 'permute.differs';
  }

  #controls(): TemplateResult {
    const { words } = this;
    return html`<div class="controls">
      <div class="switches">
        <button type="button" @click=${this.#shuffle}>${words.text('permute.shuffle')}</button>
        <button type="button" @click=${() => this.change({ order: FIRST })}>${words.text('permute.restore')}</button>
        ${toggle(words.text('permute.positions'), this.positions, (positions) => this.change({ positions }))}
        ${toggle(words.text('masks.useCausal'), this.causal, (causal) => this.change({ causal }))}
      </div>
    </div>`;
  }

  /** The next seed with a different order. */
  readonly #shuffle = (): void => {
    let seed = this.seed;
    let order = this.order;
    while (order.every((number, place) => number === this.order[place])) {
      seed = (seed % LAST_SEED) + 1;
      order = shuffled(seed);
    }
    this.change({ seed, order });
  };

  protected override data(library: WasmAttention): FigureData {
    const { words, order } = this;
    const { Y, Z, differences } = this.#scene(library);
    const numbers = Array.from({ length: WIDTH }, (_, i) => i + 1);
    const values = (matrix: Float32Array, row: number): Float32Array => matrix.subarray(row * WIDTH, (row + 1) * WIDTH);
    return {
      columns: [
        words.text('permute.place'),
        words.text('token'),
        ...numbers.map((i) => `f(ΠX) ${i}`),
        ...numbers.map((i) => `Πf(X) ${i}`),
        words.text('permute.difference'),
      ],
      heads: 2,
      rows: order.map((number, place) => [
        place + 1,
        this.#tokens[number - 1] ?? '',
        ...values(Z, place),
        ...values(Y, number - 1),
        differences[place] ?? NaN,
      ]),
    };
  }

  protected override code(): FigureCode {
    const { order, positions, causal } = this;
    return permutationCode({ tokens: this.#tokens, order, positions, causal });
  }
}

/** How many outputs differ by more than rounding. */
function countChanged(differences: readonly number[]): number {
  return differences.filter((difference) => !isRounding(difference)).length;
}

defineFigure('permutation-demo', PermutationDemo);
