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
  /**
   * Shows a matrix, on a ramp from 0 to its farthest value.
   *
   * @throws TypeError, RangeError for an array that is none, or does not fit; what was shown stays
   */
  loadArrays(arrays: MapArrays): void;
  /** Paints again, after the page has changed `color-scheme` by itself. */
  repaint(): void;
}

/** Numbers with their shape, row by row. */
export interface Shaped {
  readonly data: ArrayLike<number>;
  readonly shape: readonly number[];
}

/**
 * Bytes with their shape and the name of their type: `float16`, `float32` or `float64`, least significant byte first.
 * Those of a Uint16Array are float16 by default.
 */
export interface Bytes {
  readonly data: ArrayBuffer | ArrayBufferView;
  readonly shape: readonly number[];
  readonly dtype: string;
}

/** Lists of lists of numbers, of which the last may be typed arrays. */
export type Nested = readonly (number | Nested | ArrayLike<number>)[];

/** An array in any form. Bytes without a shape (an ArrayBuffer, a DataView, a Uint8Array) are those of a .npy file. */
export type ArrayForm = Shaped | Bytes | Nested | ArrayBuffer | ArrayBufferView;

/** What `loadArrays` of a `<heat-map>` takes. */
export interface MapArrays {
  /** (rows, columns). */
  readonly values: ArrayForm;
  /** Words beside the rows and below the columns. Default: numbers from `origin`. */
  readonly tokens?: readonly string[];
  readonly keyTokens?: readonly string[];
}

/** What `loadArrays` of a `<head-viewer>` takes. */
export interface HeadArrays {
  /**
   * (L, S), (H, L, S) or (layers, H, L, S); or a list with one of (H, L, S) or (1, H, L, S) for each layer, as models
   * return them.
   */
  readonly weights: ArrayForm | readonly ArrayForm[];
  /** The L tokens that ask. Default: numbers from 1. */
  readonly tokens?: readonly string[];
  /** The S tokens that are asked. Default: `tokens` where L = S. */
  readonly keyTokens?: readonly string[];
  /**
   * Whether a query sees no key after its own, as in decoders; the others are hatched. The last query goes with the
   * last key. Default false.
   */
  readonly isCausal?: boolean;
}

/** A head, both numbers from 1. */
export interface HeadDetail {
  readonly layer: number;
  readonly head: number;
}

/** `<head-viewer>` shows the attention of all heads of all layers. */
export declare class HeadViewer extends HTMLElement {
  /** The layer and the head that are shown large, from 1. */
  layer: number;
  head: number;
  view: 'map' | 'lines';
  /** Whether readers can silence heads. */
  silenceable: boolean;
  /** The heads that are silent, each `layer.head`. */
  silent: ReadonlySet<string>;
  /**
   * Shows weights of attention.
   *
   * @throws TypeError, RangeError for arrays that are none, or do not fit; what was shown stays
   */
  loadArrays(arrays: HeadArrays): void;
  /** Paints again, after the page has changed `color-scheme` by itself. */
  repaint(): void;
}

/** `<ramp-legend>` says what the colours of a heat map mean. */
export declare class RampLegend extends HTMLElement {
  /** Values at the ramp's ends. */
  low: number;
  high: number;
  /** Whether larger values than `high` have its colour, too. */
  beyond: boolean;
  /** Paints again, after the page has changed `color-scheme` by itself. */
  repaint(): void;
}

declare global {
  interface HTMLElementEventMap {
    'head-change': CustomEvent<HeadDetail>;
    'head-silence': CustomEvent<HeadDetail & { readonly silent: boolean }>;
    'figure-change': CustomEvent<Readonly<Record<string, unknown>>>;
    'figure-error': CustomEvent<unknown>;
    'cell-change': CustomEvent<CellDetail>;
    'cell-pick': CustomEvent<CellDetail>;
  }
}
