// Writes a story, token by token:  node main.mjs [FOLDER] [PROMPT]
// FOLDER has a language model as Hugging Face publishes it: config.json, model.safetensors, tokenizer.json,
// tokenizer_config.json.
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';

const [folder = 'model', prompt = 'Once upon a time'] = process.argv.slice(2);

const checkpoint = await readCheckpoint(folder);
const model = await openModel({ ...checkpoint });
const tokenizer = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config);

const { ids } = tokenizer.encode(prompt);
const written = [...ids];
const textOf = (tokens) => tokenizer.decode(tokens, { skip_special_tokens: true });
let shown = '';
const show = () => {
  // A token may be a part of a character, whose text changes with the next token.
  const text = textOf(written).replace(/\uFFFD+$/, '');
  process.stdout.write(text.slice(shown.length));
  shown = text;
};

show();
const start = performance.now();
for await (const id of model.generate(ids, { maxTokens: 200 })) {
  written.push(id);
  show();
}
const seconds = (performance.now() - start) / 1000;
const count = written.length - ids.length;
console.log(`\n\n${count} tokens, ${Math.round(count / seconds)} per second`);
model.dispose();
