import { checkAngles } from '../../ops/sinusoidal/frequencies.js';
import { OPERATION, type Architecture, type RotaryPositions } from './architecture.js';
import { layerTypesOf, type Fields } from './fields.js';
import { readScaling, typeOf } from './scaling.js';

/**
 * The names of fields that differ between families, and their defaults. Where `turnsParts` is false, transformers reads
 * how much of a head turns but cannot turn a part. With `type`, only layers of this type turn so; if they are `apart`,
 * `rope_theta` and `rope_scaling` are of other layers. `scalings` are the types of scaling that the family knows, by
 * default all. `trained` is the default of `original_max_position_embeddings`.
 */
const KIND = {
  theta: 'rope_theta',
  defaultTheta: 10000,
  part: 'partial_rotary_factor',
  defaultPart: 1,
  turnsParts: true,
  type: undefined as string | undefined,
  apart: false,
  scalings: undefined as readonly unknown[] | undefined,
  trained: undefined as number | undefined,
};

/**
 * Reads rotary positions: `rope_parameters` of transformers 5, or fields of the config and `rope_scaling` of earlier
 * versions. If a config has both, `rope_scaling` replaces `rope_parameters`, as in transformers 5.
 *
 * With linear, dynamic and YaRN scaling, `max_position_embeddings` may be the context length of training: the model
 * then takes texts that are `factor` times as long.
 */
export function rotaryOf(
  fields: Fields,
  { headDim, maxLength, layers }: Pick<Architecture, 'headDim' | 'maxLength' | 'layers'>,
  kind: Partial<typeof KIND> = {},
): { rotary: readonly RotaryPositions[]; maxLength: number } {
  const { theta, defaultTheta, part, defaultPart, turnsParts, type, apart, ...others } = { ...KIND, ...kind };
  const all = (rotary: RotaryPositions) => Array.from({ length: layers }, () => rotary);
  const parameters = parametersOf(fields, PARAMETERS, layers, type);
  const scaling = apart ? undefined : parametersOf(fields, 'rope_scaling', layers, type);
  const given = scaling ?? parameters;
  const base = given?.numberOrNull('rope_theta') ?? fields.number(theta, defaultTheta);
  const outside = part === KIND.part ? fields.numberOrNull(part) : fields.number(part, defaultPart);
  const share = given?.numberOrNull(KIND.part) ?? outside ?? defaultPart;
  // What transformers drops, or takes in some versions only.
  for (const each of [fields, parameters, scaling]) each?.onlyIfGiven(KIND.part, turnsParts ? share : defaultPart);
  if (scaling) parameters?.onlyIfGiven('rope_theta', base);
  if (theta !== KIND.theta) for (const name of apart ? [theta] : [theta, KIND.theta]) fields.onlyIfGiven(name, base);
  if (part !== KIND.part) fields.onlyIfGiven(part, share);
  const dim = Math.floor(headDim * share);
  if (dim < 2 || dim % 2 !== 0 || dim > headDim) {
    fields.wrong(part === KIND.part && share === 1 ? 'head_dim' : part, 'to give an even rotary width', dim);
  }
  if (given === undefined || typeOf(given) === 'default') {
    checkAngles(OPERATION, { base }, maxLength - 1);
    return { rotary: all({ dim, base }), maxLength };
  }
  const { scalings } = others;
  const scalingType = typeOf(given);
  if (scalings && !scalings.includes(scalingType))
    given.wrong('rope_type', `to be ${scalings.join(', ')}`, scalingType);
  // The config's own share replaces the one within the scaling, even where only the latter is written.
  if (scalingType === 'longrope') given.onlyIfGiven(KIND.part, outside ?? defaultPart);
  const trained = fields.sizeOrNull('original_max_position_embeddings', 2 ** 30, others.trained);
  const scaled = readScaling(given, maxLength, trained, base, dim);
  for (const length of [1, scaled.maxLength]) {
    checkAngles(OPERATION, scaled.effectAt(OPERATION, length), scaled.maxLength - 1);
  }
  return { rotary: all({ dim, base, effectAt: scaled.effectAt }), maxLength: scaled.maxLength };
}

const PARAMETERS = 'rope_parameters';

/** An object of parameters that may be nested by type of layer; undefined if it is missing or empty. */
function parametersOf(fields: Fields, name: string, layers: number, ofType?: string): Fields | undefined {
  const all = fields.object(name);
  if (!all || all.names.length === 0) return undefined;
  const isNested = all.names.some((key) => all.isObject(key));
  // As in transformers, where only scaling may be the same for all types.
  if (ofType !== undefined && !isNested && name === PARAMETERS) all.wrong(ofType, 'to be an object', undefined);
  if (!isNested) return all;
  if (ofType !== undefined) return all.object(ofType);
  const types = new Set(layerTypesOf(fields, layers) ?? all.names);
  const [first, ...others] = [...types].map(
    (type) => all.object(type) ?? all.wrong(type, 'to be an object', all.get(type)),
  );
  if (others.some((each) => !each.equals(first!))) fields.wrong(name, 'to be the same for all layers', 'others');
  return first;
}
