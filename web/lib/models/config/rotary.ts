import { checkBase } from '../../ops/sinusoidal/frequencies.js';
import { OPERATION, type Architecture } from './architecture.js';
import type { Fields } from './fields.js';
import { readScaling, typeField } from './scaling.js';

type Rotary = NonNullable<Architecture['rotary']>;

/**
 * Reads `rope_parameters` of transformers 5, or `rope_theta` and `rope_scaling` of earlier versions. With linear,
 * dynamic and YaRN scaling, `max_position_embeddings` may be the context length of training: the model then takes texts
 * that are `factor` times as long.
 */
export function rotaryOf(
  fields: Fields,
  headDim: number,
  maxLength: number,
  part = 1,
  theta = 'rope_theta',
  width = 'head_dim',
): { rotary: Rotary; maxLength: number } {
  const parameters = fields.object('rope_parameters');
  const base =
    parameters?.get('rope_theta') === undefined ? fields.number(theta, 10000) : parameters.number('rope_theta');
  const share = parameters?.number('partial_rotary_factor', part) ?? part;
  const dim = Math.floor(headDim * share);
  if (dim < 2 || dim % 2 !== 0 || dim > headDim) {
    fields.wrong(width, 'to give an even rotary width', dim);
  }
  const given = parameters ?? fields.object('rope_scaling');
  const type = given?.get(typeField(given)) ?? 'default';
  if (given === undefined || type === 'default') {
    checkBase(OPERATION, base, maxLength);
    return { rotary: { dim, base }, maxLength };
  }
  const trained = fields.size('original_max_position_embeddings', maxLength, 2 ** 30);
  const scaling = readScaling(given, maxLength, trained, base, dim);
  checkBase(OPERATION, base, scaling.maxLength);
  return { rotary: { dim, base, effectAt: scaling.effectAt }, maxLength: scaling.maxLength };
}
