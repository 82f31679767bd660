/**
 * BERT as an ONNX graph, with decomposed attention or with onnxruntime's own; in int8, with products as the tools that
 * quantise published graphs write them, or with the operator that onnxruntime joins them to.
 */
import { transpose } from './dense.mjs';
import { Graph } from './onnx-model.mjs';
import { decomposed } from './ort-graphs.mjs';
import { dynamicProduct, integerProduct, roundedOf } from './ort-quantised.mjs';

export function encoder(way, { params, tensors }) {
  const ways = params.weightType ? ['integer', 'dynamic'] : ['decomposed', 'multi-head'];
  if (!ways.includes(way) || params.needWeights) return undefined;
  const { layers, width, heads, batch, tokens } = params;
  const graph = new Graph();
  const d = width / heads;
  const constant = (name) => graph.constant(tensors[name].data, tensors[name].shape);
  const norm = (x, name, names) =>
    graph.add(
      'LayerNormalization',
      [x, constant(`${name}.weight`), constant(`${name}.bias`)],
      { epsilon: { float: 1e-12 } },
      names,
    );
  // Of queries, keys and values once.
  let last;
  const roundedOnce = (x) => (last?.x === x ? last : (last = { x, rounded: roundedOf(graph, x) })).rounded;
  const product = (x, { data, shape }) => {
    if (way === 'integer') return integerProduct(graph, roundedOnce(x), data, ...shape);
    if (way === 'dynamic') return dynamicProduct(graph, x, data, ...shape);
    return graph.add('MatMul', [x, graph.constant(transpose(data, ...shape), [...shape].reverse())]);
  };
  const linear = (x, name) => graph.add('Add', [product(x, tensors[`${name}.weight`]), constant(`${name}.bias`)]);

  const ids = graph.input('ids', [batch, tokens], BigInt64Array);
  graph.output('hidden', [batch, tokens, width]);
  const words = graph.add('Gather', [constant('embeddings.word_embeddings.weight'), ids]);
  const positions = tensors['embeddings.position_embeddings.weight'].data.slice(0, tokens * width);
  const types = tensors['embeddings.token_type_embeddings.weight'].data;
  for (let i = 0; i < positions.length; ++i) positions[i] += types[i % width];
  let x = norm(graph.add('Add', [words, graph.constant(positions, [1, tokens, width])]), 'embeddings.LayerNorm');
  for (let layer = 0; layer < layers; ++layer) {
    const at = `encoder.layer.${layer}`;
    const [q, k, v] = ['query', 'key', 'value'].map((name) => linear(x, `${at}.attention.self.${name}`));
    let mixed;
    if (way !== 'multi-head') {
      const split = (p) => graph.transpose(graph.reshape(p, [batch, tokens, heads, d]), [0, 2, 1, 3]);
      const out = decomposed(graph, split(q), split(k), split(v), d);
      mixed = graph.reshape(graph.transpose(out, [0, 2, 1, 3]), [batch, tokens, width]);
    } else {
      mixed = graph.add('MultiHeadAttention', [q, k, v], { num_heads: heads }, { domain: 'com.microsoft' });
    }
    const attended = graph.add('Add', [x, linear(mixed, `${at}.attention.output.dense`)]);
    x = norm(attended, `${at}.attention.output.LayerNorm`);
    const hidden = graph.add('Gelu', [linear(x, `${at}.intermediate.dense`)]);
    const sum = graph.add('Add', [x, linear(hidden, `${at}.output.dense`)]);
    x = norm(sum, `${at}.output.LayerNorm`, layer === layers - 1 ? { outputs: ['hidden'] } : {});
  }
  return graph.bytes();
}
