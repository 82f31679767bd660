import { css } from 'lit';
import { blues } from './blues.js';

/** 256 colours, four bytes each (red, green, blue, opaque), lowest value first. */
export type Ramp = Uint8ClampedArray;

/** d3's Blues: light for low values, dark for high ones. */
export const BLUES: Ramp = decode(blues);
/** The same ramp reversed, for dark pages, so that the highest value stands out most there too. */
export const BLUES_ON_DARK: Ramp = decode(blues, true);

/**
 * The ramp for the colour scheme around a canvas. `rampStyles` colour the canvas black in a light scheme and white in a dark one,
 * whether the page or the reader chose it, and this reads the colour back.
 */
export function rampFor(canvas: HTMLCanvasElement): Ramp {
  return getComputedStyle(canvas).color === 'rgb(255, 255, 255)' ? BLUES_ON_DARK : BLUES;
}

export const rampStyles = css`
  canvas {
    color: light-dark(rgb(0 0 0), rgb(255 255 255));
  }
  @media (prefers-color-scheme: dark) {
    canvas {
      /* The ramp's near-white end would glare. */
      filter: brightness(0.9);
    }
  }
  @media (forced-colors: active) {
    canvas {
      forced-color-adjust: none;
    }
  }
`;

/** The index in a ramp of a value in the domain [low, high]. Values outside get the colours of the ends. */
export function rampIndex(value: number, low: number, high: number): number {
  const t = high > low ? (value - low) / (high - low) : 0;
  return Math.round(Math.min(1, Math.max(0, t)) * 255);
}

function decode(table: string, reversed = false): Ramp {
  const ramp = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; ++i) {
    const colour = parseInt(table.slice(6 * i, 6 * i + 6), 16);
    ramp.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], 4 * (reversed ? 255 - i : i));
  }
  return ramp;
}
