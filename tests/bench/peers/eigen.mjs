/** Eigen compiled to wasm: native/eigen.cpp. */
import { instantiate, withArrays } from './standalone.mjs';

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
      return () => ({
        table: call([], [length * width], (_, [out]) => wasm.encoding(out, length, width))[0],
      });
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
  const eigen = withArrays(await instantiate('eigen', build));
  return {
    version: [2, 1, 0].map((part) => (eigen.wasm.version() >> (8 * part)) & 255).join('.'),
    peers: [{ name: 'eigen', prepare: (problem) => asContender(prepare(eigen, problem)) }],
  };
}

const asContender = (run) => run && { run };
