/** A server of a checkpoint without end: its numbers are made as they are sent, so that it needs no disk. */
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { normal } from './random.mjs';

const TINY = new URL('../fixtures/stories260K/', import.meta.url);

const [hiddens, ffn, layers, vocab] = [1024, 2816, 15, 32_000];
const config = {
  model_type: 'llama',
  hidden_size: hiddens,
  intermediate_size: ffn,
  num_hidden_layers: layers,
  num_attention_heads: 16,
  vocab_size: vocab,
  max_position_embeddings: 2048,
};

/** All tensors of the model, in the order in which transformers writes them. */
function shapes() {
  const all = { 'lm_head.weight': [vocab, hiddens], 'model.embed_tokens.weight': [vocab, hiddens] };
  for (let i = 0; i < layers; ++i) {
    const at = `model.layers.${i}`;
    all[`${at}.input_layernorm.weight`] = [hiddens];
    all[`${at}.mlp.down_proj.weight`] = [hiddens, ffn];
    for (const name of ['gate', 'up']) all[`${at}.mlp.${name}_proj.weight`] = [ffn, hiddens];
    all[`${at}.post_attention_layernorm.weight`] = [hiddens];
    for (const name of 'koqv') all[`${at}.self_attn.${name}_proj.weight`] = [hiddens, hiddens];
  }
  return { ...all, 'model.norm.weight': [hiddens] };
}

let end = 0;
let largest = 0;
const header = {};
for (const [name, shape] of Object.entries(shapes())) {
  const bytes = 2 * shape.reduce((a, b) => a * b);
  largest = Math.max(largest, bytes);
  header[name] = { dtype: 'BF16', shape, data_offsets: [end, (end += bytes)] };
}
const json = Buffer.from(JSON.stringify(header));
const head = Buffer.alloc(8 + json.length);
head.writeBigUInt64LE(BigInt(json.length));
json.copy(head, 8);
const size = head.length + end;

// The upper halves of float32s. An odd number of them, so that no two rows are alike.
const floats = normal(2 ** 19 + 1, 5).map((x) => x / 32);
const pattern = Buffer.from(Uint16Array.from(new Uint32Array(floats.buffer), (bits) => bits >>> 16).buffer);

function* bytesOf(from, to) {
  if (from < head.length) yield head.subarray(from, Math.min(to, head.length));
  for (let at = Math.max(from, head.length); at < to;) {
    const begin = (at - head.length) % pattern.length;
    const part = pattern.subarray(begin, Math.min(pattern.length, begin + to - at));
    yield part;
    at += part.length;
  }
}

/** Resolves when a response can be written to, or is closed. */
function once(response) {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** Writes a part of the file, as fast as it is read. */
async function send(response, from, to) {
  for (const part of bytesOf(from, to)) {
    if (response.destroyed) return;
    if (!response.write(part)) await once(response);
  }
  response.end();
}

const server = createServer((request, response) => {
  if (request.url.startsWith('/tiny/') && request.method === 'HEAD') return void response.writeHead(405).end();
  if (/^\/tiny\/(config\.json|model\.safetensors)$/.test(request.url)) {
    return void response.end(readFileSync(new URL(request.url.slice(6), TINY)));
  }
  if (request.url === '/config.json') return void response.end(JSON.stringify(config));
  if (request.url !== '/model.safetensors') return void response.writeHead(404).end();
  const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const to = last === undefined ? size : Math.min(size, Number(last) + 1);
  const begin = Number(from ?? 0);
  response.writeHead(from === undefined ? 200 : 206, {
    'content-length': to - begin,
    ...(from !== undefined && { 'content-range': `bytes ${begin}-${to - 1}/${size}` }),
  });
  if (request.method === 'HEAD') response.end();
  else void send(response, begin, to);
});
server.listen(0, '127.0.0.1', () =>
  process.send({ address: `http://127.0.0.1:${server.address().port}/`, size, largest }),
);
