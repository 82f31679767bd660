/** Reads how configs scale rotary positions for texts longer than in training. */
import { checkScaling, type CheckedScaling, type RotaryScaling } from '../../ops/rotary/scaling.js';
import { OPERATION } from './architecture.js';
import type { Fields } from './fields.js';

/**
 * Reads how a config scales its rotary positions, and the length of texts that it then takes.
 *
 * @param trained the context length of training, if the scaling does not have it
 */
export function readScaling(
  given: Fields,
  maxLength: number,
  trained: number,
  base: number,
  dim: number,
): { effectAt: CheckedScaling; maxLength: number } {
  const scaling = scalingOf(given, maxLength, trained);
  const { type, factor } = scaling;
  const isLonger =
    type === 'linear' || ((type === 'dynamic' || type === 'yarn') && scaling.originalMaxLength === maxLength);
  return {
    effectAt: checkScaling(OPERATION, scaling, base, dim),
    maxLength: isLonger ? Math.min(Math.floor(Math.max(factor, 1) * maxLength), 2 ** 30) : maxLength,
  };
}

/** The name of the field for the kind of scaling. */
export function typeField(scaling: Fields): string {
  return scaling.has('rope_type') ? 'rope_type' : 'type';
}

function scalingOf(given: Fields, maxLength: number, trained: number): RotaryScaling {
  const field = typeField(given);
  const type = given.get(field) as RotaryScaling['type'];
  const original = given.size('original_max_position_embeddings', trained, 2 ** 30);
  const factor = () => given.number('factor');
  const ratio = () => given.number('factor', maxLength / original);
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
        shortFactor: numbers(given, 'short_factor'),
        longFactor: numbers(given, 'long_factor'),
        ...(given.get('attention_factor') !== undefined && {
          attentionFactor: given.number('attention_factor'),
        }),
      };
    case 'llama3':
      return {
        type,
        factor: factor(),
        originalMaxLength: original,
        lowFreqFactor: given.number('low_freq_factor'),
        highFreqFactor: given.number('high_freq_factor'),
      };
    case 'yarn': {
      const amplitude =
        given.get('attention_factor') === undefined ? yarnAmplitude(given, ratio()) : given.number('attention_factor');
      return {
        type,
        factor: ratio(),
        originalMaxLength: original,
        betaFast: given.number('beta_fast', 32),
        betaSlow: given.number('beta_slow', 1),
        truncate: given.flag('truncate', true),
        ...(amplitude !== undefined && { attentionFactor: amplitude }),
      };
    }
    default:
      return given.wrong(field, 'to be default, linear, dynamic, llama3, yarn or longrope', type);
  }
}

function numbers(given: Fields, field: string): number[] {
  const value = given.get(field);
  if (!Array.isArray(value) || !value.every((x) => typeof x === 'number' && x > 0)) {
    given.wrong(field, 'to be a list of numbers above 0', value);
  }
  return value as number[];
}

function yarnAmplitude(given: Fields, factor: number): number | undefined {
  if (!given.get('mscale') || !given.get('mscale_all_dim')) return undefined;
  const amplitude = (scale: number) => (factor > 1 ? 0.1 * scale * Math.log(factor) + 1 : 1);
  return amplitude(given.number('mscale')) / amplitude(given.number('mscale_all_dim'));
}
