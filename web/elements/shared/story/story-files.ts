/**
 * The model's files in a module of their own, so that they are loaded only on request. A module needs no permission of
 * the page's policy, and works in a single-file page.
 */
import { bytesOf } from '../data-url.js';
import config from './stories260K/config.json';
import weights from './stories260K/model.safetensors?url&inline';
import tokenizer from './stories260K/tokenizer.json';
import tokenizerConfig from './stories260K/tokenizer_config.json';

/** What `openWriter` needs. */
export const files = {
  config,
  tokenizer,
  tokenizerConfig,
  weights: () => bytesOf(weights),
};

export { Tokenizer } from '@huggingface/tokenizers';
