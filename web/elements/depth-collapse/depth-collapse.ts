import { html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { pointerIn } from '../shared/controls/pointer-in.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import '../shared/heat-map/heat-map.js';
import { mapAxesStyles, withAxes } from '../shared/heat-map/map-axes.js';
import '../shared/heat-map/ramp-legend.js';
import { plotCursorStyles, plotStyles } from '../shared/plot/plot-styles.js';
import { seriesStyles } from '../shared/plot/series.js';
import { oneOf, whole } from '../shared/settings.js';
import { depthCode } from './code.js';
import { depthPlot, layerAt } from './plot.js';
import {
  cosinesOf,
  differenceOf,
  LAYERS,
  STACKS,
  statesOf,
  TOKENS,
  type Signal,
  type Stack,
  type States,
} from './stack.js';
import { depthStyles } from './styles.js';

const settings = {
  /** The layer whose tokens the maps compare. */
  depth: whole(4, 0, LAYERS),
  /** `tokens`: random ones without positions; `positions`: one token at every position, with its encoding. */
  signal: oneOf('tokens', 'positions'),
  /** Seed of the parameters and the tokens. */
  seed: whole(1, 1, 9999),
};

/**
 * `<depth-collapse>`: how much of the difference between tokens, or between positions, remains after many layers with
 * random parameters: of attention alone, of attention with residual connections, and of whole encoder layers with the
 * norm after or before each sublayer (Dong et al. 2021).
 */
export class DepthCollapse extends figureWith(settings) {
  static override styles = [plotStyles, plotCursorStyles, seriesStyles, mapAxesStyles, depthStyles];

  #kept: { readonly seed?: number } & Partial<Record<Signal, States>> = {};
  readonly #width = new Width(this, '.plot');

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, depth, seed } = this;
    const { pixels } = this.#width;
    const states = this.#states(library);
    // Copies of one token at different positions are similar: the scale begins below their cosines before the first
    // layer.
    const low = this.signal === 'tokens' ? -1 : Math.floor(10 * Math.min(...cosinesOf(states.attention[0]!))) / 10;
    const label = (stack: Stack): string => words.text(`depth.${stack}`);
    const map = (stack: Stack): TemplateResult =>
      html`<div>
        <p class="map-title" aria-hidden="true">${label(stack)}</p>
        ${withAxes(
          words.text('token'),
          words.text('token'),
          html`<heat-map
            bare
            tell
            .values=${cosinesOf(states[stack][depth]!)}
            .rows=${TOKENS}
            .columns=${TOKENS}
            .low=${low}
            high="1"
            origin="1"
            label=${words.text('depth.mapLabel', { stack: label(stack), depth })}
            row-name=${words.text('token')}
            column-name=${words.text('token')}
          ></heat-map>`,
        )}
      </div>`;
    const differences = this.#differences(states);
    const first = this.firstSettings.signal as Signal;
    const before =
      first === this.signal
        ? undefined
        : {
            name: words.text('depth.before', { signal: words.text(`depth.${first}`) }),
            differences: this.#differences(this.#states(library, first)),
          };
    return html`
      <div class="with-four">
        <div class="plot" @pointerdown=${this.#point} @pointermove=${this.#point}>
          ${depthPlot({ differences, before, depth, pixels, words })}
        </div>
        <div class="inside">
          <div class="maps four">${STACKS.map(map)}</div>
          <div class="legend">
            <span>${words.text('depth.cosine')}</span><ramp-legend .low=${low} high="1"></ramp-legend>
          </div>
        </div>
      </div>
      ${this.line(this.#remaining(LAYERS, () => 1e-10))}
      <div class="controls">
        <div class="sliders">${this.slider('depth', words.text('depth.depth'))}</div>
        ${this.choices('signal', words.text('depth.signal'), ['tokens', 'positions'] as const, (each) => words.text(`depth.${each}`))}
        <div class="button">
          <button type="button" @click=${() => this.change({ seed: (seed % 9999) + 1 })}>
            ${words.text('depth.draw')}
          </button>
        </div>
      </div>
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { depth } = this;
    const states = this.#states(library);
    return this.#remaining(depth, (stack) => differenceOf(states[stack][depth]!));
  }

  /** What of the difference remains in each stack. No line breaks between a stack and its number. */
  #remaining(depth: number, difference: (stack: Stack) => number): string {
    const { words } = this;
    const values = STACKS.map((stack) =>
      `${words.text(`depth.${stack}`)} ${words.value(difference(stack))}`.replaceAll(' ', '\u00a0'),
    );
    return `${words.text('depth.readout', { depth })} ${values.join('; ')}`;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words } = this;
    const differences = this.#differences(this.#states(library));
    return {
      columns: [words.text('depth.layers'), ...STACKS.map((stack) => words.text(`depth.${stack}`))],
      rows: Array.from({ length: LAYERS + 1 }, (_, layer) => [
        layer,
        ...STACKS.map((stack) => differences[stack][layer] ?? NaN),
      ]),
    };
  }

  protected override code(): FigureCode {
    return depthCode(this.signal, this.seed);
  }

  /** Selects the layer below the pointer while it is pressed. */
  readonly #point = (event: PointerEvent): void => {
    if ((event.buttons & 1) === 0) return;
    const depth = layerAt(pointerIn(event).x, this.#width.pixels);
    if (depth !== this.depth) this.change({ depth });
  };

  #states(library: WasmAttention, signal = this.signal): States {
    const { seed } = this;
    if (this.#kept.seed !== seed) this.#kept = { seed };
    return (this.#kept[signal] ??= statesOf(library, signal, seed));
  }

  #differences(states: States): Record<Stack, number[]> {
    const of = (stack: Stack): number[] => states[stack].map(differenceOf);
    return {
      attention: of('attention'),
      residual: of('residual'),
      postNorm: of('postNorm'),
      preNorm: of('preNorm'),
    };
  }
}

defineFigure('depth-collapse', DepthCollapse);
