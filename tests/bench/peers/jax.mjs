/** jax-js: jit-compiled closures on its wasm device. A call consumes its arguments unless they are passed as `.ref`. */
import { libraries, readJson } from '../host.mjs';
import { transpose } from './dense.mjs';
import { training } from './jax-training.mjs';

/** Adds the iterator helpers, which jax-js's einsum uses and Node has only from version 22 on. */
function iteratorHelpers() {
  const prototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const helpers = {
    *map(f) {
      let i = 0;
      for (const value of this) yield f(value, i++);
    },
    *filter(f) {
      let i = 0;
      for (const value of this) if (f(value, i++)) yield value;
    },
    toArray() {
      return [...this];
    },
    some(f) {
      for (const value of this) if (f(value)) return true;
      return false;
    },
    every(f) {
      for (const value of this) if (!f(value)) return false;
      return true;
    },
    reduce(f, start) {
      let result = start;
      for (const value of this) result = f(result, value);
      return result;
    },
    forEach(f) {
      for (const value of this) f(value);
    },
  };
  for (const [name, value] of Object.entries(helpers)) {
    if (!(name in prototype)) Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
  }
}

/** Reads the results of a call: at once on one thread, asynchronously where several threads share the kernels. */
function readerOf(threads) {
  const named = (arrays) => Object.entries(arrays).filter(([, array]) => array);
  const atOnce = (arrays) => Object.fromEntries(named(arrays).map(([name, array]) => [name, array.dataSync()]));
  const later = async (arrays) => {
    const read = named(arrays).map(async ([name, array]) => [name, await array.data()]);
    return Object.fromEntries(await Promise.all(read));
  };
  return threads > 1 ? later : atOnce;
}

function preparations(jax, read) {
  const { numpy: np, nn, jit } = jax;
  const array = (data, shape) => np.array(data).reshape(shape);
  const constant = (data, shape) => {
    const kept = array(data, shape);
    return () => kept.ref;
  };
  const maskOf = (rows, cols, valid) => {
    const out = new Float32Array(rows * cols);
    for (let i = 0; i < rows; i++) out.fill(-1e9, i * cols + valid(i), (i + 1) * cols);
    return out;
  };
  const swap = (x) => np.transpose(x, [0, 1, 3, 2]);
  /** The weights of (batch, heads, n, d) queries and keys. */
  const weigh = (q, k, d, mask) => {
    const scores = np.matmul(q.mul(1 / Math.sqrt(d)), swap(k));
    return nn.softmax(mask ? scores.add(mask) : scores, -1);
  };

  function attention({ params: { batch, heads, n, d, causal }, inputs: { query, key, value } }) {
    const shape = [batch, heads, n, d];
    const mask = causal
      ? constant(
          maskOf(n, n, (i) => i + 1),
          [n, n],
        )
      : undefined;
    const compute = mask
      ? jit((q, k, v, m) => np.matmul(weigh(q, k, d, m), v))
      : jit((q, k, v) => np.matmul(weigh(q, k, d), v));
    return () => {
      const inputs = [query, key, value].map((x) => array(x, shape));
      return read({ output: compute(...inputs, ...(mask ? [mask()] : [])) });
    };
  }

  function multiHead({ params: { batch, n, width, heads, lengths, needWeights }, inputs: { x }, parameters }) {
    const d = width / heads;
    const matrices = ['wq', 'wk', 'wv', 'wo'].map((name) =>
      constant(transpose(parameters[name], width, width), [width, width]),
    );
    const flat = lengths?.flatMap((length) => [...maskOf(1, n, () => length)]);
    const mask = lengths ? constant(Float32Array.from(flat), [batch, 1, 1, n]) : undefined;
    const compute = jit((input, wq, wk, wv, wo, ...masks) => {
      const split = (p) => np.transpose(p.reshape([batch, n, heads, d]), [0, 2, 1, 3]);
      const q = split(np.matmul(input.ref, wq));
      const k = split(np.matmul(input.ref, wk));
      const v = split(np.matmul(input, wv));
      const weights = weigh(q, k, d, masks[0]);
      const mixed = np.matmul(needWeights ? weights.ref : weights, v);
      const output = np.matmul(np.transpose(mixed, [0, 2, 1, 3]).reshape([batch * n, width]), wo);
      return needWeights ? [output, weights] : [output];
    });
    return () => {
      const input = array(x, [batch * n, width]);
      const results = compute(input, ...matrices.map((get) => get()), ...(mask ? [mask()] : []));
      return read({ output: results[0], weights: results[1] });
    };
  }

  function table({ params: { length, width }, inputs: { positions } }) {
    const frequency = constant(
      Float32Array.from({ length: width / 2 }, (_, j) => Math.pow(10000, (-2 * j) / width)),
      [1, width / 2],
    );
    const compute = jit((rows, columns) => {
      const angle = rows.mul(columns);
      return np.stack([np.sin(angle.ref), np.cos(angle)], 2);
    });
    return () => read({ table: compute(array(positions, [length, 1]), frequency()) });
  }

  return {
    attention,
    multiHead,
    table,
    training: (problem) => training(jax, problem),
    matmul: ({ params: { m, k, n }, inputs: { a, b } }) => {
      const compute = jit((x, y) => np.matmul(x, y));
      return () => read({ c: compute(array(a, [m, k]), array(b, [k, n])) });
    },
    addTable: ({ params: { batch, length, width }, inputs: { x }, table: p }) => {
      const kept = constant(p, [length, width]);
      const compute = jit((input, positions) => input.add(positions));
      return () => read({ sum: compute(array(x, [batch, length, width]), kept()) });
    },
    softmax: ({ params: { rows, cols }, inputs: { x }, lengths }) => {
      const mask = lengths
        ? constant(
            maskOf(rows, cols, (i) => lengths[i]),
            [rows, cols],
          )
        : undefined;
      const compute = mask ? jit((input, m) => nn.softmax(input.add(m), -1)) : jit((input) => nn.softmax(input, -1));
      return () => read({ y: compute(array(x, [rows, cols]), ...(mask ? [mask()] : [])) });
    },
  };
}

export async function open({ threads = 1 } = {}) {
  iteratorHelpers();
  const jax = await libraries.jax(threads);
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  const { version } = await readJson(new URL('../node_modules/@jax-js/jax/package.json', import.meta.url));
  const prepare = preparations(jax, readerOf(threads));
  return {
    version,
    peers: [
      {
        name: 'jax-js',
        prepare: (problem) => (prepare[problem.kind] ? { run: prepare[problem.kind](problem) } : undefined),
      },
    ],
  };
}
