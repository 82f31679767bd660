import { parentPort, workerData as folder } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { openModel, readCheckpoint } from 'wasm-attention/models';

const checkpoint = await readCheckpoint(folder);
const model = await openModel({ ...checkpoint });
const tokenizer = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config);

parentPort.on('message', (sentences) => {
  const ids = sentences.map((sentence) => tokenizer.encode(sentence).ids);
  const embedded = model.embed(ids, { normalize: true });
  parentPort.postMessage(embedded, [embedded.data.buffer]);
});
parentPort.postMessage(undefined);
