import { checkScaling } from '../ops/rotary/scaling.js';
import { checkBase } from '../ops/sinusoidal/frequencies.js';
import { widen } from '../runtime/halves.js';
import { toInt32, toMask, toTensor } from './arrays.js';
import { countOf } from './elements.js';
import { kindOf } from './typedArrays.js';
import { checkOptions, namesOf, unknownName } from './options.js';
import { checkBoolean, checkFinite, checkInteger, checkShape } from './values.js';
import { checkWeightType } from './weightType.js';

/**
 * Checks of arguments that an entry which builds on a loaded module takes from it, because the page has them already.
 */
export const tools = {
  checkBase,
  checkBoolean,
  checkFinite,
  checkInteger,
  checkOptions,
  checkScaling,
  checkShape,
  checkWeightType,
  countOf,
  kindOf,
  namesOf,
  toInt32,
  toMask,
  toTensor,
  unknownName,
  widen,
};
export type Tools = typeof tools;
