import { html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { moveCursor } from '../shared/heat-map/cursor.js';
import { whole } from '../shared/settings.js';
import { shapesCode } from './code.js';
import { blocks, noBlocks } from './drawing.js';
import { pipelineOf, shapeOf, STAGES, type Pipeline, type Sizes, type Stage } from './pipeline.js';
import { shapesStyles } from './styles.js';
import { failure, followed, readout, shapesData, stageText } from './texts.js';

const settings = {
  /** Sequences. */
  batch: whole(2, 1, 4),
  /** Tokens n. */
  tokens: whole(4, 1, 8),
  /** Width d. */
  width: whole(100, 4, 128),
  /** Heads. */
  heads: whole(5, 1, 12),
};

/**
 * `<attention-shapes>`: the shapes of multi-head attention from input to output, as blocks that split into heads and
 * merge again; and the layer's error if the width is not a multiple of the number of heads.
 */
export class AttentionShapes extends figureWith(settings) {
  static override styles = shapesStyles;
  static override properties = { head: { state: true }, pointed: { state: true } };

  /** The selected head, and the one under the pointer; from 0. */
  declare protected head: number | undefined;
  declare protected pointed: number | undefined;

  /** The result for these sizes, so that redrawing does not create another layer. */
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

  /** The highlighted head. */
  get #marked(): number | undefined {
    const head = this.pointed ?? this.head;
    return head === undefined ? undefined : Math.min(head, this.heads - 1);
  }

  override reset(): void {
    this.head = undefined;
    super.reset();
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
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
        ${failure(words, this.#sizes, pipeline.error)}
      </div>
      ${readout(words, this.#sizes, this.#followed(), pipeline.error)}
      <div class="controls">
        ${(['batch', 'tokens', 'width', 'heads'] as const).map((name) =>
          this.slider(name, words.text(`shapes.${name}`)),
        )}
      </div>
    `;
  }

  /** The shapes of the highlighted head, if the heads divide the width. */
  #followed(): string | undefined {
    const head = this.#marked;
    return head === undefined ? undefined : followed(this.words, this.#sizes, head);
  }

  /** A second click on a head deselects it. */
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

  /** One slider for all heads: a tab stop for each would be too many. */
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

  #stage(stage: Stage, { shapes, error }: Pipeline): TemplateResult {
    const { words } = this;
    const shape = shapes[stage];
    const picture = shape === undefined ? noBlocks(this.#sizes) : blocks(stage, this.#sizes, error !== undefined);
    return html`<li data-stage=${stage}>
      ${stage === 'projected' ? this.#slider(picture) : picture}
      <p class="what">${stageText(words, stage)}</p>
      <p class="shape">${shape === undefined ? '—' : shapeOf(shape)}</p>
    </li>`;
  }

  /** Highlights one head's blocks, without redrawing the stages. */
  protected override updated(): void {
    const marked = String(this.#marked);
    for (const block of this.renderRoot.querySelectorAll<SVGElement>('[data-head]'))
      block.classList.toggle('marked', block.dataset.head === marked);
    this.renderRoot.querySelector('.stages')?.classList.toggle('following', marked !== 'undefined');
  }

  protected override data(library: WasmAttention): FigureData {
    return shapesData(this.words, this.#pipeline(library));
  }

  protected override code(): FigureCode {
    return shapesCode(this.#sizes);
  }
}

/** The head of the block under the pointer. */
function headOf(event: Event): number | undefined {
  const { head } = (event.target as SVGElement).dataset;
  return head === undefined ? undefined : Number(head);
}

defineFigure('attention-shapes', AttentionShapes);
