/** Reads how configs scale rotary positions for texts longer than in training. */
import { checkScaling, type CheckedScaling, type RotaryScaling } from '../../ops/rotary/scaling.js';
import { OPERATION } from './architecture.js';
import type { Fields } from './fields.js';

/**
 * Reads how a config scales its rotary positions, and the length of texts that it then takes.
 *
 * @param trained the context length of training, if the config has it outside of the scaling
 */
export function readScaling(
  given: Fields,
  maxLength: number,
  trained: number | undefined,
  base: number,
  dim: number,
): { effectAt: CheckedScaling; maxLength: number } {
  const type = typeOf(given);
  const inner = given.sizeOrNull('original_max_position_embeddings', 2 ** 30);
  // As in transformers, where Phi-3 has both.
  const original = type === 'longrope' ? (trained ?? inner) : (inner ?? trained);
  // Some versions of transformers ignore another factor. It is for the amplitude alone.
  const isRatio = type === 'longrope' && trained !== undefined && given.get('attention_factor') === undefined;
  if (isRatio) given.onlyIfGiven('factor', maxLength / trained);
  const scaling = scalingOf(given, type, maxLength, original ?? maxLength, dim);
  const isTrained = original === undefined || original === maxLength;
  const isLonger = isTrained && (type === 'linear' || type === 'dynamic' || type === 'yarn');
  return {
    effectAt: checkScaling(OPERATION, scaling, base, dim),
    maxLength: isLonger ? Math.min(Math.floor(Math.max(scaling.factor, 1) * maxLength), 2 ** 30) : maxLength,
  };
}

/** The fields that only scaling has. */
const SCALES = [
  'factor',
  'attention_factor',
  'short_factor',
  'low_freq_factor',
  'beta_fast',
  'beta_slow',
  'mrope_section',
];

/** The kind of scaling, or 'default' for none; `rope_type` wins over the older `type`. */
export function typeOf(given: Fields): unknown {
  const type = given.get('rope_type') ?? given.get('type');
  const scale = SCALES.find((name) => given.get(name) !== undefined);
  if (type === undefined && scale) given.wrong('rope_type', `beside ${scale}`, 'none');
  return type ?? 'default';
}

function scalingOf(given: Fields, type: unknown, maxLength: number, original: number, dim: number): RotaryScaling {
  const factor = () => given.number('factor');
  const ratio = () => given.numberOrNull('factor') ?? maxLength / original;
  switch (type) {
    case 'linear':
      return { type, factor: factor() };
    case 'dynamic':
      // As in transformers, which ignores the original length here.
      return { type, factor: factor(), originalMaxLength: maxLength };
    case 'longrope':
      return {
        type,
        factor: ratio(),
        originalMaxLength: original,
        shortFactor: numbers(given, 'short_factor', dim / 2),
        longFactor: numbers(given, 'long_factor', dim / 2),
        ...amplitudeOf(given.numberOrNull('attention_factor')),
      };
    case 'llama3':
      return {
        type,
        factor: factor(),
        originalMaxLength: original,
        lowFreqFactor: given.number('low_freq_factor'),
        highFreqFactor: given.number('high_freq_factor'),
      };
    case 'yarn':
      return {
        type,
        factor: ratio(),
        originalMaxLength: original,
        betaFast: given.numberOrNull('beta_fast') ?? 32,
        betaSlow: given.numberOrNull('beta_slow') ?? 1,
        truncate: given.flag('truncate', true),
        ...amplitudeOf(given.numberOrNull('attention_factor') ?? yarnAmplitude(given, ratio())),
      };
    default:
      return given.wrong('rope_type', 'to be default, linear, dynamic, llama3, yarn or longrope', type);
  }
}

function amplitudeOf(attentionFactor: number | undefined): Pick<RotaryScaling, 'attentionFactor'> {
  return attentionFactor === undefined ? {} : { attentionFactor };
}

function numbers(given: Fields, field: string, count: number): number[] {
  const value = given.get(field);
  const isRight = (x: unknown): boolean => typeof x === 'number' && Math.fround(x) > 0 && Math.fround(x) < Infinity;
  if (!Array.isArray(value) || value.length !== count || !value.every(isRight)) {
    given.wrong(field, `to be a list of ${count} numbers above 0`, value);
  }
  return value as number[];
}

function yarnAmplitude(given: Fields, factor: number): number | undefined {
  if (!given.get('mscale') || !given.get('mscale_all_dim')) return undefined;
  const amplitude = (scale: number) => (factor > 1 ? 0.1 * scale * Math.log(factor) + 1 : 1);
  return amplitude(given.number('mscale')) / amplitude(given.number('mscale_all_dim'));
}
