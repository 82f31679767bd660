import { css } from 'lit';
import { schemeRule } from '../light-dark.js';
import { blues } from './blues.js';

/** 256 colours, four bytes each (red, green, blue, opaque), lowest value first. */
export type Ramp = Uint8ClampedArray;

/** The colours between which a ramp is interpolated, lowest value first. */
export const STOPS = {
  /** The blues of ColorBrewer's RdBu. Its reds are lighter here, so that signs differ without hues, too. */
  signed: 'e8503a f1765f f59d86 fac3b3 fbe3da f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061',
  /** On dark pages zero is close to the paper, and blue is the lighter end. */
  signedOnDark: 'e34b3c a83c38 692f33 222b36 1f4e85 3f8fd0 d2eaff',
  onDark: '222b36 1f4e85 3f8fd0 b5dbff',
};

/** Ramps for values from zero, and for signed values; on light pages and on dark ones. */
const RAMPS = {
  /** d3's Blues. */
  light: [rampOf(256, (i) => parseInt(blues.slice(6 * i, 6 * i + 6), 16)), interpolated(STOPS.signed)],
  dark: [interpolated(STOPS.onDark), interpolated(STOPS.signedOnDark)],
} as const;

/**
 * Whether a domain has values below zero. Then they are red, those above are blue, and zero is in the middle of the
 * ramp.
 */
export function isSigned(low: number): boolean {
  return low < 0;
}

/**
 * The ramp of a domain from `low` for the colour scheme around a canvas. `rampStyles` colour the canvas black in a
 * light scheme and white in a dark one, whether page or reader chose it, and this reads the colour back.
 */
export function rampFor(canvas: HTMLCanvasElement, low: number): Ramp {
  return rampIn(getComputedStyle(canvas).color === 'rgb(255, 255, 255)' ? 'dark' : 'light', low);
}

/** The ramp of a domain from `low` in a colour scheme. */
export function rampIn(scheme: 'light' | 'dark', low: number): Ramp {
  const [plain, signed] = RAMPS[scheme];
  return isSigned(low) ? signed : plain;
}

export const rampStyles = css`
  ${schemeRule('canvas', (pick) => `color: ${pick('rgb(0 0 0)', 'rgb(255 255 255)')};`)}
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

/**
 * The index in a ramp of a value in the domain [low, high]. Values outside get the colours of the ends. In a signed
 * domain zero is in the middle of the ramp, and the larger side uses its whole half.
 */
export function rampIndex(value: number, low: number, high: number): number {
  const reach = Math.max(-low, high);
  const [from, to] = isSigned(low) ? [-reach, reach] : [low, high];
  const t = to > from ? (value - from) / (to - from) : 0;
  return Math.round(Math.min(1, Math.max(0, t)) * 255);
}

function rampOf(count: number, colourAt: (i: number) => number): Ramp {
  const ramp = new Uint8ClampedArray(count * 4);
  for (let i = 0; i < count; ++i) {
    const colour = colourAt(i);
    ramp.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], 4 * i);
  }
  return ramp;
}

/** A ramp between evenly spaced colours, six hexadecimal digits each. */
export function interpolated(stops: string): Ramp {
  const colours = stops.split(' ').map((stop) => parseInt(stop, 16));
  return rampOf(256, (i) => {
    const place = (i / 255) * (colours.length - 1);
    const at = Math.min(Math.floor(place), colours.length - 2);
    const channel = (shift: number): number => {
      const [from, to] = [colours[at]!, colours[at + 1]!].map((colour) => (colour >> shift) & 255) as [number, number];
      return Math.round(from + (to - from) * (place - at)) << shift;
    };
    return channel(16) | channel(8) | channel(0);
  });
}
