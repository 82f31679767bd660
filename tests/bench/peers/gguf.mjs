/**
 * A checkpoint of the Llama family as a GGUF file, llama.cpp's format:
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
const ALIGNMENT = 32;
/** Numbers of metadata's types. */
const TYPES = { u32: 4, f32: 6, string: 8 };
/** Numbers of tensors' types, and the bytes of each. */
const ENCODINGS = {
  float32: { type: 0, encode: (data) => data },
  float16: { type: 1, encode: (data) => new Float16Array(data) },
  int8: { type: 8, encode: q8 },
};

/** The bits of a float16 of at least 0: Node 20 has none. */
function float16(value) {
  const exponent = Math.max(Math.floor(Math.log2(value)), -14);
  return (exponent + 14) * 1024 + Math.round(value * 2 ** (10 - exponent));
}

/** Q8_0: blocks of a float16 scale and 32 bytes. */
function q8(data) {
  const blocks = data.length / 32;
  const bytes = new DataView(new ArrayBuffer(34 * blocks));
  for (let block = 0; block < blocks; ++block) {
    let most = 0;
    for (let i = 0; i < 32; ++i) most = Math.max(most, Math.abs(data[32 * block + i]));
    const scale = most / 127;
    bytes.setUint16(34 * block, float16(scale), true);
    for (let i = 0; i < 32; ++i) bytes.setInt8(34 * block + 2 + i, Math.round(data[32 * block + i] / scale || 0));
  }
  return bytes;
}

/** llama.cpp turns neighbours, not halves: rows i and i + width / 2 of each head become rows 2i and 2i + 1. */
function interleaved({ data, shape: [rows, columns] }, heads) {
  const width = rows / heads;
  const out = new Float32Array(data.length);
  for (let row = 0; row < rows; ++row) {
    const [head, i] = [Math.floor(row / width), row % width];
    const from = head * width + (i % 2) * (width / 2) + Math.floor(i / 2);
    out.set(data.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return { data: out, shape: [rows, columns] };
}

const NAMES = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

function renamed(name) {
  const [, layer, part] = /^(?:model\.layers\.(\d+)\.)?(.*)\.weight$/.exec(name);
  return `${layer === undefined ? '' : `blk.${layer}.`}${NAMES[part]}.weight`;
}

function metadata(config) {
  const width = config.hidden_size / config.num_attention_heads;
  return {
    'general.architecture': ['string', 'llama'],
    'llama.block_count': ['u32', config.num_hidden_layers],
    'llama.context_length': ['u32', config.max_position_embeddings],
    'llama.embedding_length': ['u32', config.hidden_size],
    'llama.feed_forward_length': ['u32', config.intermediate_size],
    'llama.attention.head_count': ['u32', config.num_attention_heads],
    'llama.attention.head_count_kv': ['u32', config.num_key_value_heads],
    'llama.attention.layer_norm_rms_epsilon': ['f32', config.rms_norm_eps],
    'llama.rope.dimension_count': ['u32', width],
    'llama.rope.freq_base': ['f32', config.rope_theta],
    'llama.vocab_size': ['u32', config.vocab_size],
    // The benchmark passes ids.
    'tokenizer.ggml.model': ['string', 'no_vocab'],
  };
}

/** The parts of the file, whose matrices are float32, float16 or, as Q8_0, int8. */
export function gguf(config, tensors, weightType) {
  const head = [];
  const put = (bytes, method, value) => {
    const view = new DataView(new ArrayBuffer(bytes));
    view[method](0, value, true);
    head.push(view);
  };
  const put32 = (value) => put(4, 'setUint32', value);
  const put64 = (value) => put(8, 'setBigUint64', BigInt(value));
  const putString = (text) => {
    const bytes = new TextEncoder().encode(text);
    put64(bytes.length);
    head.push(bytes);
  };
  const putValue = { u32: put32, f32: (value) => put(4, 'setFloat32', value), string: putString };
  const values = Object.entries(metadata(config));

  head.push(new TextEncoder().encode('GGUF'));
  put32(3);
  put64(Object.keys(tensors).length);
  put64(values.length);
  for (const [key, [type, value]] of values) {
    putString(key);
    put32(TYPES[type]);
    putValue[type](value);
  }
  const data = [];
  let at = 0;
  for (const [name, tensor] of Object.entries(tensors)) {
    const { type, encode } = ENCODINGS[tensor.shape.length === 1 ? 'float32' : weightType];
    const heads = { q: config.num_attention_heads, k: config.num_key_value_heads }[/(.)_proj/.exec(name)?.[1]];
    const part = encode((heads ? interleaved(tensor, heads) : tensor).data);
    putString(renamed(name));
    put32(tensor.shape.length);
    // The innermost first.
    for (const size of tensor.shape.toReversed()) put64(size);
    put32(type);
    put64(at);
    const padding = -part.byteLength & (ALIGNMENT - 1);
    data.push(part, new Uint8Array(padding));
    at += part.byteLength + padding;
  }
  const length = head.reduce((sum, part) => sum + part.byteLength, 0);
  return [...head, new Uint8Array(-length & (ALIGNMENT - 1)), ...data];
}
