/**
 * Llama as an ONNX graph with opset 23's Attention. Keys and values of the tokens before are inputs, and those of all
 * tokens outputs, because a session keeps nothing between two runs. com.microsoft.GroupQueryAttention, which
 * onnxruntime's own tools write, takes as long for a token and 1.6 times as long for 128 of them in int8.
 */
import { transpose } from './dense.mjs';
import { Graph } from './onnx-model.mjs';
import { dynamicProduct, integerProduct, roundedOf } from './ort-quantised.mjs';

const cacheOf = (layer, time) => ['key', 'value'].map((name) => `${name}${layer}.${time}`);

export function decoder(way, { params: { weightType }, config, tensors }) {
  const ways = { float32: ['attention'], int8: ['integer', 'dynamic'] }[weightType];
  if (!ways?.includes(way)) return undefined;
  const { num_attention_heads: heads, num_key_value_heads: kvHeads, hidden_size: width } = config;
  const { max_position_embeddings: longest, rope_theta: theta, num_hidden_layers: layers, vocab_size } = config;
  const graph = new Graph();
  const d = width / heads;
  const constant = (name) => graph.constant(tensors[name].data, tensors[name].shape);
  const norm = (x, name) =>
    graph.add('RMSNormalization', [x, constant(`${name}.weight`)], { epsilon: { float: config.rms_norm_eps } });
  // Of products with the same input once.
  let last;
  const roundedOnce = (x) => (last?.x === x ? last : (last = { x, rounded: roundedOf(graph, x) })).rounded;
  const linear = (x, name, names) => {
    const { data, shape } = tensors[`${name}.weight`];
    if (way === 'integer') return integerProduct(graph, roundedOnce(x), data, ...shape, names);
    if (way === 'dynamic') return dynamicProduct(graph, x, data, ...shape, names);
    return graph.add('MatMul', [x, graph.constant(transpose(data, ...shape), [...shape].reverse())], {}, names);
  };

  const [ids, positions] = ['ids', 'positions'].map((name) => graph.input(name, [1, 'tokens'], BigInt64Array));
  graph.output('logits', [1, 1, vocab_size]);
  const half = d / 2;
  const angles = Array.from({ length: longest * half }, (_, i) => Math.floor(i / half) * theta ** (-(i % half) / half));
  const tables = [Math.cos, Math.sin].map((of) => graph.constant(Float32Array.from(angles, of), [longest, half]));
  const turned = (x, num_heads) => graph.add('RotaryEmbedding', [x, ...tables, positions], { num_heads });

  let x = graph.add('Gather', [constant('model.embed_tokens.weight'), ids]);
  for (let layer = 0; layer < layers; ++layer) {
    const at = `model.layers.${layer}`;
    const past = cacheOf(layer, 'past').map((name) => graph.input(name, [1, kvHeads, 'past', d]));
    const present = cacheOf(layer, 'present').map((name) => graph.output(name, [1, kvHeads, 'all', d]));
    const before = norm(x, `${at}.input_layernorm`);
    const [q, k, v] = ['q', 'k', 'v'].map((name) => linear(before, `${at}.self_attn.${name}_proj`));
    const mixed = graph.add(
      'Attention',
      [turned(q, heads), turned(k, kvHeads), v, '', ...past],
      { q_num_heads: heads, kv_num_heads: kvHeads, is_causal: 1 },
      { outputs: [graph.name('mixed'), ...present] },
    );
    x = graph.add('Add', [x, linear(mixed, `${at}.self_attn.o_proj`)]);
    const normed = norm(x, `${at}.post_attention_layernorm`);
    const [gate, up] = ['gate', 'up'].map((name) => linear(normed, `${at}.mlp.${name}_proj`));
    const hidden = graph.add('Mul', [graph.add('Mul', [gate, graph.add('Sigmoid', [gate])]), up]);
    x = graph.add('Add', [x, linear(hidden, `${at}.mlp.down_proj`)]);
  }
  const lastToken = graph.add('Gather', [x, graph.constant(BigInt64Array.of(-1n), [1])], { axis: 1 });
  linear(norm(lastToken, 'model.norm'), 'model.embed_tokens', { outputs: ['logits'] });
  return graph.bytes();
}

/** The inputs of a pass of `ids` after the tokens of `history`, whose keys and values `run` computes. */
export async function decoderFeeds({ config, history, ids }, run) {
  const { num_attention_heads: heads, num_key_value_heads: kvHeads, hidden_size: width } = config;
  const row = (values) => [BigInt64Array.from(values, BigInt), [1, values.length], 'int64'];
  const feedsOf = (tokens, length, outputs) => {
    const feeds = { ids: row(tokens), positions: row(tokens.map((_, i) => length + i)) };
    for (let layer = 0; layer < config.num_hidden_layers; ++layer) {
      const present = cacheOf(layer, 'present');
      cacheOf(layer, 'past').forEach((name, i) => {
        feeds[name] = [outputs[present[i]] ?? new Float32Array(), [1, kvHeads, length, width / heads]];
      });
    }
    return feeds;
  };
  return feedsOf(ids, history.length, history.length ? await run(feedsOf(history, 0, {})) : {});
}
