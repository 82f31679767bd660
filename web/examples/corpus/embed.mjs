import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData as folder } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel } from 'wasm-attention/models';

const json = async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'));
const tokenizer = new Tokenizer(await json('tokenizer.json'), await json('tokenizer_config.json'));
const model = await openModel({
  config: await json('config.json'),
  weights: await readFile(join(folder, 'model.safetensors')),
});

parentPort.on('message', (sentences) => {
  const ids = sentences.map((sentence) => tokenizer.encode(sentence).ids);
  const embedded = model.embed(ids, { normalize: true });
  parentPort.postMessage(embedded, [embedded.data.buffer]);
});
parentPort.postMessage(undefined);
