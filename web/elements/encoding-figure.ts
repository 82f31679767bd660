import { html, type TemplateResult } from 'lit';
import type { Tensor, WasmAttention } from 'wasm-attention';
import { slider } from './controls.js';
import { FigureElement } from './figure-element.js';
import { adopt, leave, share, type EncodingSettings } from './encoding-group.js';

/** The most columns that are drawn at once: as many as there are line styles. */
export const MOST_COLUMNS = 6;

/**
 * A figure of the matrix P of sine and cosine encodings with its sliders. Figures with the same `group` attribute share
 * length, width, base and the picked columns.
 *
 * @fires encoding-change - the reader moved a slider or picked a column; `detail` is an {@link EncodingSettings}
 */
export abstract class EncodingFigure extends FigureElement implements EncodingSettings {
  static override properties = {
    length: { type: Number },
    width: { type: Number },
    base: { type: Number },
    columns: { converter: { fromAttribute: columnsOf } },
    group: { type: String },
  };

  /** Positions: rows of P; default 60. */
  declare length: number;
  /** Columns of P, the paper's d; default 32. */
  declare width: number;
  /** Base of the frequencies; default 10000. */
  declare base: number;
  /** The columns drawn as curves; default 6 to 9. */
  declare columns: readonly number[];
  /** Name of the figures that share these settings; none by default. */
  declare group: string;

  constructor() {
    super();
    this.length = 60;
    this.width = 32;
    this.base = 10000;
    this.columns = [6, 7, 8, 9];
    this.group = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    adopt(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    leave(this);
  }

  /** Changes settings as the reader would: tells the group and the page. */
  protected change(settings: Partial<EncodingSettings>): void {
    Object.assign(this, settings);
    share(this);
    const { length, width, base, columns } = this;
    const detail: EncodingSettings = { length, width, base, columns };
    this.dispatchEvent(new CustomEvent('encoding-change', { detail, bubbles: true, composed: true }));
  }

  /** P as the library computes it, (length, width). */
  protected encoding(library: WasmAttention): Tensor {
    return library.sinusoidalEncoding({ length: this.length, dim: this.width, base: this.base });
  }

  /** The picked columns; shifted to the left where the width has become too small for them. */
  protected get drawnColumns(): readonly number[] {
    const beyond = Math.max(0, Math.max(...this.columns) - (this.width - 1));
    return this.columns.map((column) => column - beyond).filter((column) => column >= 0);
  }

  /** Sliders for length, width and base, the base in tenths of a decade. */
  protected sliders(more: TemplateResult = html``): TemplateResult {
    const { words, length, width, base } = this;
    const label = words.text.bind(words);
    const exponent = Math.round(Math.log10(base) * 10) / 10;
    return html`<div class="controls">
      ${more}
      ${slider({
        name: 'length',
        label: label('encoding.length'),
        value: length,
        min: 2,
        max: 256,
        text: words.number(length),
        onInput: (value) => this.change({ length: value }),
      })}
      ${slider({
        name: 'width',
        label: label('encoding.width'),
        value: width,
        min: 4,
        max: 128,
        text: words.number(width),
        onInput: (value) => this.change({ width: value }),
      })}
      ${slider({
        name: 'base',
        label: label('encoding.base'),
        value: exponent,
        min: 1,
        max: 6,
        step: 0.1,
        text: words.number(base),
        onInput: (value) => this.change({ base: threeDigits(10 ** value) }),
      })}
    </div>`;
  }
}

function columnsOf(attribute: string | null): readonly number[] {
  const columns = (attribute ?? '').split(/[\s,]+/).filter((word) => /^\d+$/.test(word));
  return columns.length > 0 ? columns.slice(0, MOST_COLUMNS).map(Number) : [6, 7, 8, 9];
}

/** Rounds to three significant digits: a base the reader can name. */
function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}
