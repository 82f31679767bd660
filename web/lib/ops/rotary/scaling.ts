import { listOf } from '../../check/elements.js';
import type { Known } from '../../check/options.js';
import { checkBoolean, checkFinite, wrongKind, wrongValue } from '../../check/values.js';

/**
 * How rotary frequencies are scaled for contexts longer than in training. A checkpoint's options give the same angles
 * as Hugging Face's transformers (modeling_rope_utils). w is a frequency, base^(-2j/rotaryDim).
 */
export interface RotaryScaling {
  /**
   * - 'linear': w/factor (Chen et al. 2023).
   * - 'ntk': the base becomes base·factor^(d/(d-2)), d = rotaryDim, for any length ("NTK-aware", bloc97 2023).
   * - 'dynamic': the base becomes base·(factor·n/originalMaxLength - (factor-1))^(d/(d-2)) where n, a call's largest
   *   position + 1, is above originalMaxLength. Keys in a cache keep the angles of their own call, as in transformers.
   * - 'yarn': w for pairs that turn more than betaFast times within originalMaxLength, w/factor for pairs that turn
   *   less than betaSlow times, and a ramp between the two. cos and sin are multiplied by attentionFactor (Peng et al.
   *   2023).
   * - 'llama3': w for wavelengths below originalMaxLength/highFreqFactor, w/factor for wavelengths above
   *   originalMaxLength/lowFreqFactor, and a blend between the two (Llama 3.1).
   * - 'longrope': w/longFactor[j] for pair j where n, as above, is above originalMaxLength, otherwise w/shortFactor[j].
   *   cos and sin are multiplied by attentionFactor (Ding et al. 2024; Phi-3).
   */
  type: 'linear' | 'ntk' | 'dynamic' | 'yarn' | 'llama3' | 'longrope';
  /** How many times longer the context is; a finite number above 0. */
  factor: number;
  /** The context length in training; needed for 'dynamic', 'yarn', 'llama3' and 'longrope'. */
  originalMaxLength?: number;
  /** llama3; default 1. */
  lowFreqFactor?: number;
  /** llama3; default 4, above lowFreqFactor. */
  highFreqFactor?: number;
  /** yarn; default 32. */
  betaFast?: number;
  /** yarn; default 1. */
  betaSlow?: number;
  /** longrope: a divisor above 0 for each pair's frequency, rotaryDim/2 of them. */
  shortFactor?: readonly number[];
  /** longrope: the same for longer contexts. */
  longFactor?: readonly number[];
  /**
   * yarn and longrope: multiplies cos and sin, so scores are multiplied by its square. Default 1 for a factor up to 1;
   * otherwise 0.1·ln(factor) + 1 for yarn, √(1 + ln(factor)/ln(originalMaxLength)) for longrope. For yarn, a
   * configuration with `mscale` m and `mscale_all_dim` a means (0.1·m·ln(factor) + 1) / (0.1·a·ln(factor) + 1).
   */
  attentionFactor?: number;
  /** yarn: whether the ramp begins and ends at whole pairs. Default true. */
  truncate?: boolean;
}

export const SCALING_OPTIONS: Known<RotaryScaling> = {
  type: 1,
  factor: 1,
  originalMaxLength: 1,
  lowFreqFactor: 1,
  highFreqFactor: 1,
  betaFast: 1,
  betaSlow: 1,
  shortFactor: 1,
  longFactor: 1,
  attentionFactor: 1,
  truncate: 1,
};

/** The base, a factor for each pair's frequency, and a factor for sine and cosine. */
export interface ScalingEffect {
  readonly base: number;
  readonly factors: Float64Array | undefined;
  readonly amplitude: number;
}

/** The effect in a call whose largest position is length - 1. */
export type CheckedScaling = (operation: string, length: number) => ScalingEffect;

/** Checks `scaling` for pairs of base^(-2j/dim). */
export function checkScaling(
  operation: string,
  given: RotaryScaling | undefined,
  base: number,
  dim: number,
): CheckedScaling {
  const plain = { base, factors: undefined, amplitude: 1 };
  const always =
    (effect: ScalingEffect): CheckedScaling =>
    () =>
      effect;
  if (given == null) return always(plain);
  const number = (name: NumberOption, otherwise?: number): number => {
    const value = given[name] ?? otherwise;
    if (value === undefined) wrongKind(operation, `scaling.${name} to be a number`, value);
    return checkFinite(operation, `scaling.${name}`, value, true);
  };
  /** Scores are multiplied by its square. */
  const amplitudeOf = (otherwise: number): number => {
    const amplitude = number('attentionFactor', otherwise);
    checkFinite(operation, 'the square of scaling.attentionFactor', amplitude ** 2, true);
    return amplitude;
  };
  const factor = number('factor');
  const frequencies = Float64Array.from({ length: dim / 2 }, (_, j) => base ** ((-2 * j) / dim));
  switch (given.type) {
    case 'linear':
      return always({ ...plain, factors: frequencies.fill(1 / factor) });
    case 'ntk':
      return always({ ...plain, base: scaledBase(operation, base, factor, dim) });
    case 'dynamic': {
      const trained = number('originalMaxLength');
      return (operation, length) => {
        const times = (factor * length) / trained - (factor - 1);
        return length > trained ? { ...plain, base: scaledBase(operation, base, times, dim) } : plain;
      };
    }
    case 'yarn': {
      const betas = [number('betaFast', 32), number('betaSlow', 1)] as const;
      if (betas[0] < betas[1]) {
        wrongValue(operation, `scaling.betaFast of at least betaSlow (${betas[1]})`, betas[0]);
      }
      if (base <= 1) wrongValue(operation, "base above 1 for scaling 'yarn'", base);
      const truncate = given.truncate === undefined || checkBoolean(operation, 'scaling.truncate', given.truncate);
      const ramp = yarnRamp(base, dim, number('originalMaxLength'), betas, truncate);
      const amplitude = amplitudeOf(factor > 1 ? 0.1 * Math.log(factor) + 1 : 1);
      return always({ base, factors: frequencies.map((_, j) => mix(ramp(j), 1, 1 / factor)), amplitude });
    }
    case 'llama3': {
      const length = number('originalMaxLength');
      const low = number('lowFreqFactor', 1);
      const high = number('highFreqFactor', 4);
      if (high <= low) wrongValue(operation, `scaling.highFreqFactor above lowFreqFactor (${low})`, high);
      const kept = (frequency: number) => clamp((length * frequency) / (2 * Math.PI) - low, high - low);
      return always({ ...plain, factors: frequencies.map((w) => mix(kept(w), 1 / factor, 1)) });
    }
    case 'longrope': {
      const trained = number('originalMaxLength');
      const [short, long] = (['shortFactor', 'longFactor'] as const).map((name) => {
        const list = listOf(given[name]) ?? wrongKind(operation, `scaling.${name} to be an array`, given[name]);
        if (list.length !== dim / 2) wrongValue(operation, `scaling.${name} of ${dim / 2} pairs`, list.length);
        return Float64Array.from(
          list,
          (divisor, j) => 1 / checkFinite(operation, `scaling.${name}[${j}]`, divisor, true),
        );
      });
      const otherwise = factor > 1 ? Math.sqrt(1 + Math.log(factor) / Math.log(trained)) : 1;
      const amplitude = amplitudeOf(otherwise);
      return (_operation, length) => ({ base, factors: length > trained ? long : short, amplitude });
    }
    default: {
      const types = "'linear', 'ntk', 'dynamic', 'yarn', 'llama3' or 'longrope'";
      return wrongValue(operation, `scaling.type to be ${types}`, given.type);
    }
  }
}

type NumberOption = Exclude<keyof RotaryScaling, 'type' | 'truncate' | 'shortFactor' | 'longFactor'>;

/** The base that divides the slowest pair's frequency by `times` and keeps the fastest pair's. */
function scaledBase(operation: string, base: number, times: number, dim: number): number {
  // With a single pair the frequency is 1 for any base.
  const scaled = dim === 2 ? base : base * times ** (dim / (dim - 2));
  return checkFinite(operation, 'the scaled base', scaled, true);
}

/** For each pair a number from 0, if it keeps its frequency, to 1, if the frequency is divided by the factor. */
function yarnRamp(
  base: number,
  dim: number,
  length: number,
  [betaFast, betaSlow]: readonly [number, number],
  truncate: boolean,
): (j: number) => number {
  // The index of the pair that turns this many times within the context length of training.
  const pairOf = (turns: number) => (dim * Math.log(length / (turns * 2 * Math.PI))) / (2 * Math.log(base));
  const first = truncate ? Math.floor(pairOf(betaFast)) : pairOf(betaFast);
  const last = truncate ? Math.ceil(pairOf(betaSlow)) : pairOf(betaSlow);
  const low = Math.max(first, 0);
  const high = Math.min(last, dim - 1);
  const width = low === high ? 0.001 : high - low;
  return (j) => clamp(j - low, width);
}

/** x / width within [0, 1]. */
function clamp(x: number, width: number): number {
  return Math.min(Math.max(x / width, 0), 1);
}

/** From a to b as t goes from 0 to 1; exactly a and b at the ends. */
function mix(t: number, a: number, b: number): number {
  return (1 - t) * a + t * b;
}
