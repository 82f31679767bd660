import { html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Tensor, WasmAttention } from 'wasm-attention';
import { slider } from '../controls/controls.js';
import { FigureElement } from '../figure/figure-element.js';
import { real, several, whole } from '../settings.js';
import { adopt, leave, share, type EncodingSettings } from './encoding-group.js';

/** The most columns that are drawn at once: as many as there are line styles. */
export const MOST_COLUMNS = 6;

const LENGTH = { min: 2, max: 256 };
const WIDTH = { min: 4, max: 128 };

const settings = {
  length: whole(60, LENGTH.min, LENGTH.max),
  width: whole(32, WIDTH.min, WIDTH.max),
  base: real(10000, 10, 1e6),
  columns: several([6, 7, 8, 9], whole(0, 0, WIDTH.max - 1), { least: 1, most: MOST_COLUMNS }),
};

/**
 * A figure of the matrix P of sine and cosine encodings with its sliders. Figures with the same `group` attribute share
 * length, width, base and the picked columns, and one place in links.
 */
export abstract class EncodingFigure extends FigureElement implements EncodingSettings {
  static override settings = settings;
  static override properties: PropertyDeclarations = { group: { type: String } };

  /** Positions: rows of P, 2 to 256; default 60. */
  declare length: number;
  /** Columns of P, the paper's d, 4 to 128; default 32. */
  declare width: number;
  /** Base of the frequencies, 10 to 1,000,000; default 10000. */
  declare base: number;
  /** The columns drawn as curves, one to six; default 6 to 9. */
  declare columns: readonly number[];
  /** Name of the figures that share these settings; none by default. */
  declare group: string;

  constructor() {
    super();
    this.group = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const first = adopt(this);
    if (first !== undefined) this.firstSettings = first.firstSettings;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    leave(this);
  }

  /** Changes settings as the reader would: tells the group and the page. */
  override change(settings: Partial<EncodingSettings>): void {
    super.change(settings);
    share(this);
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

  /** JavaScript that computes P, row by row in `P`, with `length` and `dim`. */
  protected javascriptOfP(): string {
    const { length, width, base } = this;
    return `import { load } from 'wasm-attention';

const { sinusoidalEncoding } = await load();
const length = ${length};
const dim = ${width};
const P = sinusoidalEncoding({ length, dim, base: ${base} }).data;
`;
  }

  /** PyTorch code that computes P, (length, dim). */
  protected pytorchOfP(): string {
    const { length, width, base } = this;
    return `import torch

length, dim = ${length}, ${width}
column = torch.arange(dim)
angle = torch.arange(length)[:, None] / ${base} ** (2 * (column // 2) / dim)
P = torch.where(column % 2 == 0, torch.sin(angle), torch.cos(angle))
`;
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
        ...LENGTH,
        text: words.number(length),
        onInput: (value) => this.change({ length: value }),
      })}
      ${slider({
        name: 'width',
        label: label('encoding.width'),
        value: width,
        ...WIDTH,
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

/** Rounds to three significant digits: a base the reader can name. */
function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}
