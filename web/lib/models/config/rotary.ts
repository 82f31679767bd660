import { wrongValue } from '../../check/values.js';
import type { RotaryScaling } from '../../ops/rotary/scaling.js';
import { OPERATION, type Architecture } from './architecture.js';
import type { Fields } from './fields.js';

type Rotary = NonNullable<Architecture['rotary']>;

/**
 * `rope_parameters` of transformers 5, or `rope_theta` and `rope_scaling` of earlier versions. Linear, dynamic and YaRN scaling may
 * leave `max_position_embeddings` at the length of the training: the model then takes texts that are `factor` times as long.
 */
export function rotaryOf(
  fields: Fields,
  headDim: number,
  maxLength: number,
  part = 1,
  theta = 'rope_theta',
): { rotary: Rotary; maxLength: number } {
  const parameters = fields.object('rope_parameters');
  const base =
    parameters?.get('rope_theta') === undefined
      ? fields.number(theta, 10000)
      : parameters.number('rope_theta');
  const share =
    parameters?.get('partial_rotary_factor') === undefined
      ? part
      : parameters.number('partial_rotary_factor');
  const dim = Math.floor(headDim * share);
  if (dim < 2 || dim % 2 !== 0 || dim > headDim) {
    wrongValue(OPERATION, 'config of a rotary width that is even', dim);
  }
  const given = parameters ?? fields.object('rope_scaling');
  const trained = fields.size('original_max_position_embeddings', maxLength, 2 ** 30);
  const scaling = given && scalingOf(given, maxLength, trained);
  const isLonger =
    scaling?.type === 'linear' ||
    ((scaling?.type === 'dynamic' || scaling?.type === 'yarn') && scaling.originalMaxLength === maxLength);
  return {
    rotary: { dim, base, ...(scaling && { scaling }) },
    maxLength: isLonger ? Math.min(Math.floor(Math.max(scaling.factor, 1) * maxLength), 2 ** 30) : maxLength,
  };
}

/** @param trained  the length of the training, where the scaling has none */
function scalingOf(given: Fields, maxLength: number, trained: number): RotaryScaling | undefined {
  const field = given.has('rope_type') ? 'rope_type' : 'type';
  const type = (given.get(field) ?? 'default') as RotaryScaling['type'] | 'default';
  const original = given.size('original_max_position_embeddings', trained, 2 ** 30);
  const factor = () => given.number('factor');
  const ratio = () => given.number('factor', maxLength / original);
  switch (type) {
    case 'default':
      return undefined;
    case 'linear':
      return { type, factor: factor() };
    case 'dynamic':
      // transformers takes no other length here.
      return { type, factor: factor(), originalMaxLength: maxLength };
    case 'longrope':
      return {
        type,
        factor: ratio(),
        originalMaxLength: original,
        shortFactor: given.numbers('short_factor'),
        longFactor: given.numbers('long_factor'),
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
        given.get('attention_factor') === undefined
          ? yarnAmplitude(given, ratio())
          : given.number('attention_factor');
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
      return wrongValue(
        OPERATION,
        `${given.name(field)} to be default, linear, dynamic, llama3, yarn or longrope`,
        given.shown(type),
      );
  }
}

function yarnAmplitude(given: Fields, factor: number): number | undefined {
  if (!given.get('mscale') || !given.get('mscale_all_dim')) return undefined;
  const amplitude = (scale: number) => (factor > 1 ? 0.1 * scale * Math.log(factor) + 1 : 1);
  return amplitude(given.number('mscale')) / amplitude(given.number('mscale_all_dim'));
}
