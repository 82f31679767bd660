// Talks with a language model:  node main.mjs [FOLDER] [SEED]
// FOLDER has a chat model as Hugging Face publishes it: config.json, generation_config.json, model.safetensors,
// tokenizer.json, and tokenizer_config.json with a chat_template. Ctrl-C ends the talk.
import { createInterface } from 'node:readline';
import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';

const [folder = 'model', seed] = process.argv.slice(2);

const checkpoint = await readCheckpoint(folder);
const { json, config } = checkpoint.tokenizer;
const tokenizer = new Tokenizer(json, config);
const template = new Template(config.chat_template);
const model = await openModel(checkpoint);
const cache = model.createCache({ maxLength: Math.min(model.maxLength, 4096) });

/** A special token is a text, or an object that has one. */
const special = (token) => token?.content ?? token;
const marks = { bos_token: special(config.bos_token), eos_token: special(config.eos_token) };
const textOf = (ids) => tokenizer.decode(ids, { skip_special_tokens: true });

const messages = [];
let held = []; // the tokens in the cache

/** Writes the answer while it comes, and returns it. */
async function answer() {
  const text = template.render({ messages, add_generation_prompt: true, ...marks });
  // The template writes the special tokens itself.
  const { ids } = tokenizer.encode(text, { add_special_tokens: false });
  // The cache keeps what the talk and it have in common, but for the last token, whose logits are needed.
  const same = ids.slice(0, -1).findIndex((id, i) => id !== held[i]);
  cache.truncate(same < 0 ? ids.length - 1 : same);
  const options = { cache, temperature: 0.7, minP: 0.05, ...(seed && { seed: Number(seed) }) };
  const written = [];
  let shown = '';
  for await (const id of model.generate(ids.slice(cache.length), options)) {
    written.push(id);
    // A token may be a part of a character, whose text changes with the next token.
    const text = textOf(written).replace(/\uFFFD+$/, '');
    process.stdout.write(text.slice(shown.length));
    shown = text;
  }
  held = [...ids, ...written].slice(0, cache.length);
  return textOf(written);
}

process.stdout.write('> ');
for await (const line of createInterface({ input: process.stdin })) {
  messages.push({ role: 'user', content: line });
  messages.push({ role: 'assistant', content: await answer() });
  process.stdout.write('\n> ');
}
model.dispose();
