/** Families of models: functions that read a config, by its `model_type`. */
import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { albert } from './albert.js';
import { bert } from './bert.js';
import { debertaV2 } from './deberta_v2.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { gpt2 } from './gpt2.js';
import { gptNeox } from './gpt_neox.js';
import { llama } from './llama.js';
import { mistral } from './mistral.js';
import { modernbert } from './modernbert.js';
import { mpnet } from './mpnet.js';
import { nomicBert } from './nomic_bert.js';
import { qwen2 } from './qwen2.js';
import { qwen3 } from './qwen3.js';
import { roberta } from './roberta.js';

export const FAMILIES = {
  albert,
  bert,
  camembert: roberta,
  'deberta-v2': debertaV2,
  distilbert,
  electra,
  gpt2,
  gpt_neox: gptNeox,
  llama,
  mistral,
  modernbert,
  mpnet,
  nomic_bert: nomicBert,
  qwen2,
  qwen3,
  roberta,
  'xlm-roberta': roberta,
} satisfies Record<string, (fields: Fields) => Architecture>;

export type Family = keyof typeof FAMILIES;
