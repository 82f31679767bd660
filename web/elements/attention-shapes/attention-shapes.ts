import { html, nothing, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, FigureElement } from '../shared/figure/figure-element.js';
import { moveCursor } from '../shared/heat-map/cursor.js';
import { whole } from '../shared/settings.js';
import { shapesCode } from './code.js';
import { blocks, noBlocks } from './drawing.js';
import { pipelineOf, shapeOf, STAGES, type Pipeline, type Sizes, type Stage } from './pipeline.js';
import { shapesStyles } from './styles.js';

/** No numbers of the readout have more digits. */
const LONGEST = { heads: 12, width: 128, each: 128 };

const settings = {
  batch: whole(2, 1, 4),
  tokens: whole(4, 1, 8),
  width: whole(100, 4, 128),
  heads: whole(5, 1, 12),
};

/**
 * `<attention-shapes>`: the shapes of multi-head attention from input to output, as blocks that split into heads and merge again;
 * and the layer's own error where the heads do not divide the width.
 */
export class AttentionShapes extends FigureElement {
  static override styles = shapesStyles;
  static override settings = settings;
  static override properties = { head: { state: true }, pointed: { state: true } };

  /** Sequences, 1 to 4; default 2. */
  declare batch: number;
  /** Tokens n, 1 to 8; default 4. */
  declare tokens: number;
  /** Width d, 4 to 128; default 100. */
  declare width: number;
  /** Heads, 1 to 12; default 5. */
  declare heads: number;

  /** The head that the reader follows, and the one under the pointer; from 0. */
  declare protected head: number | undefined;
  declare protected pointed: number | undefined;

  /** The result for these sizes, so that the table and other redrawings do not create another layer. */
  #last: { readonly key: string; readonly pipeline: Pipeline } | undefined;

  #pipeline(library: WasmAttention): Pipeline {
    const key = Object.values(this.#sizes).join();
    if (this.#last?.key !== key) this.#last = { key, pipeline: pipelineOf(library, this.#sizes) };
    return this.#last.pipeline;
  }

  get #sizes(): Sizes {
    const { batch, tokens, width, heads } = this;
    return { batch, tokens, width, heads };
  }

  /** The head that is marked. */
  get #marked(): number | undefined {
    const head = this.pointed ?? this.head;
    return head === undefined ? undefined : Math.min(head, this.heads - 1);
  }

  override reset(): void {
    this.head = undefined;
    super.reset();
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, heads, width } = this;
    const pipeline = this.#pipeline(library);
    return html`
      <div class="pipeline">
        <ol
          class="stages"
          @pointerover=${(event: Event) => (this.pointed = headOf(event))}
          @pointerleave=${() => (this.pointed = undefined)}
          @click=${(event: Event) => this.#choose(headOf(event))}
        >
          ${STAGES.map((stage) => this.#stage(stage, pipeline))}
        </ol>
        ${this.#failure(pipeline.error)}
      </div>
      <div class="controls">
        ${(['batch', 'tokens', 'width', 'heads'] as const).map((name) =>
          this.slider(name, words.text(`shapes.${name}`)),
        )}
      </div>
      <p class="readout" role="status">
        ${
          pipeline.error === undefined
            ? html`<span
                >${this.#followed() ?? words.text('shapes.divides', { heads, width, each: width / heads })}</span
              >`
            : nothing
        }
        <span class="longest" aria-hidden="true">${words.text('shapes.divides', LONGEST)}</span>
      </p>
    `;
  }

  /** What belongs to the marked head, if the heads divide the width. */
  #followed(): string | undefined {
    const head = this.#marked;
    const each = this.width / this.heads;
    if (head === undefined || !Number.isInteger(each)) return undefined;
    const [first, last] = [head * each + 1, (head + 1) * each];
    return this.words.text('shapes.follow', { head: head + 1, first, last });
  }

  /** A second click on a head lets go of it. */
  #choose(head: number | undefined): void {
    if (head === undefined) return;
    this.head = this.head === head ? undefined : head;
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const { key } = event;
    if (key === 'Escape') this.head = undefined;
    else {
      const to = moveCursor({ row: 0, column: this.#marked ?? 0 }, key, false, 1, this.heads);
      if (to === undefined) return;
      event.preventDefault();
      this.head = to.column;
    }
  };

  /** The heads as one slider: a tab stop for each would be too many. */
  #slider(picture: TemplateResult): TemplateResult {
    const head = this.#marked ?? 0;
    return html`<div
      class="follow"
      role="slider"
      tabindex="0"
      aria-label=${this.words.text('shapes.head')}
      aria-valuemin="1"
      aria-valuemax=${this.heads}
      aria-valuenow=${head + 1}
      aria-valuetext=${this.#followed() ?? head + 1}
      @focus=${(event: Event) => {
        if ((event.target as Element).matches(':focus-visible')) this.head ??= 0;
      }}
      @keydown=${this.#onKey}
    >
      ${picture}
    </div>`;
  }

  /** The library's error, in place of the stages that are not reached. */
  #failure(error: string | undefined): TemplateResult {
    const { words, heads, width } = this;
    return html`<div class="failure ${error === undefined ? 'empty' : ''}" role="status">
      ${
        error === undefined
          ? nothing
          : html`<p>${words.text('shapes.fails', { heads, width, rest: width % heads })}</p>
              <p class="error"><code lang="en">${error}</code></p>`
      }
    </div>`;
  }

  #stage(stage: Stage, { shapes, error }: Pipeline): TemplateResult {
    const { words } = this;
    const shape = shapes[stage];
    const picture =
      shape === undefined ? noBlocks(this.#sizes) : blocks(stage, this.#sizes, error !== undefined);
    return html`<li data-stage=${stage}>
      ${stage === 'projected' ? this.#slider(picture) : picture}
      <p class="what">${shapesWhole(words.text(`shapes.${stage}`))}</p>
      <p class="shape">${shape === undefined ? '—' : shapeOf(shape)}</p>
    </li>`;
  }

  /** Marks one head's blocks: the drawing of a stage does not depend on it. */
  protected override updated(): void {
    const marked = String(this.#marked);
    for (const block of this.renderRoot.querySelectorAll<SVGElement>('[data-head]'))
      block.classList.toggle('marked', block.dataset.head === marked);
    this.renderRoot.querySelector('.stages')?.classList.toggle('following', marked !== 'undefined');
  }

  protected override data(library: WasmAttention): FigureData {
    const { words } = this;
    const { shapes } = this.#pipeline(library);
    const rows = STAGES.flatMap((stage) => {
      const shape = shapes[stage];
      const count = shape?.reduce((product, size) => product * size, 1);
      return shape === undefined || count === undefined
        ? []
        : [[words.text(`shapes.${stage}`), shapeOf(shape), count]];
    });
    return {
      columns: [words.text('shapes.stage'), words.text('shapes.shape'), words.text('shapes.count')],
      rows,
    };
  }

  protected override code(): FigureCode {
    return shapesCode(this.#sizes);
  }
}

/** The head to which the block under the pointer belongs. */
function headOf(event: Event): number | undefined {
  const { head } = (event.target as SVGElement).dataset;
  return head === undefined ? undefined : Number(head);
}

/** The words of a stage, without line breaks inside a shape in brackets. */
function shapesWhole(text: string): unknown[] {
  return text
    .split(/(\([^)]*\))/)
    .map((part) => (part.startsWith('(') ? html`<span class="together">${part}</span>` : part));
}

defineFigure('attention-shapes', AttentionShapes);
