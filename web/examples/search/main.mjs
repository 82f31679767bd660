// Ranks sentences by their similarity to a query:  node main.mjs FOLDER QUERY [FILE]
// FOLDER has a sentence transformer as Hugging Face publishes it, such as all-MiniLM-L6-v2: config.json,
// model.safetensors, tokenizer.json, tokenizer_config.json. FILE has a sentence on each line.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';

const [folder = 'model', query = 'The cat was happy.', file] = process.argv.slice(2);
const sentences = file
  ? (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim())
  : ['One day, it rained.', 'The dog was very happy.', 'Lily liked to play with her ball.', 'The cat was sad.'];

const checkpoint = await readCheckpoint(folder);
const model = await openModel({ ...checkpoint });
const tokenizer = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config);

// Sentences of unequal length are padded and masked.
const ids = [query, ...sentences].map((sentence) => tokenizer.encode(sentence).ids);
const { data, shape } = model.embed(ids, { normalize: true });
model.dispose();

// Vectors of length 1: their product is the cosine of the angle between them.
const [, width] = shape;
const likeness = (row) => {
  let sum = 0;
  for (let i = 0; i < width; ++i) sum += data[i] * data[row * width + i];
  return sum;
};
const ranked = sentences.map((sentence, i) => ({ sentence, like: likeness(i + 1) }));
ranked.sort((a, b) => b.like - a.like);
for (const { sentence, like } of ranked) console.log(`${like.toFixed(3)}  ${sentence}`);
