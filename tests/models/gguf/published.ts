/** Small models with random weights as GGUF files, and as configs and tensors of transformers. */
import type { Tensor } from 'wasm-attention';
import { BLOCKS, dequantised, type Block } from '../../reference/blocks.js';
import { Random } from '../../support/random.js';
import type { FileTensor, Keys } from './writer.js';

export const WIDTH = 256;
const [HEADS, KV_HEADS, HEAD, FFN, VOCAB, LENGTH] = [4, 2, 64, 256, 48, 64] as const;

type Tensors = Record<string, Tensor>;

/** A tensor of the file; what it is in transformers' names and order of rows. */
interface Part {
  readonly name: string;
  readonly shape: readonly number[];
  readonly of: (values: Tensor) => Tensors;
  /** What the file has 1 more of: the sizes of numbers. */
  readonly isNorm?: boolean;
}

interface Published {
  readonly keys: Keys;
  readonly config: Record<string, unknown>;
  readonly parts: readonly Part[];
}

const as = (name: string) => (tensor: Tensor) => ({ [name]: tensor });

/** Rows 2i and 2i + 1 of each head are rows i and i + width/2. */
const paired = (name: string) => (tensor: Tensor) => {
  const { data, shape } = tensor;
  const columns = shape[1] ?? 1;
  const out = new Float32Array(data.length);
  for (let row = 0; row < shape[0]!; ++row) {
    const [head, i] = [Math.floor(row / HEAD), row % HEAD];
    const to = head * HEAD + (i % 2) * (HEAD / 2) + Math.floor(i / 2);
    out.set(data.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return { [name]: { data: out, shape } };
};

const transposed = (name: string) => (tensor: Tensor) => {
  const [rows, columns] = tensor.shape as [number, number];
  const data = new Float32Array(rows * columns);
  for (let r = 0; r < rows; ++r) for (let c = 0; c < columns; ++c) data[c * rows + r] = tensor.data[r * columns + c]!;
  return { [name]: { data, shape: [columns, rows] } };
};

const lessOne =
  (name: string) =>
  ({ data, shape }: Tensor) => ({ [name]: { data: data.map((x) => x - 1), shape } });

const vector = (name: string, length: number, of: Part['of'], isNorm = false): Part => ({
  name,
  shape: [length],
  of,
  isNorm,
});

function keysOf(architecture: string, own: Keys): Keys {
  const entries = Object.entries({
    block_count: ['u32', 1],
    context_length: ['u32', LENGTH],
    embedding_length: ['u32', WIDTH],
    feed_forward_length: ['u32', FFN],
    'attention.head_count': ['u32', HEADS],
    ...own,
  } as Keys);
  return {
    'general.architecture': ['string', architecture],
    ...Object.fromEntries(entries.map(([key, value]) => [`${architecture}.${key}`, value])),
  };
}

const rms: Keys = { 'attention.layer_norm_rms_epsilon': ['f32', 1e-6], 'attention.head_count_kv': ['u32', KV_HEADS] };

const decoderConfig = {
  hidden_size: WIDTH,
  intermediate_size: FFN,
  num_hidden_layers: 1,
  num_attention_heads: HEADS,
  num_key_value_heads: KV_HEADS,
  vocab_size: VOCAB,
  rms_norm_eps: 1e-6,
  max_position_embeddings: LENGTH,
  tie_word_embeddings: true,
};

const AT = 'model.layers.0';

/** Decoders with rotary positions, without the maps of queries and keys. */
const decoderParts = (norm = as): Part[] => [
  { name: 'token_embd.weight', shape: [VOCAB, WIDTH], of: as('model.embed_tokens.weight') },
  vector('output_norm.weight', WIDTH, norm('model.norm.weight'), true),
  vector('blk.0.attn_norm.weight', WIDTH, norm(`${AT}.input_layernorm.weight`), true),
  { name: 'blk.0.attn_v.weight', shape: [KV_HEADS * HEAD, WIDTH], of: as(`${AT}.self_attn.v_proj.weight`) },
  { name: 'blk.0.attn_output.weight', shape: [WIDTH, HEADS * HEAD], of: as(`${AT}.self_attn.o_proj.weight`) },
  vector('blk.0.ffn_norm.weight', WIDTH, norm(`${AT}.post_attention_layernorm.weight`), true),
  { name: 'blk.0.ffn_gate.weight', shape: [FFN, WIDTH], of: as(`${AT}.mlp.gate_proj.weight`) },
  { name: 'blk.0.ffn_up.weight', shape: [FFN, WIDTH], of: as(`${AT}.mlp.up_proj.weight`) },
  { name: 'blk.0.ffn_down.weight', shape: [WIDTH, FFN], of: as(`${AT}.mlp.down_proj.weight`) },
];

const queriesAndKeys = (of: (name: string) => Part['of']): Part[] => [
  { name: 'blk.0.attn_q.weight', shape: [HEADS * HEAD, WIDTH], of: of(`${AT}.self_attn.q_proj.weight`) },
  { name: 'blk.0.attn_k.weight', shape: [KV_HEADS * HEAD, WIDTH], of: of(`${AT}.self_attn.k_proj.weight`) },
];

const headNorms = (of = as): Part[] => [
  vector('blk.0.attn_q_norm.weight', HEAD, of(`${AT}.self_attn.q_norm.weight`), true),
  vector('blk.0.attn_k_norm.weight', HEAD, of(`${AT}.self_attn.k_norm.weight`), true),
];

const without = (parts: readonly Part[], ...names: string[]) =>
  parts.filter(({ name }) => !names.some((each) => name.includes(each)));

const gpt2Map = (name: string, to: string, rows: number, columns: number): Part[] => [
  { name: `blk.0.${name}.weight`, shape: [rows, columns], of: transposed(`transformer.h.0.${to}.weight`) },
  vector(`blk.0.${name}.bias`, rows, as(`transformer.h.0.${to}.bias`)),
];

const layerNorm = (name: string, to: string): Part[] => [
  vector(`${name}.weight`, WIDTH, as(`${to}.weight`), true),
  vector(`${name}.bias`, WIDTH, as(`${to}.bias`)),
];

const map = (name: string, to: string): Part[] => [
  { name: `${name}.weight`, shape: [WIDTH, WIDTH], of: as(`${to}.weight`) },
  vector(`${name}.bias`, WIDTH, as(`${to}.bias`)),
];

const encoderParts: Part[] = [
  { name: 'token_embd.weight', shape: [VOCAB, WIDTH], of: as('embeddings.word_embeddings.weight') },
  { name: 'token_types.weight', shape: [2, WIDTH], of: as('embeddings.token_type_embeddings.weight') },
];

export const PUBLISHED: Readonly<Record<string, Published>> = {
  llama: {
    keys: keysOf('llama', rms),
    config: { ...decoderConfig, model_type: 'llama', attention_bias: true, tie_word_embeddings: false },
    parts: [
      ...decoderParts(),
      ...queriesAndKeys(paired),
      { name: 'output.weight', shape: [VOCAB, WIDTH], of: as('lm_head.weight') },
      vector('blk.0.attn_q.bias', HEADS * HEAD, paired(`${AT}.self_attn.q_proj.bias`)),
      vector('blk.0.attn_k.bias', KV_HEADS * HEAD, paired(`${AT}.self_attn.k_proj.bias`)),
      vector('blk.0.attn_v.bias', KV_HEADS * HEAD, as(`${AT}.self_attn.v_proj.bias`)),
      vector('blk.0.attn_output.bias', WIDTH, as(`${AT}.self_attn.o_proj.bias`)),
    ],
  },
  qwen2: {
    keys: keysOf('qwen2', { ...rms, 'rope.freq_base': ['f32', 1e6] }),
    config: { ...decoderConfig, model_type: 'qwen2', rope_theta: 1e6 },
    parts: [
      ...decoderParts(),
      ...queriesAndKeys(as),
      vector('blk.0.attn_q.bias', HEADS * HEAD, as(`${AT}.self_attn.q_proj.bias`)),
      vector('blk.0.attn_k.bias', KV_HEADS * HEAD, as(`${AT}.self_attn.k_proj.bias`)),
      vector('blk.0.attn_v.bias', KV_HEADS * HEAD, as(`${AT}.self_attn.v_proj.bias`)),
    ],
  },
  qwen3: {
    // A list by layer, and heads that are together wider than the model.
    keys: keysOf('qwen3', {
      ...rms,
      'attention.head_count': ['u32', 2 * HEADS],
      'attention.head_count_kv': ['list', 'i32', [KV_HEADS]],
      'attention.key_length': ['u64', HEAD],
      'attention.value_length': ['u64', HEAD],
    }),
    config: { ...decoderConfig, model_type: 'qwen3', head_dim: HEAD, num_attention_heads: 2 * HEADS },
    parts: [
      ...without(decoderParts(), 'attn_output'),
      {
        name: 'blk.0.attn_output.weight',
        shape: [WIDTH, 2 * HEADS * HEAD],
        of: as(`${AT}.self_attn.o_proj.weight`),
      },
      { name: 'blk.0.attn_q.weight', shape: [2 * HEADS * HEAD, WIDTH], of: as(`${AT}.self_attn.q_proj.weight`) },
      ...queriesAndKeys(as).slice(1),
      ...headNorms(),
    ],
  },
  gemma3: {
    keys: keysOf('gemma3', {
      ...rms,
      'attention.sliding_window': ['u32', 4],
      'attention.key_length': ['u32', HEAD],
      'rope.freq_base': ['f32', 1e6],
      'rope.freq_base_swa': ['f32', 20000],
      final_logit_softcapping: ['f32', 30],
    }),
    config: {
      ...decoderConfig,
      model_type: 'gemma3_text',
      head_dim: HEAD,
      query_pre_attn_scalar: HEAD,
      sliding_window: 4,
      rope_theta: 1e6,
      rope_local_base_freq: 20000,
      final_logit_softcapping: 30,
    },
    parts: [
      ...without(decoderParts(lessOne), 'ffn_norm'),
      ...queriesAndKeys(as),
      ...headNorms(lessOne),
      vector('blk.0.post_attention_norm.weight', WIDTH, lessOne(`${AT}.post_attention_layernorm.weight`), true),
      vector('blk.0.ffn_norm.weight', WIDTH, lessOne(`${AT}.pre_feedforward_layernorm.weight`), true),
      vector('blk.0.post_ffw_norm.weight', WIDTH, lessOne(`${AT}.post_feedforward_layernorm.weight`), true),
    ],
  },
  smollm3: {
    keys: keysOf('smollm3', { ...rms, 'rope.freq_base': ['f64', 5e6] }),
    config: { ...decoderConfig, model_type: 'smollm3', rope_theta: 5e6 },
    parts: [...decoderParts(), ...queriesAndKeys(paired)],
  },
  phi3: {
    keys: keysOf('phi3', {
      ...rms,
      'rope.dimension_count': ['u32', 48],
      'rope.scaling.original_context_length': ['u32', LENGTH],
      'attention.sliding_window': ['u32', 5],
    }),
    config: {
      ...decoderConfig,
      model_type: 'phi3',
      partial_rotary_factor: 0.75,
      original_max_position_embeddings: LENGTH,
      sliding_window: 5,
    },
    parts: [
      ...without(decoderParts(), 'attn_v', 'ffn_gate', 'ffn_up'),
      {
        name: 'blk.0.attn_qkv.weight',
        shape: [(HEADS + 2 * KV_HEADS) * HEAD, WIDTH],
        of: as(`${AT}.self_attn.qkv_proj.weight`),
      },
      { name: 'blk.0.ffn_up.weight', shape: [2 * FFN, WIDTH], of: as(`${AT}.mlp.gate_up_proj.weight`) },
    ],
  },
  gpt2: {
    keys: keysOf('gpt2', { 'attention.layer_norm_epsilon': ['f32', 1e-5] }),
    config: {
      model_type: 'gpt2',
      n_embd: WIDTH,
      n_head: HEADS,
      n_layer: 1,
      n_positions: LENGTH,
      n_inner: FFN,
      vocab_size: VOCAB,
    },
    parts: [
      { name: 'token_embd.weight', shape: [VOCAB, WIDTH], of: as('transformer.wte.weight') },
      { name: 'position_embd.weight', shape: [LENGTH, WIDTH], of: as('transformer.wpe.weight') },
      ...layerNorm('output_norm', 'transformer.ln_f'),
      ...layerNorm('blk.0.attn_norm', 'transformer.h.0.ln_1'),
      ...layerNorm('blk.0.ffn_norm', 'transformer.h.0.ln_2'),
      ...gpt2Map('attn_qkv', 'attn.c_attn', 3 * WIDTH, WIDTH),
      ...gpt2Map('attn_output', 'attn.c_proj', WIDTH, WIDTH),
      ...gpt2Map('ffn_up', 'mlp.c_fc', FFN, WIDTH),
      ...gpt2Map('ffn_down', 'mlp.c_proj', WIDTH, FFN),
    ],
  },
  bert: {
    keys: keysOf('bert', { 'attention.layer_norm_epsilon': ['f32', 1e-12], 'attention.causal': ['bool', 0] }),
    config: {
      model_type: 'bert',
      hidden_size: WIDTH,
      intermediate_size: FFN,
      num_hidden_layers: 1,
      num_attention_heads: HEADS,
      vocab_size: VOCAB,
      max_position_embeddings: LENGTH,
      type_vocab_size: 2,
    },
    parts: [
      ...encoderParts,
      { name: 'position_embd.weight', shape: [LENGTH, WIDTH], of: as('embeddings.position_embeddings.weight') },
      ...layerNorm('token_embd_norm', 'embeddings.LayerNorm'),
      ...map('blk.0.attn_q', 'encoder.layer.0.attention.self.query'),
      ...map('blk.0.attn_k', 'encoder.layer.0.attention.self.key'),
      ...map('blk.0.attn_v', 'encoder.layer.0.attention.self.value'),
      ...map('blk.0.attn_output', 'encoder.layer.0.attention.output.dense'),
      ...layerNorm('blk.0.attn_output_norm', 'encoder.layer.0.attention.output.LayerNorm'),
      ...map('blk.0.ffn_up', 'encoder.layer.0.intermediate.dense'),
      ...map('blk.0.ffn_down', 'encoder.layer.0.output.dense'),
      ...layerNorm('blk.0.layer_output_norm', 'encoder.layer.0.output.LayerNorm'),
    ],
  },
  'nomic-bert': {
    keys: keysOf('nomic-bert', {
      'attention.layer_norm_epsilon': ['f32', 1e-12],
      'attention.causal': ['bool', 0],
      'rope.freq_base': ['f32', 1000],
    }),
    config: {
      model_type: 'nomic_bert',
      n_embd: WIDTH,
      n_inner: FFN,
      n_layer: 1,
      n_head: HEADS,
      vocab_size: VOCAB,
      n_positions: LENGTH,
      type_vocab_size: 2,
      activation_function: 'swiglu',
    },
    parts: [
      ...encoderParts,
      ...layerNorm('token_embd_norm', 'emb_ln'),
      { name: 'blk.0.attn_qkv.weight', shape: [3 * WIDTH, WIDTH], of: as('encoder.layers.0.attn.Wqkv.weight') },
      ...map('blk.0.attn_output', 'encoder.layers.0.attn.out_proj').slice(0, 1),
      ...layerNorm('blk.0.attn_output_norm', 'encoder.layers.0.norm1'),
      ...map('blk.0.ffn_up', 'encoder.layers.0.mlp.fc11').slice(0, 1),
      ...map('blk.0.ffn_gate', 'encoder.layers.0.mlp.fc12').slice(0, 1),
      ...map('blk.0.ffn_down', 'encoder.layers.0.mlp.fc2').slice(0, 1),
      ...layerNorm('blk.0.layer_output_norm', 'encoder.layers.0.norm2'),
    ],
  },
};

/** Blocks of random bits, whose scales are small and of both signs. */
export function randomBlocks({ values, size, halves }: Block, count: number, random: Random): Uint8Array {
  const bytes = Uint8Array.from({ length: (count / values) * size }, () => random.integer(0, 255));
  for (let block = 0; block < bytes.length; block += size) {
    // 2^-12 to 2^-8.
    for (const at of halves) bytes[block + at + 1] = (random.integer(3, 6) << 2) | (random.integer(0, 1) << 7);
  }
  return bytes;
}

/** Tensors of a file whose matrices have a type, and the same under transformers' names. */
export function modelOf(architecture: string, type: string, seed = 1): { tensors: FileTensor[]; expected: Tensors } {
  const random = new Random(seed);
  const expected: Tensors = {};
  const tensors = PUBLISHED[architecture]!.parts.map(({ name, shape, of, isNorm }) => {
    const isPlain = shape.length === 1 || /^(position_embd|token_types)/.test(name);
    const block = BLOCKS[isPlain || /F32|BF16/.test(type) ? (type === 'BF16' && !isPlain ? 'BF16' : 'F32') : type]!;
    const count = shape.reduce((product, size) => product * size, 1);
    let bytes: Uint8Array;
    if (block.halves.length > 0) bytes = randomBlocks(block, count, random);
    else {
      const { data } = random.tensor(shape, isNorm ? 0.1 : 0.05);
      const floats = isNorm ? data.map((x) => x + 1) : data;
      const bits = new Uint8Array(floats.buffer);
      // The upper halves.
      bytes = block.size === 4 ? bits : bits.filter((_, i) => i % 4 > 1);
    }
    Object.assign(expected, of({ data: dequantised(block, bytes), shape: [...shape] }));
    return { name, shape, type: block.number, bytes };
  });
  return { tensors, expected };
}
