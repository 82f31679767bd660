import { html, nothing, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { controlStyles } from '../shared/controls/control-styles.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, FigureElement } from '../shared/figure/figure-element.js';
import { whole } from '../shared/settings.js';
import { baseStyles } from '../shared/styles.js';
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
  static override styles = [baseStyles, controlStyles, shapesStyles];
  static override settings = settings;

  /** Sequences, 1 to 4; default 2. */
  declare batch: number;
  /** Tokens n, 1 to 8; default 4. */
  declare tokens: number;
  /** Width d, 4 to 128; default 100. */
  declare width: number;
  /** Heads, 1 to 12; default 5. */
  declare heads: number;

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

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, heads, width } = this;
    const pipeline = this.#pipeline(library);
    return html`
      <div class="pipeline">
        <ol class="stages">
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
            ? html`<span>${words.text('shapes.divides', { heads, width, each: width / heads })}</span>`
            : nothing
        }
        <span class="longest" aria-hidden="true">${words.text('shapes.divides', LONGEST)}</span>
      </p>
    `;
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
    return html`<li data-stage=${stage}>
      ${shape === undefined ? noBlocks(this.#sizes) : blocks(stage, this.#sizes, error !== undefined)}
      <p class="what">${shapesWhole(words.text(`shapes.${stage}`))}</p>
      <p class="shape">${shape === undefined ? '—' : shapeOf(shape)}</p>
    </li>`;
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

/** The words of a stage, without line breaks inside a shape in brackets. */
function shapesWhole(text: string): unknown[] {
  return text
    .split(/(\([^)]*\))/)
    .map((part) => (part.startsWith('(') ? html`<span class="together">${part}</span>` : part));
}

defineFigure('attention-shapes', AttentionShapes);
