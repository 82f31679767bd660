import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { MultiHeadAttention, Tensor, WasmAttention } from 'wasm-attention';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import type { HeatMap } from '../shared/heat-map/heat-map.js';
import '../shared/heat-map/ramp-legend.js';
import { headsCode } from './code.js';
import { lengthSliders, queryLengths } from './lengths.js';
import { headMaps, type HeadCell } from './maps.js';
import { headsStyles } from './styles.js';
import {
  BATCH,
  inputOf,
  LAST_SEED,
  NUM_HEADS,
  NUM_HIDDENS,
  perQuery,
  settings,
  shapeText,
  TOKENS,
  visibleKeys,
  weightsOf,
} from './textbook-case.js';

/**
 * `<attention-heads>`: the attention weights of every head of a `MultiHeadAttention` layer over two short sequences,
 * with adjustable valid lengths for the sequences or for each query.
 */
export class AttentionHeads extends figureWith(settings) {
  static override styles = headsStyles;
  static override properties = { pointed: { state: true } };

  declare protected pointed: HeadCell | undefined;
  #layer: MultiHeadAttention | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#layer?.dispose();
    this.#layer = undefined;
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    // Ten maps share one readout, so a cursor in one of them removes the others'.
    if (this.pointed === undefined) return;
    const { sequence, head } = this.pointed;
    for (const map of this.renderRoot.querySelectorAll<HeatMap>('heat-map')) {
      if (map.dataset.at !== `${sequence},${head}`) map.cursor = undefined;
    }
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const { output, weights } = this.#attend(library);
    return html`
      ${this.#choices()}
      ${[0, 1].map((sequence) => {
        const visible = visibleKeys(this.#lensOf(sequence));
        return headMaps(words, weights, sequence, visible, (pointed) => (this.pointed = pointed));
      })}
      <div class="under">
        <p class="readout" data-longest=${words.text('heads.hint')}>
          <span
            >${this.pointed === undefined ? html`<span class="remark">${words.text('heads.hint')}</span>` : this.#readout(weights)}</span
          >
        </p>
        <ramp-legend low="0" high="1"></ramp-legend>
      </div>
      <p class="remark">${words.text('heads.shapes', { output: shapeText(output), weights: shapeText(weights) })}</p>
      <div class="controls">
        ${
          this.lengths === 'query'
            ? queryLengths(words, this.queryLens, (queryLens) => this.change({ queryLens }))
            : lengthSliders(words, this.validLens, (validLens) => this.change({ validLens }))
        }
      </div>
    `;
  }

  #choices(): TemplateResult {
    const { words } = this;
    return html`<div class="controls placed above">
      ${this.choices('lengths', words.text('heads.lengths'), ['sequence', 'query'] as const, (each) =>
        words.text(each === 'sequence' ? 'heads.perSequence' : 'heads.perQuery'),
      )}
      ${this.choices(
        'input',
        words.text('heads.input'),
        ['ones', 'random'] as const,
        (each) => words.text(`heads.${each}`),
        html`<button
          type="button"
          ?disabled=${this.input === 'ones'}
          @click=${() => this.change({ seed: (this.seed % LAST_SEED) + 1 })}
        >
          ${words.text('heads.draw')}
        </button>`,
      )}
    </div>`;
  }

  #attend(library: WasmAttention): { output: Tensor; weights: Tensor } {
    this.#layer ??= new library.MultiHeadAttention({
      numHiddens: NUM_HIDDENS,
      numHeads: NUM_HEADS,
      dropout: 0.5,
      seed: 1,
    });
    const X = inputOf(this.input, this.seed);
    const { output, weights } = this.#layer.forward(X, X, X, {
      validLens: this.lengths === 'query' ? perQuery(this.queryLens) : this.validLens,
      needWeights: true,
    });
    if (weights === undefined) throw new Error('attention-heads: expected weights, got none');
    return { output, weights };
  }

  /** The valid length of each query of a sequence. */
  #lensOf(sequence: number): readonly number[] {
    return this.lengths === 'query'
      ? (perQuery(this.queryLens)[sequence] ?? [])
      : new Array<number>(TOKENS).fill(this.validLens[sequence] ?? 0);
  }

  #readout(weights: Tensor): TemplateResult {
    const { words } = this;
    const { sequence, head, row, column } = this.pointed ?? { sequence: 0, head: 0, row: 0, column: 0 };
    const value = weightsOf(weights, sequence, head)[row * TOKENS + column] ?? NaN;
    return html`${words.text('heads.readout', { sequence: sequence + 1, head: head + 1, query: row + 1, key: column + 1 })}
      <strong>${words.value(value)}</strong>`;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words } = this;
    const { weights } = this.#attend(library);
    const keys = Array.from({ length: TOKENS }, (_, key) => `${words.text('key')} ${key + 1}`);
    return {
      columns: [words.text('heads.sequenceNumber'), words.text('heads.headNumber'), words.text('query'), ...keys],
      rows: Array.from({ length: BATCH * NUM_HEADS * TOKENS }, (_, row) => {
        const [sequence, head] = [Math.floor(row / (NUM_HEADS * TOKENS)), Math.floor(row / TOKENS) % NUM_HEADS];
        const values = weights.data.subarray(row * TOKENS, (row + 1) * TOKENS);
        return [sequence + 1, head + 1, (row % TOKENS) + 1, ...values];
      }),
    };
  }

  protected override code(): FigureCode {
    return headsCode(this);
  }
}

defineFigure('attention-heads', AttentionHeads);
