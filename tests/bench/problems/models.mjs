/** Models of published sizes, with random weights. */
import { writeSafetensors } from '../../../dist/safetensors.js';
import { normal } from '../random.mjs';
import { EPSILON, Errors } from './check.mjs';

/** Tensors by name, of normal numbers, as models begin; norms' weights are around 1. */
function randomTensors(shapes, deviation = 0.02) {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape], seed) => {
      const data = normal(
        shape.reduce((a, b) => a * b),
        100 + seed,
        deviation,
      );
      if (/norm(_\w+)?\.weight$|ln_\w+\.weight$/i.test(name)) data.forEach((value, i) => (data[i] = 1 + value));
      return [name, { data, shape }];
    }),
  );
}

/** Compares all contenders with the first one. */
function alike(name, scale) {
  let first;
  return (outputs) => {
    const errors = new Errors();
    const data = outputs[name];
    if (!data) return errors;
    first ??= data;
    Errors.length(name, data, first.length);
    // A thousand roundings of numbers of this size, which pass through dozens of products and norms.
    for (let i = 0; i < data.length; ++i) errors.compare(data[i], first[i], scale, 1000);
    return errors;
  };
}

/** Expects cosines of at least `least` between rows of the contenders' outputs and those of the first one. */
function aligned(name, width, least = 0.999) {
  let first;
  return (outputs) => {
    const errors = new Errors();
    const data = outputs[name];
    first ??= data;
    Errors.length(name, data, first.length);
    for (let row = 0; row < data.length; row += width) {
      const dot = (a, b) => {
        let sum = 0;
        for (let i = row; i < row + width; ++i) sum += a[i] * b[i];
        return sum;
      };
      const cosine = dot(data, first) / Math.sqrt(dot(data, data) * dot(first, first));
      errors.compare(cosine, 1, (1 - least) / EPSILON, 1);
    }
    return errors;
  };
}

/** BERT, with a small vocabulary, because lookup takes no time. */
export function encoder({ layers, width, heads, hiddens, batch = 1, tokens, needWeights = false, weightType }) {
  const vocabulary = 1000;
  const config = {
    model_type: 'bert',
    vocab_size: vocabulary,
    hidden_size: width,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: hiddens,
    max_position_embeddings: 512,
    type_vocab_size: 2,
    hidden_act: 'gelu',
    layer_norm_eps: 1e-12,
  };
  const norm = (name) => ({ [`${name}.weight`]: [width], [`${name}.bias`]: [width] });
  const linear = (name, rows, cols) => ({ [`${name}.weight`]: [rows, cols], [`${name}.bias`]: [rows] });
  const shapes = {
    'embeddings.word_embeddings.weight': [vocabulary, width],
    'embeddings.position_embeddings.weight': [512, width],
    'embeddings.token_type_embeddings.weight': [2, width],
    ...norm('embeddings.LayerNorm'),
  };
  for (let layer = 0; layer < layers; ++layer) {
    const at = `encoder.layer.${layer}`;
    for (const name of ['query', 'key', 'value'])
      Object.assign(shapes, linear(`${at}.attention.self.${name}`, width, width));
    Object.assign(
      shapes,
      linear(`${at}.attention.output.dense`, width, width),
      norm(`${at}.attention.output.LayerNorm`),
    );
    Object.assign(
      shapes,
      linear(`${at}.intermediate.dense`, hiddens, width),
      linear(`${at}.output.dense`, width, hiddens),
    );
    Object.assign(shapes, norm(`${at}.output.LayerNorm`));
  }
  return {
    kind: 'encoder',
    params: { layers, width, heads, hiddens, batch, tokens, needWeights, weightType },
    config,
    tensors: randomTensors(shapes),
    ids: Array.from({ length: batch * tokens }, (_, i) => (37 * i) % vocabulary),
    flop: batch * layers * (8 * tokens * width ** 2 + 4 * tokens ** 2 * width + 4 * tokens * width * hiddens),
    check: weightType ? aligned('hidden', width) : alike('hidden', 1),
  };
}

/** A ViT without a head, and pictures of normal numbers. */
export function vision({ layers, width, heads, hiddens, side, patch, batch = 1 }) {
  const patches = (side / patch) ** 2;
  const config = {
    model_type: 'vit',
    hidden_size: width,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: hiddens,
    image_size: side,
    patch_size: patch,
  };
  const norm = (name) => ({ [`${name}.weight`]: [width], [`${name}.bias`]: [width] });
  const linear = (name, rows, cols) => ({ [`${name}.weight`]: [rows, cols], [`${name}.bias`]: [rows] });
  const shapes = {
    'embeddings.cls_token': [1, 1, width],
    'embeddings.position_embeddings': [1, patches + 1, width],
    'embeddings.patch_embeddings.projection.weight': [width, 3, patch, patch],
    'embeddings.patch_embeddings.projection.bias': [width],
    ...norm('layernorm'),
  };
  for (let layer = 0; layer < layers; ++layer) {
    const at = `encoder.layer.${layer}`;
    for (const name of ['query', 'key', 'value'])
      Object.assign(shapes, linear(`${at}.attention.attention.${name}`, width, width));
    Object.assign(shapes, linear(`${at}.attention.output.dense`, width, width));
    Object.assign(
      shapes,
      linear(`${at}.intermediate.dense`, hiddens, width),
      linear(`${at}.output.dense`, width, hiddens),
    );
    Object.assign(shapes, norm(`${at}.layernorm_before`), norm(`${at}.layernorm_after`));
  }
  const tokens = patches + 1;
  const block = 8 * tokens * width ** 2 + 4 * tokens ** 2 * width + 4 * tokens * width * hiddens;
  return {
    kind: 'vision',
    params: { layers, width, heads, hiddens, side, patch, patches, batch },
    config,
    tensors: randomTensors(shapes),
    inputs: { pixels: normal(batch * 3 * side ** 2, 7) },
    flop: batch * (layers * block + 2 * patches * 3 * patch ** 2 * width),
    check: alike('hidden', 1),
  };
}

/** Bytes per number of a matrix; int8 has a float32 scale for every 128 numbers of a row. */
const BYTES = { float32: 4, float16: 2, int8: 1 + 4 / 128 };

/**
 * GPT-2's next token with a cache.
 *
 * @param sum whether a sum of the bytes is the baseline; else, of other types than float32, the same with float32
 */
export function nextToken({
  layers,
  width,
  heads,
  vocabulary,
  past,
  weightType = 'float32',
  sum = weightType === 'float32',
}) {
  const config = {
    model_type: 'gpt2',
    vocab_size: vocabulary,
    n_positions: 1024,
    n_embd: width,
    n_layer: layers,
    n_head: heads,
    activation_function: 'gelu_new',
    layer_norm_epsilon: 1e-5,
  };
  const norm = (name) => ({ [`${name}.weight`]: [width], [`${name}.bias`]: [width] });
  const conv = (name, rows, cols) => ({ [`${name}.weight`]: [rows, cols], [`${name}.bias`]: [cols] });
  const shapes = { 'wte.weight': [vocabulary, width], 'wpe.weight': [1024, width], ...norm('ln_f') };
  for (let layer = 0; layer < layers; ++layer) {
    const at = `h.${layer}`;
    Object.assign(shapes, norm(`${at}.ln_1`), conv(`${at}.attn.c_attn`, width, 3 * width));
    Object.assign(shapes, conv(`${at}.attn.c_proj`, width, width), norm(`${at}.ln_2`));
    Object.assign(shapes, conv(`${at}.mlp.c_fc`, width, 4 * width), conv(`${at}.mlp.c_proj`, 4 * width, width));
  }
  const block = 12 * width ** 2 + 13 * width;
  return {
    kind: 'nextToken',
    params: { weightType, sum },
    config,
    tensors: randomTensors(shapes),
    history: Array.from({ length: past }, (_, i) => i),
    ids: [past],
    /** What one token reads: all matrices, and the keys and values of those before it. */
    bytes: Math.round(BYTES[weightType] * (layers * block + vocabulary * width) + 4 * 2 * layers * past * width),
    check: weightType === 'float32' ? alike('logits', 1) : () => new Errors(),
  };
}

/** SmolLM2-135M's sizes: a pass of `count` tokens after `past` ones. */
export function smolLM2({ past, count, weightType }) {
  const [layers, width, kvWidth, hiddens, vocabulary] = [30, 576, 192, 1536, 49152];
  const config = {
    model_type: 'llama',
    vocab_size: vocabulary,
    hidden_size: width,
    num_hidden_layers: layers,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    intermediate_size: hiddens,
    max_position_embeddings: 2048,
    rope_theta: 100000,
    rms_norm_eps: 1e-5,
    hidden_act: 'silu',
    tie_word_embeddings: true,
  };
  const shapes = { 'model.embed_tokens.weight': [vocabulary, width], 'model.norm.weight': [width] };
  for (let layer = 0; layer < layers; ++layer) {
    const at = `model.layers.${layer}`;
    Object.assign(shapes, {
      [`${at}.input_layernorm.weight`]: [width],
      [`${at}.self_attn.q_proj.weight`]: [width, width],
      [`${at}.self_attn.k_proj.weight`]: [kvWidth, width],
      [`${at}.self_attn.v_proj.weight`]: [kvWidth, width],
      [`${at}.self_attn.o_proj.weight`]: [width, width],
      [`${at}.post_attention_layernorm.weight`]: [width],
      [`${at}.mlp.gate_proj.weight`]: [hiddens, width],
      [`${at}.mlp.up_proj.weight`]: [hiddens, width],
      [`${at}.mlp.down_proj.weight`]: [width, hiddens],
    });
  }
  const tokens = Array.from({ length: past + count }, (_, i) => (9973 * i) % vocabulary);
  return {
    kind: 'languageModel',
    params: { weightType },
    config,
    // The standard deviation with which SmolLM2 began.
    tensors: randomTensors(shapes, 1 / 24),
    history: tokens.slice(0, past),
    ids: tokens.slice(past),
    tokens: count,
    check: aligned('logits', vocabulary, weightType === 'int8' ? 0.95 : 0.999),
  };
}

/** Opens and drops a file of this size. */
export function opening({ bytes }) {
  const width = 1024;
  // A matrix of a layer has 12·width² numbers.
  const layers = Math.round(bytes / 4 / (12 * width ** 2));
  const { config, tensors } = encoder({ layers, width, heads: 16, hiddens: 4 * width, tokens: 1 });
  return {
    kind: 'opening',
    params: {},
    config,
    file: new Uint8Array(writeSafetensors(tensors)),
    collect: true,
    check: () => new Errors(),
  };
}
