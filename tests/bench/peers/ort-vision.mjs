/** A ViT as an ONNX graph, with decomposed attention, with ONNX's Attention or with onnxruntime's own. */
import { transpose } from './dense.mjs';
import { Graph } from './onnx-model.mjs';
import { decomposed } from './ort-graphs.mjs';

export function vision(way, { params, tensors }) {
  if (!['decomposed', 'attention', 'multi-head'].includes(way)) return undefined;
  const { layers, width, heads, side, patches, patch, batch } = params;
  const graph = new Graph();
  const d = width / heads;
  const tokens = patches + 1;
  const constant = (name, shape = tensors[name].shape) => graph.constant(tensors[name].data, shape);
  const norm = (x, name, names) =>
    graph.add(
      'LayerNormalization',
      [x, constant(`${name}.weight`), constant(`${name}.bias`)],
      { epsilon: { float: 1e-12 } },
      names,
    );
  const linear = (x, name) => {
    const { data, shape } = tensors[`${name}.weight`];
    const weight = graph.constant(transpose(data, ...shape), [...shape].reverse());
    return graph.add('Add', [graph.add('MatMul', [x, weight]), constant(`${name}.bias`)]);
  };
  const attention = (q, k, v) => {
    if (way === 'attention') return graph.add('Attention', [q, k, v], { q_num_heads: heads, kv_num_heads: heads });
    if (way === 'multi-head') {
      return graph.add('MultiHeadAttention', [q, k, v], { num_heads: heads }, { domain: 'com.microsoft' });
    }
    const split = (p) => graph.transpose(graph.reshape(p, [batch, tokens, heads, d]), [0, 2, 1, 3]);
    const out = decomposed(graph, split(q), split(k), split(v), d);
    return graph.reshape(graph.transpose(out, [0, 2, 1, 3]), [batch, tokens, width]);
  };

  const pixels = graph.input('pixels', [batch, 3, side, side]);
  graph.output('hidden', [batch, tokens, width]);
  const embedding = 'embeddings.patch_embeddings.projection';
  const maps = graph.add('Conv', [pixels, constant(`${embedding}.weight`), constant(`${embedding}.bias`)], {
    strides: [patch, patch],
    kernel_shape: [patch, patch],
  });
  const rows = graph.transpose(graph.reshape(maps, [batch, width, patches]), [0, 2, 1]);
  const { data } = tensors['embeddings.cls_token'];
  const first = graph.constant(
    Float32Array.from({ length: batch * width }, (_, i) => data[i % width]),
    [batch, 1, width],
  );
  let x = graph.add('Add', [
    graph.add('Concat', [first, rows], { axis: 1 }),
    constant('embeddings.position_embeddings'),
  ]);
  for (let layer = 0; layer < layers; ++layer) {
    const at = `encoder.layer.${layer}`;
    const before = norm(x, `${at}.layernorm_before`);
    const mixed = attention(
      ...['query', 'key', 'value'].map((name) => linear(before, `${at}.attention.attention.${name}`)),
    );
    x = graph.add('Add', [x, linear(mixed, `${at}.attention.output.dense`)]);
    const hidden = graph.add('Gelu', [linear(norm(x, `${at}.layernorm_after`), `${at}.intermediate.dense`)]);
    x = graph.add('Add', [x, linear(hidden, `${at}.output.dense`)]);
  }
  norm(x, 'layernorm', { outputs: ['hidden'] });
  return graph.bytes();
}
