/** Reads a config.json of Hugging Face's transformers. */
import { wrongKind, wrongValue } from '../../check/values.js';
import { FAMILIES, type Family } from '../families/index.js';
import { OPERATION, type Architecture } from './architecture.js';
import { Fields } from './fields.js';

/**
 * Reads the architecture that a config describes.
 *
 * @throws TypeError if it is not an object; RangeError that names a field that is missing, wrong or not supported
 */
export function readConfig(config: unknown): Architecture {
  if (Object(config) !== config || Array.isArray(config)) {
    wrongKind(OPERATION, 'config to be an object', config);
  }
  // A copy, so that getters and proxies run once.
  const fields = new Fields(structuredCopy(config as object));
  const family = fields.get('model_type');
  if (typeof family !== 'string' || !Object.hasOwn(FAMILIES, family)) {
    fields.wrong('model_type', `to be one of ${Object.keys(FAMILIES).join(', ')}`, family);
  }
  if (fields.get('quantization_config') !== undefined) {
    wrongValue(OPERATION, 'no config.quantization_config', 'a quantised model');
  }
  const architecture = FAMILIES[family as Family](fields);
  // Some versions of transformers let all tokens see each other where it is false.
  if (architecture.causal) fields.only('is_causal', true);
  return architecture;
}

/** A copy by way of JSON. */
function structuredCopy(config: object): Record<string, unknown> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(config));
  } catch {
    // A circular object, or a getter that throws.
  }
  if (Object(copy) !== copy) wrongKind(OPERATION, 'config to be plain data', 'something else');
  return copy as Record<string, unknown>;
}
