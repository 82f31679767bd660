/** Reads a config.json of Hugging Face's transformers. */
import { wrongKind, wrongValue } from '../../check/values.js';
import { OPERATION, type Architecture, type Family } from './architecture.js';
import { DECODERS } from './decoderNames.js';
import { readDecoder } from './decoders.js';
import { readEncoder } from './encoders.js';
import { Fields } from './fields.js';

const ENCODERS = ['bert', 'roberta', 'distilbert', 'albert'];
const FAMILIES = [...ENCODERS, ...Object.keys(DECODERS)];

/**
 * What a config describes.
 *
 * @throws TypeError if it is not an object; RangeError that names a field which is missing, wrong or not supported
 */
export function readConfig(config: unknown): Architecture {
  if (Object(config) !== config || Array.isArray(config)) {
    wrongKind(OPERATION, 'config to be an object', config);
  }
  // A copy, so that getters and proxies run once.
  const fields = new Fields(structuredCopy(config as object));
  const given = fields.get('model_type');
  if (!FAMILIES.includes(given as string)) {
    fields.wrong('model_type', `to be one of ${FAMILIES.join(', ')}`, given);
  }
  if (fields.get('quantization_config') !== undefined) {
    wrongValue(OPERATION, 'no config.quantization_config', 'a quantised model');
  }
  const family = given as Family;
  return ENCODERS.includes(family) ? readEncoder(fields, family) : readDecoder(fields, family);
}

/** A config is JSON: what is not comes out as JSON has it. */
function structuredCopy(config: object): Record<string, unknown> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(config));
  } catch {
    // Circles, or a hostile getter.
  }
  if (Object(copy) !== copy) wrongKind(OPERATION, 'config to be plain data', 'something else');
  return copy as Record<string, unknown>;
}
