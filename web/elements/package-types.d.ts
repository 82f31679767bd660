/** What the elements of `wasm-attention/elements` have besides what every HTML element has. */

/** A figure that computes. Its settings are attributes; README.md in this folder's sources lists them. */
export declare abstract class Figure extends HTMLElement {
  /** What the figure is called: the question in its caption, else its accessible name, else its tag. */
  readonly figureName: string;
  /** The settings as the author of the page gave them: those of a link without any. */
  readonly firstSettings: Readonly<Record<string, unknown>>;
  /** Resolves when what has changed is drawn. */
  readonly updateComplete: Promise<boolean>;
  /** Changes settings by name as the reader would, and fires `figure-change`. */
  change(settings: Readonly<Record<string, unknown>>): void;
  /** What the figure shows at this moment, as a standalone SVG. Rejects until the figure has the attribute `drawn`. */
  picture(): Promise<Picture>;
  /** Back to how the author of the page set the figure. */
  reset(): void;
}

/** A picture of a figure. */
export interface Picture {
  /** A whole SVG document. */
  readonly svg: string;
  /** Size in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** A cell of a heat map. */
export interface CellDetail {
  readonly row: number;
  readonly column: number;
  readonly value: number;
}

/** `<heat-map>` shows a matrix, whatever is in it. */
export declare class HeatMap extends HTMLElement {
  /** Row-major values, `rows * columns` of them. */
  values: ArrayLike<number>;
  rows: number;
  columns: number;
  /** Values at the ramp's ends. */
  low: number;
  high: number;
  /** Accessible name. */
  label: string;
  /** Paints again, after the page has changed `color-scheme` by itself. */
  repaint(): void;
}

declare global {
  interface HTMLElementEventMap {
    'figure-change': CustomEvent<Readonly<Record<string, unknown>>>;
    'figure-error': CustomEvent<unknown>;
    'cell-change': CustomEvent<CellDetail>;
    'cell-pick': CustomEvent<CellDetail>;
  }
}
