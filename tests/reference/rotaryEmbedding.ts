import { frequency, reducedAngle } from './exactAngle.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

export interface RotaryReferenceOptions {
  /** A whole number, like positions and offset. Default: 10000. */
  base?: number;
  offset?: number;
  /** (n,) or (B, n), where B is the first axis of x; with sections, for each of their axes. */
  positions?: Numbers;
  interleaved?: boolean;
  rotaryDim?: number;
  /** (positions, rotaryDim/2), or (B, n, rotaryDim/2) without positions. */
  cos?: Numbers;
  sin?: Numbers;
  /** How many pairs each axis rotates. */
  sections?: readonly number[];
  /** Replace base: frequencies, and a factor of sine and cosine, from `scaledFrequencies`. */
  frequencies?: readonly number[];
  amplitude?: number;
}

/**
 * Turns pair j of each row of x (…, n, d) by position·base^(-2j/rotaryDim). With `direction` -1 it applies the
 * transpose.
 */
export function rotaryEmbedding(x: Numbers, options: RotaryReferenceOptions = {}, direction: 1 | -1 = 1): Reference {
  const { base = 10000, offset = 0, interleaved = false, amplitude = 1 } = options;
  const [n, d] = x.shape.slice(-2) as [number, number];
  const rotaryDim = options.rotaryDim ?? d;
  const half = rotaryDim / 2;
  const rows = x.data.length / d;
  const rowsOfSequence = x.shape.length > 2 ? rows / x.shape[0]! : rows;
  const exact = Array.from({ length: half }, (_, j) => frequency(base, j, rotaryDim));
  const turnAt = (j: number, position: number, token: number): { sin: number; cos: number } => {
    if (options.cos && options.sin) {
      const at = (options.cos.shape.length === 3 ? token : position) * half + j;
      return { sin: options.sin.data[at]!, cos: options.cos.data[at]! };
    }
    const angle = options.frequencies ? position * options.frequencies[j]! : reducedAngle(position, exact[j]!);
    return { sin: Math.sin(angle) * amplitude, cos: Math.cos(angle) * amplitude };
  };
  const y = zeros(...x.shape);
  y.data.set(Array.from(x.data));
  for (let row = 0; row < rows; ++row) {
    const i = row % n;
    const b = Math.floor(row / rowsOfSequence);
    for (let j = 0; j < half; ++j) {
      const position = offset + positionOf(options, j, b, i, n);
      const { sin, cos } = turnAt(j, position, b * n + i);
      const first = row * d + (interleaved ? 2 * j : j);
      const second = row * d + (interleaved ? 2 * j + 1 : j + half);
      const [a, c] = [x.data[first]!, x.data[second]!];
      y.data[first] = a * cos - direction * c * sin;
      y.data[second] = c * cos + direction * a * sin;
    }
  }
  return y;
}

function positionOf(
  { positions, sections }: RotaryReferenceOptions,
  j: number,
  b: number,
  i: number,
  n: number,
): number {
  if (!positions) return i;
  if (!sections) return positions.data[positions.shape.length === 2 ? b * n + i : i]!;
  let [axis, end] = [0, sections[0]!];
  while (j >= end) end += sections[++axis]!;
  const sequences = positions.shape.length === 3 ? positions.shape[1]! : 1;
  return positions.data[(axis * sequences + (sequences > 1 ? b : 0)) * n + i]!;
}

export interface ScalingReference {
  type: 'linear' | 'ntk' | 'dynamic' | 'yarn' | 'llama3' | 'longrope';
  factor: number;
  shortFactor?: readonly number[];
  longFactor?: readonly number[];
  attentionFactor?: number;
  originalMaxLength?: number;
  lowFreqFactor?: number;
  highFreqFactor?: number;
  betaFast?: number;
  betaSlow?: number;
  truncate?: boolean;
}

/**
 * The frequencies for a rotary width, and the factor of sine and cosine, by the formulas of the papers and model cards.
 * `n` is the number of tokens, on which 'dynamic' and 'longrope' depend.
 */
export function scaledFrequencies(
  base: number,
  dim: number,
  scaling: ScalingReference,
  n = NaN,
): { frequencies: number[]; amplitude: number } {
  const { type, factor, originalMaxLength: length = NaN } = scaling;
  const plain = Array.from({ length: dim / 2 }, (_, j) => base ** ((-2 * j) / dim));
  if (type === 'linear') return { frequencies: plain.map((w) => w / factor), amplitude: 1 };
  if (type === 'ntk') {
    const longer = base * factor ** (dim / (dim - 2));
    return { frequencies: plain.map((_, j) => longer ** ((-2 * j) / dim)), amplitude: 1 };
  }
  if (type === 'dynamic') {
    if (!(n > length)) return { frequencies: plain, amplitude: 1 };
    const longer = base * ((factor * n) / length - (factor - 1)) ** (dim / (dim - 2));
    return { frequencies: plain.map((_, j) => longer ** ((-2 * j) / dim)), amplitude: 1 };
  }
  if (type === 'longrope') {
    const divisors = n > length ? scaling.longFactor! : scaling.shortFactor!;
    const usual = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(length));
    const amplitude = scaling.attentionFactor ?? usual;
    return { frequencies: plain.map((w, j) => w / divisors[j]!), amplitude };
  }
  if (type === 'llama3') {
    const { lowFreqFactor: low = 1, highFreqFactor: high = 4 } = scaling;
    const frequencies = plain.map((w) => {
      const wavelength = (2 * Math.PI) / w;
      if (wavelength < length / high) return w;
      if (wavelength > length / low) return w / factor;
      const smooth = (length / wavelength - low) / (high - low);
      return ((1 - smooth) * w) / factor + smooth * w;
    });
    return { frequencies, amplitude: 1 };
  }
  const { betaFast = 32, betaSlow = 1 } = scaling;
  const pair = (turns: number) => (dim * Math.log(length / (2 * Math.PI * turns))) / (2 * Math.log(base));
  const rounded = (round: (x: number) => number, x: number) => (scaling.truncate === false ? x : round(x));
  const low = Math.max(rounded(Math.floor, pair(betaFast)), 0);
  let high = Math.min(rounded(Math.ceil, pair(betaSlow)), dim - 1);
  if (high === low) high += 0.001;
  const frequencies = plain.map((w, j) => {
    const interpolated = Math.min(1, Math.max(0, (j - low) / (high - low)));
    return interpolated * (w / factor) + (1 - interpolated) * w;
  });
  const usual = factor <= 1 ? 1 : 0.1 * Math.log(factor) + 1;
  return { frequencies, amplitude: scaling.attentionFactor ?? usual };
}
