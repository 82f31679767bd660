/**
 * TensorFlow.js's wasm backend on its fast path: a 2-D product of untransposed matrices, one for each head, is computed
 * by XNNPACK. A batched or transposed product runs scalar code and is ten times slower.
 */
import { libraries } from '../host.mjs';
import { transpose } from './dense.mjs';
import { training } from './tfjs-training.mjs';

/** A large negative number, because this backend's softmax cannot handle -Infinity. */
const MASKED = -1e9;

function preparations(tf) {
  const matrix = (data, rows, cols) => tf.tensor2d(data, [rows, cols]);
  /** softmax(q·kᵀ + mask)·v of (n, d) tensors; q is already scaled. */
  const head = (q, k, v, mask) => {
    const product = tf.matMul(q, tf.transpose(k));
    const weights = tf.softmax(mask ? tf.add(product, mask) : product);
    return { weights, mixed: tf.matMul(weights, v) };
  };
  const maskOf = (rows, cols, valid) => {
    const out = new Float32Array(rows * cols);
    for (let i = 0; i < rows; i++) out.fill(MASKED, i * cols + valid(i), (i + 1) * cols);
    return matrix(out, rows, cols);
  };
  const square = (w, width) => matrix(transpose(w, width, width), width, width);

  function attention({ params: { batch, heads, n, d, causal }, inputs: { query, key, value } }) {
    const mask = causal ? maskOf(n, n, (i) => i + 1) : undefined;
    const scale = tf.scalar(1 / Math.sqrt(d));
    return () => {
      const output = new Float32Array(query.length);
      for (let h = 0; h < batch * heads; h++) {
        const part = (x) => matrix(x.subarray(h * n * d, (h + 1) * n * d), n, d);
        const result = tf.tidy(() => head(tf.mul(part(query), scale), part(key), part(value), mask).mixed);
        output.set(result.dataSync(), h * n * d);
        result.dispose();
      }
      return { output };
    };
  }

  function multiHead({ params: { batch, n, width, heads, lengths, needWeights }, inputs: { x }, parameters }) {
    const d = width / heads;
    const [wq, wk, wv, wo] = ['wq', 'wk', 'wv', 'wo'].map((name) => square(parameters[name], width));
    const masks = lengths?.map((length) => maskOf(n, n, () => length));
    const scale = tf.scalar(1 / Math.sqrt(d));
    return () => {
      const weights = needWeights ? new Float32Array(batch * heads * n * n) : undefined;
      const result = tf.tidy(() => {
        const flat = matrix(x, batch * n, width);
        const [q, k, v] = [tf.mul(tf.matMul(flat, wq), scale), tf.matMul(flat, wk), tf.matMul(flat, wv)];
        const sequences = [];
        for (let b = 0; b < batch; b++) {
          const mixed = [];
          for (let h = 0; h < heads; h++) {
            const part = (p) => tf.slice(p, [b * n, h * d], [n, d]);
            const one = head(part(q), part(k), part(v), masks?.[b]);
            if (needWeights) weights.set(one.weights.dataSync(), (b * heads + h) * n * n);
            mixed.push(one.mixed);
          }
          sequences.push(tf.concat(mixed, 1));
        }
        return tf.matMul(batch > 1 ? tf.concat(sequences, 0) : sequences[0], wo);
      });
      const output = result.dataSync();
      result.dispose();
      return { output, weights };
    };
  }

  function table({ params: { length, width }, inputs: { positions } }) {
    const frequency = Float32Array.from({ length: width / 2 }, (_, j) => Math.pow(10000, (-2 * j) / width));
    const row = matrix(frequency, 1, width / 2);
    return single('table', () => {
      const angle = tf.mul(matrix(positions, length, 1), row);
      return tf.stack([tf.sin(angle), tf.cos(angle)], 2);
    });
  }

  /** Runs `body`, which has its arrays in its closure, and returns its result under `name`. */
  function single(name, body) {
    return () => {
      const result = tf.tidy(body);
      const data = result.dataSync();
      result.dispose();
      return { [name]: data };
    };
  }

  return {
    attention,
    multiHead,
    table,
    training: (problem) => training(tf, problem),
    matmul: ({ params: { m, k, n }, inputs: { a, b } }) =>
      single('c', () => tf.matMul(matrix(a, m, k), matrix(b, k, n))),
    addTable: ({ params: { batch, length, width }, inputs: { x }, table: p }) => {
      const kept = matrix(p, length, width);
      return single('sum', () => tf.add(tf.tensor3d(x, [batch, length, width]), kept));
    },
    softmax: ({ params: { rows, cols }, inputs: { x }, lengths }) => {
      const mask = lengths && maskOf(rows, cols, (i) => lengths[i]);
      return single('y', () => {
        const scores = matrix(x, rows, cols);
        return tf.softmax(mask ? tf.add(scores, mask) : scores);
      });
    },
  };
}

export async function open({ build, threads = 1 }) {
  const { tf, version } = await libraries.tfjs(build, threads);
  // Without this it prints a banner.
  tf.env().set('PROD', true);
  if (!(await tf.setBackend('wasm'))) throw new Error('the wasm backend did not start');
  await tf.ready();
  const prepare = preparations(tf);
  return {
    version,
    peers: [
      {
        name: 'tfjs',
        prepare: (problem) => (prepare[problem.kind] ? { run: prepare[problem.kind](problem) } : undefined),
        dispose: () => tf.disposeVariables(),
      },
    ],
  };
}
