import { html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Tensor, WasmAttention } from 'wasm-attention';
import { figureWith } from '../figure/figure-element.js';
import { Looks } from '../plot/series.js';
import { adopt, leave, settings, share, type EncodingSettings } from './encoding-group.js';

/** P with the initial base, and a label for its curves. */
export interface Before {
  readonly P: Tensor;
  readonly name: string;
}

/**
 * A figure of the matrix P of sine and cosine encodings with its sliders. Figures with the same `group` attribute share
 * length, width, base and the picked columns, and one set of settings in links.
 */
export abstract class EncodingFigure extends figureWith(settings) implements EncodingSettings {
  static override properties: PropertyDeclarations = { group: { type: String } };

  /** The name of the figures that share these settings; none by default. */
  declare group: string;
  /**
   * The columns' colours and line styles in all figures of the group.
   * @internal
   */
  looks = new Looks();
  #isShowing = false;

  constructor() {
    super();
    this.group = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const first = adopt(this);
    if (first === undefined) return;
    this.firstSettings = { ...this.firstSettings, ...first.firstSettings };
    this.looks = first.looks;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    leave(this);
  }

  /** Changes settings as the reader would, and updates the group and the page. */
  override change(settings: Partial<EncodingSettings>): void {
    super.change(settings);
    if (!this.#isShowing) share(this);
  }

  /**
   * Shows something in this figure alone, because the text around the others is about their own settings. Only the
   * columns are shared: the heat map marks them.
   */
  override show(settings: Partial<EncodingSettings>): void {
    this.#isShowing = true;
    super.show(settings);
    this.#isShowing = false;
    share(this, { columns: this.columns });
  }

  /** P as the library computes it, (length, width). */
  protected encoding(library: WasmAttention, base = this.base): Tensor {
    return library.sinusoidalEncoding({ length: this.length, dim: this.width, base });
  }

  /** The curves to compare with while the base is not the initial one. */
  protected compared(library: WasmAttention): Before | undefined {
    const base = Number(this.firstSettings.base);
    if (base === this.base) return undefined;
    const name = this.words.text('encoding.before', { base: this.words.number(base) });
    return { P: this.encoding(library, base), name };
  }

  /** The picked columns, moved to the left if the width has become too small for them. */
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

  /** Sliders for length, for width in steps of a pair, and for the base in tenths of a decade. */
  protected sliders(more: TemplateResult = html``): TemplateResult {
    const { words } = this;
    const exponent = Math.round(Math.log10(this.base) * 10) / 10;
    return html`<div class="controls">
      ${more} ${this.slider('length', words.text('encoding.length'))}
      ${this.slider('width', words.text('encoding.width'), { step: 2 })}
      ${this.slider('base', words.text('encoding.base'), {
        value: exponent,
        min: 1,
        max: 6,
        step: 0.1,
        onInput: (value) => this.change({ base: threeDigits(10 ** value) }),
      })}
    </div>`;
  }
}

/** Rounds to three significant digits, so that the base is easy to read. */
function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}
