import { html, nothing, svg, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { toggle } from '../shared/controls/controls.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { Goals, goalStyles, type Winnable } from '../shared/goals.js';
import type { CellDetail } from '../package-types.js';
import { onCell } from '../shared/heat-map/heat-map.js';
import '../shared/heat-map/ramp-legend.js';
import { masksCode } from './code.js';
import { maskMap } from './map.js';
import { FACTORS, LAST_SEED, LENGTH, maskScene, settings, type Factor, type MaskScene } from './scene.js';
import { masksStyles } from './styles.js';

/**
 * `<attention-masks>`: which queries may attend to which keys. Padding, a causal mask and a sliding window as maps,
 * their combination, and the weights under it. A query that sees nothing has weights of zero.
 */
export class AttentionMasks extends figureWith(settings) {
  static override styles = [masksStyles, goalStyles];
  static override properties = { pointed: { state: true } };

  declare protected pointed: CellDetail | undefined;
  readonly #goals = new Goals(this);

  override change(settings: Readonly<Record<string, unknown>>): void {
    super.change(settings);
    if (this.goals && this.library !== undefined)
      this.say(...this.#goals.win(this.words, this.#hunts(maskScene(this.library, this))));
  }

  #hunts({ mask }: MaskScene): Record<string, Winnable> {
    const { words } = this;
    const seen = (query: number): number[] =>
      Array.from({ length: LENGTH }, (_, key) => key + 1).filter((key) => mask[(query - 1) * LENGTH + key - 1]);
    const queries = Array.from({ length: LENGTH }, (_, row) => row + 1);
    return {
      one: {
        text: words.text('masks.goalOne'),
        won: queries.every((query) => seen(query).length === 1),
        why: words.text('masks.whyOne'),
      },
      seventh: {
        text: words.text('masks.goalSeventh'),
        won: !this.causal && String(seen(7)) === '5',
        why: words.text('masks.whySeventh'),
      },
    };
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const scene = maskScene(library, this);
    return html`
      <div class="board">
        <div>
          <div class="factors">
            ${FACTORS.map((factor, i) => this.#factor(scene, factor, i === 0 ? '' : words.text('masks.and')))}
            ${this.#factor(scene, 'mask', '=')}
          </div>
          <div class="legend" aria-hidden="true">${this.#legend()}</div>
        </div>
        ${this.#weights(scene)}
        <div>
          <p class="readout" data-longest=${words.text('masks.hint')}>
            <span
              >${this.pointed === undefined ? html`<span class="remark">${words.text('masks.hint')}</span>` : this.#readout(scene, this.pointed)}</span
            >
          </p>
          ${this.line(this.#shown(Array.from({ length: LENGTH - 1 }, (_, row) => row)))}
        </div>
      </div>
      ${this.#controls()} ${this.goals ? this.#goals.list(words, this.#hunts(scene)) : nothing}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { mask, empty } = maskScene(library, this);
    return this.#shown(empty, mask.filter(Boolean).length);
  }

  protected override outcome(library: WasmAttention): string {
    return this.#pairs(maskScene(library, this).mask.filter(Boolean).length);
  }

  #pairs(visible: number): string {
    return this.words.text('masks.pairs', { visible, all: LENGTH * LENGTH });
  }

  #shown(empty: readonly number[], visible = LENGTH * LENGTH): string {
    return `${this.#pairs(visible)}. ${this.#note(empty)}`;
  }

  #factor(scene: MaskScene, factor: Factor | 'mask', sign: string): TemplateResult {
    const { words } = this;
    const off = (factor === 'causal' && !this.causal) || (factor === 'window' && !this.window);
    const label = `${words.text(`masks.${factor}`)}: ${this.#pairs(scene[factor].filter(Boolean).length)}`;
    const names = ['factor', ...(factor === 'mask' ? ['mask-itself'] : []), ...(off ? ['off'] : [])];
    return html`<div class=${names.join(' ')}>
      ${sign && html`<span class="sign">${sign}</span>`}
      <p>${words.text(`masks.${factor}`)}</p>
      ${maskMap(scene[factor], label, this.pointed, this.marked)}
    </div>`;
  }

  #weights(scene: MaskScene): TemplateResult {
    const { words } = this;
    const { weights, mask } = scene;
    return html`<div class="weights">
      <p>${words.text('weights')}</p>
      <heat-map
        bare
        .values=${weights}
        .rows=${LENGTH}
        .columns=${LENGTH}
        .mask=${mask}
        .marked=${this.marked.map((query) => ({ row: query - 1 }))}
        low="0"
        high="1"
        origin="1"
        label=${words.text('weights')}
        row-name=${words.text('query')}
        column-name=${words.text('key')}
        .cellText=${(cell: CellDetail) => this.#readout(scene, cell)}
        @cell-change=${onCell((cell) => (this.pointed = cell))}
      ></heat-map>
      <ramp-legend low="0" high="1"></ramp-legend>
    </div>`;
  }

  #legend(): TemplateResult {
    const { words } = this;
    const sample = (mark: unknown): TemplateResult => html`<svg class="mask" viewBox="0 0 1 1">${mark}</svg>`;
    return html`
      <span>${sample(svg`<rect class="visible" width="1" height="1" />`)}${words.text('masks.keyVisible')}</span>
      <span>${sample(svg`<path class="masked" d="M 0.2 0.8 l 0.6 -0.6" />`)}${words.text('masks.keyHidden')}</span>
    `;
  }

  /** Whether the query under the cursor sees the key there, which masks hide it, and the weight. */
  #readout(scene: MaskScene, { row, column }: CellDetail): string {
    const { words } = this;
    const at = row * LENGTH + column;
    const why = FACTORS.filter((factor) => !scene[factor][at]).map((factor) => words.text(`masks.${factor}`));
    const pair = { query: row + 1, key: column + 1, why: why.join(', ') };
    const sentence = scene.mask[at] ? words.text('masks.pairVisible', pair) : words.text('masks.pairHidden', pair);
    return `${sentence} ${words.value(scene.weights[at] ?? NaN)}`;
  }

  /** Which queries see no key. */
  #note(empty: readonly number[]): string {
    const { words } = this;
    if (empty.length === 0) return words.text('masks.none');
    const queries = empty.map((row) => row + 1).join(', ');
    const all = empty.length === LENGTH ? 'masks.emptyAll' : 'masks.empty';
    return words.text(empty.length === 1 ? 'masks.emptyOne' : all, { queries, count: LENGTH });
  }

  #controls(): TemplateResult {
    const { words } = this;
    const number = (name: 'valid' | 'left' | 'right'): TemplateResult => this.slider(name, words.text(`masks.${name}`));
    return html`<div class="controls">
      <div class="sliders">${number('valid')} ${this.window ? [number('left'), number('right')] : nothing}</div>
      <div class="switches">
        ${toggle(words.text('masks.useCausal'), this.causal, (causal) => this.change({ causal }))}
        ${toggle(words.text('masks.useWindow'), this.window, (window) => this.change({ window }))}
        <button type="button" @click=${() => this.change({ seed: (this.seed % LAST_SEED) + 1 })}>
          ${words.text('masks.draw')}
        </button>
      </div>
    </div>`;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words } = this;
    const scene = maskScene(library, this);
    const names = [...FACTORS, 'mask'] as const;
    return {
      columns: [
        words.text('query'),
        words.text('key'),
        ...names.map((name) => words.text(`masks.${name}`)),
        words.text('weights'),
      ],
      heads: 2,
      rows: Array.from(scene.weights, (weight, i) => [
        Math.floor(i / LENGTH) + 1,
        (i % LENGTH) + 1,
        ...names.map((name) => words.text(scene[name][i] ? 'masks.keyVisible' : 'masks.keyHidden')),
        weight,
      ]),
    };
  }

  protected override code(): FigureCode {
    return masksCode(this);
  }
}

defineFigure('attention-masks', AttentionMasks);
