/** Reads a config.json of Hugging Face's transformers. */
import { wrongUse, wrongValue } from '../../check/values.js';
import { FAMILIES, type Family } from '../families/index.js';
import { OPERATION, type Architecture, type Part } from './architecture.js';
import { eosOf, Fields, plainCopy } from './fields.js';
import { checkUnread } from './unread.js';

/**
 * Reads the architecture that a config describes. The end tokens of a generation_config.json come before the config's.
 *
 * @param part of a checkpoint with two towers, the one to open
 * @throws TypeError if one is not an object, and for a part that is missing or that the config has not; RangeError that
 *   names a field that is missing, wrong or not supported
 */
export function readConfig(config: unknown, generationConfig?: unknown, part?: Part): Architecture {
  const fields = fieldsOf('config', config, part);
  const generation = generationConfig == null ? undefined : fieldsOf('generationConfig', generationConfig);
  const family = fields.get('model_type');
  if (typeof family !== 'string' || !Object.hasOwn(FAMILIES, family)) {
    fields.wrong('model_type', `to be one of ${Object.keys(FAMILIES).join(', ')}`, family);
  }
  if (fields.get('quantization_config') !== undefined) {
    wrongValue(OPERATION, 'no config.quantization_config', 'a quantised model');
  }
  const architecture = FAMILIES[family as Family](fields);
  if (part !== undefined && !architecture.isPart) wrongUse(OPERATION, `no part of ${architecture.family}`, `'${part}'`);
  checkUnread(fields, architecture);
  return generation?.get('eos_token_id') === undefined ? architecture : { ...architecture, eos: eosOf(generation) };
}

const fieldsOf = (name: string, config: unknown, part?: Part) =>
  new Fields(plainCopy(OPERATION, name, config), `${name}.`, OPERATION, part);
