/** Plain JavaScript over typed arrays, blocked for the cache: what a careful programmer writes without wasm. */
import { engine } from '../host.mjs';
import { product, transpose } from './dense.mjs';
import { greedy, llama } from './llama.mjs';

/** In place: softmax of the first `valid` entries of the row that starts at `at`; its other entries become zero. */
function softmaxRow(x, at, cols, valid) {
  let largest = -Infinity;
  for (let j = 0; j < valid; j++) if (x[at + j] > largest) largest = x[at + j];
  let sum = 0;
  for (let j = 0; j < valid; j++) sum += x[at + j] = Math.exp(x[at + j] - largest);
  const inverse = 1 / sum;
  for (let j = 0; j < valid; j++) x[at + j] *= inverse;
  x.fill(0, at + valid, at + cols);
}

/** One head: query, key, value (n, d) to output (n, d); `scores` receives the weights. */
function head(query, key, value, n, d, valid, scores, output) {
  const scaled = query.map((q) => q / Math.sqrt(d));
  product(scaled, transpose(key, n, d), n, d, n, scores);
  for (let i = 0; i < n; i++) softmaxRow(scores, i * n, n, valid(i));
  product(scores, value, n, n, d, output);
}

function attention({ batch, heads, n, d, causal }, { query, key, value }) {
  const output = new Float32Array(query.length);
  const scores = new Float32Array(n * n);
  for (let h = 0; h < batch * heads; h++) {
    const [q, k, v, out] = [query, key, value, output].map((x) => x.subarray(h * n * d, (h + 1) * n * d));
    head(q, k, v, n, d, (i) => (causal ? i + 1 : n), scores, out);
  }
  return { output };
}

/** A copy of columns [from, from + count) of x (rows, cols). */
function columns(x, rows, cols, from, count) {
  const out = new Float32Array(rows * count);
  for (let i = 0; i < rows; i++) out.set(x.subarray(i * cols + from, i * cols + from + count), i * count);
  return out;
}

function multiHead({ batch, n, width, heads, lengths, needWeights }, x, [wq, wk, wv, wo]) {
  const d = width / heads;
  const rows = batch * n;
  const [q, k, v] = [wq, wk, wv].map((w) => product(x, w, rows, width, width));
  const mixed = new Float32Array(rows * width);
  const weights = new Float32Array(needWeights ? batch * heads * n * n : n * n);
  for (let b = 0; b < batch; b++) {
    const valid = lengths ? lengths[b] : n;
    for (let h = 0; h < heads; h++) {
      const [qh, kh, vh] = [q, k, v].map((p) => columns(p.subarray(b * n * width), n, width, h * d, d));
      const at = needWeights ? (b * heads + h) * n * n : 0;
      const out = new Float32Array(n * d);
      head(qh, kh, vh, n, d, () => valid, weights.subarray(at, at + n * n), out);
      for (let i = 0; i < n; i++) mixed.set(out.subarray(i * d, (i + 1) * d), (b * n + i) * width + h * d);
    }
  }
  const output = product(mixed, wo, rows, width, width);
  return needWeights ? { output, weights } : { output };
}

function table({ length, width }) {
  const p = new Float32Array(length * width);
  const frequency = Float64Array.from({ length: width / 2 }, (_, j) => Math.pow(10000, (-2 * j) / width));
  for (let i = 0; i < length; i++) {
    for (let j = 0; j < width / 2; j++) {
      p[i * width + 2 * j] = Math.sin(i * frequency[j]);
      p[i * width + 2 * j + 1] = Math.cos(i * frequency[j]);
    }
  }
  return { table: p };
}

/** One query against a cache (heads, past + 1, d), which has room for the new token. */
function prepareDecoding({ params: { past, width, heads }, parameters, cache, inputs }) {
  const d = width / heads;
  const keys = past + 1;
  const [wq, wk, wv, wo] = matrices(parameters, width);
  const roomy = (x) => {
    const out = new Float32Array(heads * keys * d);
    for (let h = 0; h < heads; h++) out.set(x.subarray(h * past * d, (h + 1) * past * d), h * keys * d);
    return out;
  };
  const cachedKeys = roomy(cache.pastKey);
  const cachedValues = roomy(cache.pastValue);
  return () => {
    const [q, k, v] = [wq, wk, wv].map((w) => product(inputs.token, w, 1, width, width));
    const mixed = new Float32Array(width);
    for (let h = 0; h < heads; h++) {
      cachedKeys.set(k.subarray(h * d, (h + 1) * d), (h * keys + past) * d);
      cachedValues.set(v.subarray(h * d, (h + 1) * d), (h * keys + past) * d);
      const query = q.subarray(h * d, (h + 1) * d).map((value) => value / Math.sqrt(d));
      const scores = product(cachedKeys.subarray(h * keys * d, (h + 1) * keys * d), query, keys, d, 1);
      softmaxRow(scores, 0, keys, keys);
      mixed.set(product(scores, cachedValues.subarray(h * keys * d, (h + 1) * keys * d), 1, keys, d), h * d);
    }
    return { output: product(mixed, wo, 1, width, width) };
  };
}

/** The four parameters, transposed once to (in, out). */
const matrices = (p, width) => [p.wq, p.wk, p.wv, p.wo].map((w) => transpose(w, width, width));

const prepare = {
  matmul:
    ({ params: { m, k, n }, inputs: { a, b } }) =>
    () => ({ c: product(a, b, m, k, n) }),
  attention:
    ({ params, inputs }) =>
    () =>
      attention(params, inputs),
  multiHead: ({ params, inputs, parameters }) => {
    const weights = matrices(parameters, params.width);
    return () => multiHead(params, inputs.x, weights);
  },
  decoding: prepareDecoding,
  story({ params: { count }, prompt, config, tensors }) {
    const forward = llama(config, tensors);
    return () => ({ tokens: greedy(forward, prompt, count) });
  },
  table:
    ({ params }) =>
    () =>
      table(params),
  addTable:
    ({ inputs: { x }, table: p }) =>
    () => {
      const sum = new Float32Array(x.length);
      for (let at = 0; at < x.length; at += p.length) for (let i = 0; i < p.length; i++) sum[at + i] = x[at + i] + p[i];
      return { sum };
    },
  softmax:
    ({ params: { rows, cols }, inputs: { x }, lengths }) =>
    () => {
      const y = Float32Array.from(x);
      for (let i = 0; i < rows; i++) softmaxRow(y, i * cols, cols, lengths ? lengths[i] : cols);
      return { y };
    },
};

export async function open() {
  return {
    version: engine,
    peers: [
      {
        name: 'javascript',
        prepare: (problem) => (prepare[problem.kind] ? { run: prepare[problem.kind](problem) } : undefined),
      },
    ],
  };
}
