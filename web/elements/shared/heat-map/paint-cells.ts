import { rampIndex, type Ramp } from './ramps.js';

/** A matrix to paint. */
export interface Cells {
  readonly values: ArrayLike<number>;
  readonly rows: number;
  readonly columns: number;
  /** The values at the ramp's two ends. */
  readonly low: number;
  readonly high: number;
}

/** A canvas's painting, for code that draws it again without pixels. */
export type Painting =
  | (Cells & {
      readonly kind: 'cells';
      readonly ramp: Ramp;
      /** The width and height of the gaps between cells, in cells. */
      readonly gap: readonly [x: number, y: number];
    })
  | { readonly kind: 'ramp'; readonly ramp: Ramp };

const paintings = new WeakMap<HTMLCanvasElement, Painting>();

/** What `paintCells` or `paintRamp` last painted on a canvas. */
export function paintingOf(canvas: HTMLCanvasElement): Painting | undefined {
  return paintings.get(canvas);
}

/**
 * Cells at least this many device pixels wide and high (times the density) get a gap, so that equal neighbours are
 * distinguishable.
 */
const MIN_SIZE_FOR_GAPS = 14;

/**
 * Fills a canvas with a matrix, one flat colour per cell, with edges on whole device pixels. NaN and −∞ stay
 * transparent. An `ImageData` with one pixel per cell is scaled without smoothing: 256×128 cells take far less than a
 * frame.
 */
export function paintCells(canvas: HTMLCanvasElement, cells: Cells, ramp: Ramp, density: number): void {
  const context = canvas.getContext('2d');
  const { values, rows, columns, low, high } = cells;
  paintings.delete(canvas);
  if (context === null || canvas.width === 0 || canvas.height === 0) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (rows === 0 || columns === 0) return;
  const image = new ImageData(columns, rows);
  // Writes four bytes at a time: a colour is one number, whatever the byte order.
  const painted = new Uint32Array(image.data.buffer);
  const colours = new Uint32Array(ramp.buffer, ramp.byteOffset, 256);
  for (let i = 0; i < rows * columns; ++i) {
    const value = values[i] ?? NaN;
    if (value > -Infinity) painted[i] = colours[rampIndex(value, low, high)] ?? 0;
  }
  const small = new OffscreenCanvas(columns, rows);
  small.getContext('2d')?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  const apart = Math.min(canvas.width / columns, canvas.height / rows) >= MIN_SIZE_FOR_GAPS * density;
  const pixels = apart ? Math.round(density) : 0;
  if (apart) clearGaps(context, rows, columns, pixels);
  const gap = [(pixels * columns) / canvas.width, (pixels * rows) / canvas.height] as const;
  paintings.set(canvas, { kind: 'cells', values, rows, columns, low, high, ramp, gap });
}

/** Fills a canvas with the colours of the domain [low, high], from left to right. */
export function paintRamp(canvas: HTMLCanvasElement, colours: Ramp, low: number, high: number): void {
  const ramp = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; ++i) {
    const index = rampIndex(low + ((high - low) * i) / 255, low, high);
    ramp.set(colours.subarray(4 * index, 4 * index + 4), 4 * i);
  }
  paintings.set(canvas, { kind: 'ramp', ramp });
  canvas.width = 256;
  canvas.height = 1;
  canvas.getContext('2d')?.putImageData(new ImageData(ramp, 256, 1), 0, 0);
}

function clearGaps(context: CanvasRenderingContext2D, rows: number, columns: number, gap: number): void {
  const { width, height } = context.canvas;
  for (let c = 1; c < columns; ++c) context.clearRect(Math.round((c * width) / columns) - (gap >> 1), 0, gap, height);
  for (let r = 1; r < rows; ++r) context.clearRect(0, Math.round((r * height) / rows) - (gap >> 1), width, gap);
}
