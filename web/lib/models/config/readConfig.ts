/** Reads a config.json of Hugging Face's transformers. */
import { wrongKind, wrongValue } from '../../check/values.js';
import { OPERATION, type Architecture, type Family } from './architecture.js';
import { gpt2, llama, neox } from './decoders.js';
import { albert, encoder } from './encoders.js';
import { Fields } from './fields.js';

const FAMILIES: Readonly<Record<Family, (fields: Fields, family: Family) => Architecture>> = {
  bert: encoder,
  roberta: encoder,
  distilbert: encoder,
  albert,
  gpt2,
  gpt_neox: neox,
  llama,
  mistral: llama,
  qwen2: llama,
  qwen3: llama,
};

/**
 * What a config describes.
 *
 * @throws TypeError if it is not an object; RangeError that names a field which is missing, wrong or not supported
 */
export function readConfig(config: unknown): Architecture {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    wrongKind(OPERATION, 'config to be an object', config);
  }
  // A copy, so that getters and proxies run once.
  const fields = new Fields(structuredCopy(config));
  const family = fields.get('model_type');
  if (typeof family !== 'string' || !Object.hasOwn(FAMILIES, family)) {
    wrongValue(
      OPERATION,
      `config.model_type to be one of ${Object.keys(FAMILIES).join(', ')}`,
      fields.shown(family),
    );
  }
  if (fields.get('quantization_config') !== undefined) {
    wrongValue(OPERATION, 'no config.quantization_config', 'a quantised model');
  }
  return FAMILIES[family as Family](fields, family as Family);
}

/** A config is JSON: what is not comes out as JSON has it. */
function structuredCopy(config: object): Record<string, unknown> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(config));
  } catch {
    // Circles, or a hostile getter.
  }
  if (typeof copy !== 'object' || copy === null)
    wrongKind(OPERATION, 'config to be plain data', 'something else');
  return copy as Record<string, unknown>;
}
