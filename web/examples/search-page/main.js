// Ranks sentences by their similarity to a query, in a worker. The folder public/model has a sentence transformer as
// Hugging Face publishes it, such as all-MiniLM-L6-v2.
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';
import { loadWorker } from 'wasm-attention/worker';

const sentences = ['One day, it rained.', 'The dog was happy.', 'The cat was happy.', 'Lily had a red ball.'];
const [progress, state, input, list] = ['progress', '#state', 'input', 'ol'].map((name) =>
  document.querySelector(name),
);

const checkpoint = await readCheckpoint('model/');
const model = await openModel({
  ...checkpoint,
  attention: await loadWorker(),
  onProgress: (done, total) => {
    [progress.value, progress.max] = [done, total];
    state.textContent = `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
  },
});

const tokenizer = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config);
const embed = (texts) =>
  model.embed(
    texts.map((text) => tokenizer.encode(text).ids),
    { normalize: true },
  );
const { data, shape } = await embed(sentences);
const [, width] = shape;

async function search() {
  const query = await embed([input.value]);
  // Vectors of length 1: their product is the cosine of the angle between them.
  const likeness = (row) => query.data.reduce((sum, x, i) => sum + x * data[row * width + i], 0);
  const ranked = sentences.map((sentence, row) => ({ sentence, like: likeness(row) }));
  ranked.sort((a, b) => b.like - a.like);
  list.replaceChildren(
    ...ranked.map(({ sentence, like }) => {
      const item = document.createElement('li');
      item.textContent = `${like.toFixed(3)} ${sentence}`;
      return item;
    }),
  );
}
input.oninput = search;
input.disabled = false;
await search();
state.textContent = 'ready';
