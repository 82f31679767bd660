/**
 * The works as ONNX graphs, in three ways: `decomposed` (MatMul, Softmax, …), ONNX's Attention of opset 23, and
 * onnxruntime's own com.microsoft.MultiHeadAttention. Weights, masks and tables are initializers, which are loaded
 * once.
 */
import { transpose } from './dense.mjs';
import { Graph } from './onnx-model.mjs';
import { decoder } from './ort-decoder.mjs';
import { encoder } from './ort-encoder.mjs';
import { quantised } from './ort-quantised.mjs';
import { vision } from './ort-vision.mjs';
import { addTable, bias, matmul, softmax, table } from './ort-rows.mjs';

const scalar = (graph, value) => graph.constant(Float32Array.of(value), []);

/** softmax(q·kᵀ/√d + mask)·v of (…, n, d) tensors; returns the output's name. */
export function decomposed(graph, q, k, v, d, mask, names = {}) {
  const scaled = graph.add('Mul', [q, scalar(graph, 1 / Math.sqrt(d))]);
  const product = graph.add('MatMul', [scaled, graph.transpose(k, [0, 1, 3, 2])]);
  const scores = mask ? graph.add('Add', [product, mask]) : product;
  const weights = graph.add('Softmax', [scores], { axis: -1 }, names.weights ? { outputs: [names.weights] } : {});
  return graph.add('MatMul', [weights, v], {}, names.output ? { outputs: [names.output] } : {});
}

function attention(way, { batch, heads, n, d, causal }) {
  const graph = new Graph();
  const dims = [batch, heads, n, d];
  const [q, k, v] = ['query', 'key', 'value'].map((name) => graph.input(name, dims));
  graph.output('output', dims);
  if (way === 'decomposed') {
    const mask =
      causal &&
      graph.constant(
        bias(n, n, (i) => i + 1),
        [n, n],
      );
    decomposed(graph, q, k, v, d, mask, { output: 'output' });
  } else if (way === 'attention') {
    graph.add('Attention', [q, k, v], { is_causal: causal ? 1 : 0 }, { outputs: ['output'] });
  } else {
    const flat = (x) => graph.reshape(graph.transpose(x, [0, 2, 1, 3]), [batch, n, heads * d]);
    const attributes = { num_heads: heads, ...(causal ? { unidirectional: 1 } : {}) };
    const mixed = graph.add('MultiHeadAttention', [flat(q), flat(k), flat(v)], attributes, {
      domain: 'com.microsoft',
    });
    graph.add(
      'Transpose',
      [graph.reshape(mixed, [batch, n, heads, d])],
      { perm: [0, 2, 1, 3] },
      { outputs: ['output'] },
    );
  }
  return graph.bytes();
}

/** The four parameters as initializers (in, out), the layout that MatMul needs. */
function projections(graph, { wq, wk, wv, wo }, width) {
  return [wq, wk, wv, wo].map((w) => graph.constant(transpose(w, width, width), [width, width]));
}

function multiHead(way, { batch, n, width, heads, lengths, needWeights }, parameters) {
  const graph = new Graph();
  const d = width / heads;
  const x = graph.input('x', [batch, n, width]);
  const [wq, wk, wv, wo] = projections(graph, parameters, width);
  graph.output('output', [batch, n, width]);
  if (needWeights) graph.output('weights', [batch, heads, n, n]);
  const [q, k, v] = [wq, wk, wv].map((w) => graph.add('MatMul', [x, w]));
  const mask = lengths && maskOf(graph, lengths, way === 'decomposed' ? 1 : n, n);
  let mixed;
  if (way === 'decomposed') {
    const split = (p) => graph.transpose(graph.reshape(p, [batch, n, heads, d]), [0, 2, 1, 3]);
    const out = decomposed(graph, split(q), split(k), split(v), d, mask, needWeights ? { weights: 'weights' } : {});
    mixed = graph.reshape(graph.transpose(out, [0, 2, 1, 3]), [batch, n, width]);
  } else if (way === 'attention') {
    const attributes = {
      q_num_heads: heads,
      kv_num_heads: heads,
      ...(needWeights ? { qk_matmul_output_mode: 3 } : {}),
    };
    const outputs = ['mixed', ...(needWeights ? ['', '', 'weights'] : [])];
    mixed = graph.add('Attention', [q, k, v, ...(mask ? [mask] : [])], attributes, { outputs });
  } else {
    if (needWeights) return undefined;
    const inputs = [q, k, v, ...(mask ? ['', '', mask] : [])];
    mixed = graph.add('MultiHeadAttention', inputs, { num_heads: heads }, { domain: 'com.microsoft' });
  }
  graph.add('MatMul', [mixed, wo], {}, { outputs: ['output'] });
  return graph.bytes();
}

function maskOf(graph, lengths, rows, n) {
  const data = lengths.flatMap((length) => [...bias(rows, n, () => length)]);
  return graph.constant(Float32Array.from(data), [lengths.length, 1, rows, n]);
}

/**
 * The cache is an input of every call and an output one token longer, because a session keeps nothing between two runs.
 */
function decoding(way, { past, width, heads }, parameters) {
  const graph = new Graph();
  const d = width / heads;
  const token = graph.input('token', [1, 1, width]);
  const [wq, wk, wv, wo] = projections(graph, parameters, width);
  const pastKey = graph.input('pastKey', [1, heads, past, d]);
  const pastValue = graph.input('pastValue', [1, heads, past, d]);
  graph.output('output', [1, 1, width]);
  graph.output('presentKey', [1, heads, past + 1, d]);
  graph.output('presentValue', [1, heads, past + 1, d]);
  const [q, k, v] = [wq, wk, wv].map((w) => graph.add('MatMul', [token, w]));
  const outputs = ['mixed', 'presentKey', 'presentValue'];
  let mixed;
  if (way === 'decomposed') {
    const split = (p) => graph.reshape(p, [1, heads, 1, d]);
    const append = (before, p, name) => graph.add('Concat', [before, split(p)], { axis: 2 }, { outputs: [name] });
    const keys = append(pastKey, k, 'presentKey');
    const values = append(pastValue, v, 'presentValue');
    mixed = graph.reshape(decomposed(graph, split(q), keys, values, d), [1, 1, width]);
  } else if (way === 'attention') {
    const attributes = { q_num_heads: heads, kv_num_heads: heads };
    mixed = graph.add('Attention', [q, k, v, '', pastKey, pastValue], attributes, { outputs });
  } else {
    const inputs = [q, k, v, '', '', '', pastKey, pastValue];
    mixed = graph.add('MultiHeadAttention', inputs, { num_heads: heads }, { domain: 'com.microsoft', outputs });
  }
  graph.add('MatMul', [mixed, wo], {}, { outputs: ['output'] });
  return graph.bytes();
}

const WAYS = ['decomposed', 'attention', 'multi-head'];

/** The model's bytes for a problem, or undefined if `way` has no graph for it. */
export function graphOf(way, problem) {
  const { kind, params, parameters } = problem;
  if (kind === 'encoder') return encoder(way, problem);
  if (kind === 'languageModel') return decoder(way, problem);
  if (kind === 'vision') return vision(way, problem);
  if (kind === 'quantised') return quantised(way, problem);
  if (!WAYS.includes(way)) return undefined;
  if (kind === 'attention') return attention(way, params);
  if (kind === 'multiHead') return multiHead(way, params, parameters);
  if (kind === 'decoding') return decoding(way, params, parameters);
  if (way !== 'decomposed') return undefined;
  if (kind === 'table') return table(params);
  if (kind === 'addTable') return addTable(params, problem.table);
  if (kind === 'softmax') return softmax(params, problem.lengths);
  if (kind === 'matmul') return matmul(params);
  return undefined;
}
