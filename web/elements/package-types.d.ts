/** The interface of the elements of `wasm-attention/elements` beyond HTMLElement. */

/** A figure that computes. Its settings are attributes, listed in README.md in this folder's sources. */
export declare abstract class Figure extends HTMLElement {
  /** The question in the figure's caption, else its accessible name, else its tag. */
  readonly figureName: string;
  /** The settings that the page's author gave: those of a link without any. */
  readonly firstSettings: Readonly<Record<string, unknown>>;
  /** Resolves when changes are drawn. */
  readonly updateComplete: Promise<boolean>;
  /** Changes settings by name as the reader would, and fires `figure-change`. */
  change(settings: Readonly<Record<string, unknown>>): void;
  /** The figure's current state as a standalone SVG. Rejects until the figure has the attribute `drawn`. */
  picture(): Promise<Picture>;
  /** Restores the settings that the page's author gave. */
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

/** `<heat-map>` shows any matrix. */
export declare class HeatMap extends HTMLElement {
  /** Row-major values, `rows * columns` of them. */
  values: ArrayLike<number>;
  rows: number;
  columns: number;
  /** The values at the ramp's ends. */
  low: number;
  high: number;
  /** Accessible name. */
  label: string;
  /**
   * Shows a matrix, on a ramp from 0 to the value farthest from it.
   *
   * @throws TypeError, RangeError for an invalid array or shape, without any change
   */
  loadArrays(arrays: MapArrays): void;
  /** Repaints. Needed only after the page has changed `color-scheme` itself. */
  repaint(): void;
}

/** Numbers with their shape, row by row. */
export interface Shaped {
  readonly data: ArrayLike<number>;
  readonly shape: readonly number[];
}

/**
 * Bytes with their shape and dtype: `float16`, `float32` or `float64`, little-endian. Those of a Uint16Array are
 * float16 by default.
 */
export interface Bytes {
  readonly data: ArrayBuffer | ArrayBufferView;
  readonly shape: readonly number[];
  readonly dtype: string;
}

/** Nested lists of numbers; the innermost may be typed arrays. */
export type Nested = readonly (number | Nested | ArrayLike<number>)[];

/** An array in any form. Bytes without a shape (an ArrayBuffer, a DataView, a Uint8Array) are those of a .npy file. */
export type ArrayForm = Shaped | Bytes | Nested | ArrayBuffer | ArrayBufferView;

/** What `loadArrays` of a `<heat-map>` takes. */
export interface MapArrays {
  /** (rows, columns). */
  readonly values: ArrayForm;
  /** Labels of the rows and columns. Default: numbers from `origin`. */
  readonly tokens?: readonly string[];
  readonly keyTokens?: readonly string[];
}

/** What `loadArrays` of a `<head-viewer>` takes. */
export interface HeadArrays {
  /**
   * (L, S), (H, L, S) or (layers, H, L, S); or a list with (H, L, S) or (1, H, L, S) per layer, as models return them.
   */
  readonly weights: ArrayForm | readonly ArrayForm[];
  /** The L query tokens. Default: numbers from 1. */
  readonly tokens?: readonly string[];
  /** The S key tokens. Default: `tokens` if L = S. */
  readonly keyTokens?: readonly string[];
  /**
   * Whether a query sees no later keys, as in decoders; the others are hatched. The last query is aligned with the last
   * key. Default false.
   */
  readonly isCausal?: boolean;
}

/** A head; both numbers from 1. */
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
  /** The silenced heads, each `layer.head`. */
  silent: ReadonlySet<string>;
  /**
   * Shows attention weights.
   *
   * @throws TypeError, RangeError for invalid arrays or shapes, without any change
   */
  loadArrays(arrays: HeadArrays): void;
  /** Repaints. Needed only after the page has changed `color-scheme` itself. */
  repaint(): void;
}

/** `<ramp-legend>` is the colour legend of a heat map. */
export declare class RampLegend extends HTMLElement {
  /** The values at the ramp's ends. */
  low: number;
  high: number;
  /** Whether values above `high` have its colour, too. */
  beyond: boolean;
  /** Repaints. Needed only after the page has changed `color-scheme` itself. */
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
