// Finds the answer to a question in a text:  node main.mjs FOLDER QUESTION [FILE]
// FOLDER has a model for question answering as Hugging Face publishes it, such as
// distilbert-base-cased-distilled-squad: config.json, model.safetensors, tokenizer.json, tokenizer_config.json. FILE
// has a text of a few hundred words.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';

const [folder = 'model', question = 'Where did Lily find the ball?', file] = process.argv.slice(2);
const text = file
  ? await readFile(file, 'utf8')
  : 'Lily lost her red ball on Monday. Her brother looked for it in the house, but Lily found it in the garden.';

const checkpoint = await readCheckpoint(folder);
const model = await openModel({ ...checkpoint });
const tokenizer = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config);

const { ids, token_type_ids: types } = tokenizer.encode(question, { text_pair: text, return_token_type_ids: true });
const tokenTypes = checkpoint.config.type_vocab_size > 1 ? types : undefined;
const { data } = model.forward(ids, { tokenTypes }).logits;
model.dispose();

// The answer lies between the question and the last token, which ends the text. It is the span of at most 30 tokens
// whose two logits have the largest sum: that of its first token as a start, and that of its last one as an end.
const best = { score: -Infinity };
for (let start = tokenizer.encode(question).ids.length; start < ids.length - 1; ++start) {
  for (let end = start; end < Math.min(start + 30, ids.length - 1); ++end) {
    const score = data[2 * start] + data[2 * end + 1];
    if (score > best.score) Object.assign(best, { score, start, end });
  }
}
const answer = tokenizer.decode(ids.slice(best.start, best.end + 1), { skip_special_tokens: true });
console.log(`${best.score.toFixed(3)}  ${answer}`);
