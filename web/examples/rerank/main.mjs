// Ranks passages by how well they answer a query:  node main.mjs FOLDER QUERY [FILE]
// FOLDER has a reranker (cross-encoder) as Hugging Face publishes it, such as ms-marco-MiniLM-L6-v2: config.json,
// model.safetensors, tokenizer.json, tokenizer_config.json. FILE has a passage on each line.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';

const [folder = 'model', query = 'Who has a red ball?', file] = process.argv.slice(2);
const passages = file
  ? (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim())
  : ['One day, it rained.', 'The dog was very happy.', 'Lily liked to play with her red ball.', 'A ball is round.'];

const checkpoint = await readCheckpoint(folder);
const model = await openModel({ ...checkpoint });
const tokenizer = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config);

// The model reads the query and a passage together. Passages of unequal length are padded and masked.
const pairs = passages.map((passage) => tokenizer.encode(query, { text_pair: passage, return_token_type_ids: true }));
// BERT tells the two texts apart by their tokens' types; RoBERTa and ModernBERT have none.
const tokenTypes = checkpoint.config.type_vocab_size > 1 ? pairs.map((pair) => pair.token_type_ids) : undefined;
const { logits } = model.forward(
  pairs.map((pair) => pair.ids),
  { tokenTypes },
);
model.dispose();

// One number for each pair: its score. Only the order matters.
const ranked = passages.map((passage, i) => ({ passage, score: logits.data[i] }));
ranked.sort((a, b) => b.score - a.score);
for (const { passage, score } of ranked) console.log(`${score.toFixed(3)}  ${passage}`);
