/** Families of models: functions that read a config, by its `model_type`. */
import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { albert } from './albert.js';
import { bert } from './bert.js';
import { bloom } from './bloom.js';
import { clip } from './clip.js';
import { clipText } from './clip_text_model.js';
import { clipVision } from './clip_vision_model.js';
import { debertaV2 } from './deberta_v2.js';
import { deit } from './deit.js';
import { dinov2 } from './dinov2.js';
import { dinov2WithRegisters } from './dinov2_with_registers.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { gemma2 } from './gemma2.js';
import { gemma3Text } from './gemma3_text.js';
import { gpt2 } from './gpt2.js';
import { gptNeo } from './gpt_neo.js';
import { gptNeox } from './gpt_neox.js';
import { granite } from './granite.js';
import { llama } from './llama.js';
import { mistral } from './mistral.js';
import { modernbert } from './modernbert.js';
import { mpnet } from './mpnet.js';
import { nomicBert } from './nomic_bert.js';
import { olmo2 } from './olmo2.js';
import { opt } from './opt.js';
import { phi } from './phi.js';
import { phi3 } from './phi3.js';
import { qwen2 } from './qwen2.js';
import { qwen3 } from './qwen3.js';
import { roberta } from './roberta.js';
import { siglip } from './siglip.js';
import { siglipVision } from './siglip_vision_model.js';
import { smollm3 } from './smollm3.js';
import { stablelm } from './stablelm.js';
import { vit } from './vit.js';
import { xglm } from './xglm.js';

export const FAMILIES = {
  albert,
  bert,
  bloom,
  camembert: roberta,
  clip,
  clip_text_model: clipText,
  clip_vision_model: clipVision,
  'deberta-v2': debertaV2,
  deit,
  dinov2,
  dinov2_with_registers: dinov2WithRegisters,
  distilbert,
  electra,
  gemma2,
  gemma3_text: gemma3Text,
  gpt2,
  gpt_neo: gptNeo,
  gpt_neox: gptNeox,
  granite,
  llama,
  mistral,
  modernbert,
  mpnet,
  nomic_bert: nomicBert,
  olmo2,
  opt,
  phi,
  phi3,
  qwen2,
  qwen3,
  roberta,
  siglip,
  siglip_vision_model: siglipVision,
  smollm3,
  stablelm,
  vit,
  xglm,
  'xlm-roberta': roberta,
} satisfies Record<string, (fields: Fields) => Architecture>;

export type Family = keyof typeof FAMILIES;
