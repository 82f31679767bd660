import { scaleLinear } from 'd3-scale';
import { interpolateBlues } from 'd3-scale-chromatic';
import type { Locator } from 'playwright-core';
import { STOPS } from '../../web/elements/shared/heat-map/ramps.js';

/** One pixel, `r,g,b,a`. */
export type Pixel = string;

/** Colour of a value on a ramp of 256 colours from `low` to `high`, straight from d3. */
export function blues(value: number, low: number, high: number): Pixel {
  return pixelOf(interpolateBlues(Math.round(((value - low) / (high - low)) * 255) / 255));
}

/** Colour of a value between −reach and reach on a ramp that diverges from zero. */
export function signed(value: number, reach: number, dark = false): Pixel {
  const stops = STOPS[dark ? 'signedOnDark' : 'signed'].split(' ').map((stop) => `#${stop}`);
  const ramp = scaleLinear<string>(stops).domain(stops.map((_, i) => (255 * i) / (stops.length - 1)));
  return pixelOf(ramp(Math.round(((value + reach) / (2 * reach)) * 255)));
}

function pixelOf(colour: string): Pixel {
  return `${(colour.match(/\d+/g) ?? []).join()},255`;
}

/** The contents of a heat map's canvas. */
export interface Picture {
  /** Size of the bitmap. */
  readonly width: number;
  readonly height: number;
  /** Size on the page in device pixels, from layout. */
  readonly boxWidth: number;
  readonly boxHeight: number;
  /** The pixel in the middle of every cell, row-major. */
  readonly cells: readonly Pixel[];
  /** Every pixel of the line through the middle of the first row's cells. */
  readonly line: readonly Pixel[];
}

/** Reads a heat map of that many cells; only the pixels that tests ask for leave the browser. */
export function picture(canvas: Locator, rows: number, columns: number): Promise<Picture> {
  return canvas.evaluate(
    (element, [rows, columns]) => {
      const { width, height } = element as HTMLCanvasElement;
      const box = element.getBoundingClientRect();
      // Read from a copy: reading the page's own canvas would change how the browser keeps it.
      const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
      context?.drawImage(element as HTMLCanvasElement, 0, 0);
      const data = context?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
      const pixel = (x: number, y: number): string => data.slice(4 * (y * width + x), 4 * (y * width + x) + 4).join();
      const middle = (index: number, count: number, size: number): number => Math.floor(((index + 0.5) * size) / count);
      return {
        width,
        height,
        boxWidth: box.width * devicePixelRatio,
        boxHeight: box.height * devicePixelRatio,
        cells: Array.from({ length: rows * columns }, (_, cell) =>
          pixel(middle(cell % columns, columns, width), middle(Math.floor(cell / columns), rows, height)),
        ),
        line: Array.from({ length: width }, (_, x) => pixel(x, middle(0, rows, height))),
      };
    },
    [rows, columns] as const,
  );
}
