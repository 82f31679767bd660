/** Eigen compiled to wasm: native/eigen.cpp behind JavaScript arrays, copied in and out as a user of it would have to. */
import { readFile } from 'node:fs/promises';

/** Imports that a standalone module asks for and that these functions never reach. */
const imports = new Proxy({}, { get: () => new Proxy({}, { get: () => () => 0 }) });

function bound(instance) {
  const wasm = instance.exports;
  const allocate = (length) => wasm.allocate(4 * length) >>> 0;
  const write = (address, data) => new data.constructor(wasm.memory.buffer, address, data.length).set(data);
  const place = (data) => {
    const address = allocate(data.length);
    write(address, data);
    return address;
  };
  const take = (address, length) => new Float32Array(wasm.memory.buffer, address, length).slice();
  /** Runs `body` with the inputs copied in and room for the outputs, then frees both. */
  const call = (inputs, lengths, body) => {
    const from = inputs.map(place);
    const to = lengths.map(allocate);
    body(from, to);
    const outputs = to.map((address, i) => take(address, lengths[i]));
    for (const address of [...from, ...to]) wasm.release(address);
    return outputs;
  };
  return { wasm, place, call };
}

function prepare({ wasm, place, call }, problem) {
  const { kind, params, inputs, parameters } = problem;
  switch (kind) {
    case 'matmul': {
      const { m, k, n } = params;
      return () => {
        const [c] = call([inputs.a, inputs.b], [m * n], ([a, b], [out]) => wasm.product(a, b, out, m, k, n));
        return { c };
      };
    }
    case 'attention': {
      const { batch, heads, n, d, causal } = params;
      return () => {
        const [output] = call([inputs.query, inputs.key, inputs.value], [inputs.query.length], ([q, k, v], [out]) =>
          wasm.attention(q, k, v, out, batch * heads, n, d, causal ? 1 : 0),
        );
        return { output };
      };
    }
    case 'multiHead': {
      const { batch, n, width, heads, lengths, needWeights } = params;
      const weights = [parameters.wq, parameters.wk, parameters.wv, parameters.wo].map(place);
      const sizes = [batch * n * width, ...(needWeights ? [batch * heads * n * n] : [])];
      const valid = lengths ? [Int32Array.from(lengths)] : [];
      return () => {
        const [output, attended] = call([inputs.x, ...valid], sizes, ([x, counts = 0], [out, probabilities = 0]) =>
          wasm.multiHead(x, ...weights, counts, probabilities, out, batch, n, width, heads),
        );
        return { output, weights: attended };
      };
    }
    case 'table': {
      const { length, width } = params;
      return () => ({ table: call([], [length * width], (_, [out]) => wasm.encoding(out, length, width))[0] });
    }
    case 'addTable': {
      const { batch, length, width } = params;
      const table = place(problem.table);
      return () => ({
        sum: call([inputs.x], [inputs.x.length], ([x], [out]) => wasm.addTable(x, table, out, batch, length, width))[0],
      });
    }
    case 'softmax': {
      const { rows, cols } = params;
      const valid = problem.lengths ? place(problem.lengths) : 0;
      return () => ({
        y: call([inputs.x], [rows * cols], ([x], [out]) => wasm.softmax(x, valid, out, rows, cols))[0],
      });
    }
    default:
      return undefined;
  }
}

export async function open({ build }) {
  const bytes = await readFile(new URL('eigen.wasm', build));
  const { instance } = await WebAssembly.instantiate(bytes, imports);
  if (instance.exports._initialize) instance.exports._initialize();
  const eigen = bound(instance);
  const macros = await readFile('/usr/include/eigen3/Eigen/src/Core/util/Macros.h', 'utf8').catch(() => '');
  const version = ['WORLD', 'MAJOR', 'MINOR'].map((part) => macros.match(new RegExp(`EIGEN_${part}_VERSION (\\d+)`))?.[1]);
  return {
    version: version.join('.'),
    peers: [{ name: 'eigen', prepare: (problem) => asContender(prepare(eigen, problem)) }],
  };
}

const asContender = (run) => run && { run };
