// Embeds the lines of a text on several cores:  node main.mjs FOLDER FILE [WORKERS]
// FOLDER has a sentence transformer as Hugging Face publishes it; FILE has a sentence on each line. Each worker opens
// the model and asks for the next sentences as soon as it has embedded its last ones. The vectors go to
// embeddings.f32, row by row.
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

const [folder = 'model', file = 'sentences.txt', workers = availableParallelism()] = process.argv.slice(2);
const sentences = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim());
const BATCH = 32;

// Sentences of about the same length need little padding.
const order = [...sentences.keys()].sort((a, b) => sentences[a].length - sentences[b].length);
let vectors;
let next = 0;
let started;

function embed() {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./embed.mjs', import.meta.url), { workerData: folder });
    let rows = [];
    worker.on('error', reject);
    worker.on('message', (embedded) => {
      // The first message says that the model is open. Time counts from then on.
      started ??= performance.now();
      if (embedded) {
        const [, width] = embedded.shape;
        vectors ??= new Float32Array(sentences.length * width);
        rows.forEach((row, i) => vectors.set(embedded.data.subarray(i * width, (i + 1) * width), row * width));
      }
      rows = order.slice(next, (next += BATCH));
      if (rows.length > 0) worker.postMessage(rows.map((row) => sentences[row]));
      else resolve(worker.terminate());
    });
  });
}

await Promise.all(Array.from({ length: Number(workers) }, embed));
const seconds = (performance.now() - started) / 1000;
await writeFile('embeddings.f32', vectors);
console.log(`${sentences.length} sentences, ${workers} workers: ${(sentences.length / seconds).toFixed(0)} per second`);
