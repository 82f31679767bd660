/** Families of models: functions that read a config, by its `model_type`. */
import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { albert } from './albert.js';
import { bert } from './bert.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { gpt2 } from './gpt2.js';
import { gptNeox } from './gpt_neox.js';
import { llama } from './llama.js';
import { mistral } from './mistral.js';
import { qwen2 } from './qwen2.js';
import { qwen3 } from './qwen3.js';
import { roberta } from './roberta.js';

export const FAMILIES = {
  albert,
  bert,
  distilbert,
  electra,
  gpt2,
  gpt_neox: gptNeox,
  llama,
  mistral,
  qwen2,
  qwen3,
  roberta,
  'xlm-roberta': roberta,
} satisfies Record<string, (fields: Fields) => Architecture>;

export type Family = keyof typeof FAMILIES;
