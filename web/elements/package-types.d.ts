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
  /** A whole SVG document, with its name and description. */
  readonly svg: string;
  /** What it shows, in a sentence: the text for an `alt` attribute. */
  readonly alt: string;
  /** Size in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** A cell of a heat map, as `cell-change` and `cell-pick` report it. Indices start at 0. */
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
 * Bytes with their shape and dtype: `uint8`, `float16`, `float32` or `float64`, little-endian. Those of a Uint16Array are
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
   * (L, S), (H, L, S) or (layers, H, L, S); or a list with (H, L, S) or (B, H, L, S) per layer, as models return them.
   */
  readonly weights: ArrayForm | readonly ArrayForm[];
  /** Which of the B samples of a batch is shown, from 0. Default: the only one. */
  readonly sample?: number;
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

/** Where the patches of a picture are among a model's tokens, as `patches` of a vision model says it. */
export interface Patches {
  /** The number of tokens before the patches. */
  readonly first: number;
  /** The patch in row r and column c is token `first + r * columns + c`. */
  readonly rows: number;
  readonly columns: number;
  /** The side of a patch in the model's pixels. */
  readonly size?: number;
}

/** A part of a picture, in its pixels from the upper left corner. It may be larger than the picture. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A picture: an image that is loaded, a canvas, an ImageBitmap; ImageData, or other RGBA or RGB bytes with their size; or
 * (height, width, 3 or 4) whole numbers from 0 to 255, as notebooks have them.
 */
export type PictureForm =
  | HTMLImageElement
  | HTMLCanvasElement
  | OffscreenCanvas
  | ImageBitmap
  | { readonly data: ArrayLike<number>; readonly width: number; readonly height: number }
  | ArrayForm;

/** What `loadArrays` of a `<patch-viewer>` takes. */
export interface PatchArrays {
  /**
   * (T, T), (H, T, T) or (layers, H, T, T), where T is `first + rows * columns`; or a list with (H, T, T) or (B, H, T, T)
   * per layer, as models return them.
   */
  readonly weights: ArrayForm | readonly ArrayForm[];
  /** Which of the B pictures of a batch is shown, from 0. Default: the only one. */
  readonly sample?: number;
  /** The picture that the model has seen, or the one that this was cut out of: see `region`. */
  readonly picture: PictureForm;
  /** The part of `picture` that the patches cover, black where it is larger. Default: all. */
  readonly region?: Region;
  /** What `pixelsOf` made of `picture`, instead of `region`: the patches cover all of it that fills one. */
  readonly pixels?: { readonly shape: readonly number[]; readonly region: Region };
  /** Where the patches are among the tokens. */
  readonly patches: Patches;
  /**
   * The names of the tokens before the patches; `class`, `distillation` and `register` are translated. Default: the first
   * one is the class token, the others have numbers.
   */
  readonly tokens?: readonly string[];
}

/** `<patch-viewer>` shows what each patch of a picture attends to. */
export declare class PatchViewer extends HTMLElement {
  /** The layer and the head that are shown large, from 1. */
  layer: number;
  head: number;
  /** The token whose attention is shown, from 0. */
  query: number;
  view: 'heads' | 'rollout';
  /** How much of the picture the map covers, from 0 to 1. */
  strength: number;
  /** Whether readers can silence heads. */
  silenceable: boolean;
  /** The silenced heads, each `layer.head`. */
  silent: ReadonlySet<string>;
  /**
   * Shows attention weights over a picture, which is copied.
   *
   * @throws TypeError, RangeError for invalid arrays, shapes or pictures, without any change
   */
  loadArrays(arrays: PatchArrays): void;
  /** Repaints. Needed only after the page has changed `color-scheme` itself. */
  repaint(): void;
}

/** A layer's logits, (T, V) or (1, T, V); or a function that gives them when they are needed. */
export type LayerLogits = ArrayForm | (() => ArrayForm | Promise<ArrayForm>);

/** What `loadArrays` of a `<lens-viewer>` takes. */
export interface LensArrays {
  /**
   * The logits after each layer: (layers, T, V); or a list with (T, V) or (1, T, V) per layer, as `unembed` returns them. In a
   * list, each may be a function that returns them or a promise of them. It is called when they are needed, and again
   * whenever the reader follows another token, so that they need not all be in memory at once.
   */
  readonly logits: ArrayForm | readonly LayerLogits[];
  /** The same with heads or neurons ablated, shown beside. */
  readonly ablated?: ArrayForm | readonly LayerLogits[] | undefined;
  /** The T tokens of the text. Default: numbers from 1. Needed where `logits` has functions. */
  readonly tokens?: readonly string[] | undefined;
  /** The V tokens of the vocabulary. Default: numbers from 0. */
  readonly vocabulary?: readonly string[] | undefined;
}

/** `<lens-viewer>` shows the logit lens: what a model would predict if it ended after each of its layers. */
export declare class LensViewer extends HTMLElement {
  /** The id of the token whose rank is shown, or null. */
  followed: number | null;
  /**
   * Shows logits.
   *
   * @throws TypeError, RangeError for invalid arrays or shapes, without any change
   */
  loadArrays(arrays: LensArrays): void;
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
    'follow-change': CustomEvent<{ readonly followed: number | null }>;
    'query-change': CustomEvent<{ readonly query: number }>;
    'head-silence': CustomEvent<HeadDetail & { readonly silent: boolean }>;
    'figure-change': CustomEvent<Readonly<Record<string, unknown>>>;
    'figure-error': CustomEvent<unknown>;
    'cell-change': CustomEvent<CellDetail>;
    'cell-pick': CustomEvent<CellDetail>;
  }
}
