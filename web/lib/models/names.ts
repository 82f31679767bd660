/** The names of tensors in Hugging Face's checkpoints, without the family's prefix. */
import type { Architecture, Family } from './config/architecture.js';

/** The modules of a layer; each has a `weight`, and a `bias` where the architecture says so. */
export interface LayerNames {
  readonly query: string;
  readonly key: string;
  readonly value: string;
  readonly output: string;
  readonly norm1: string;
  readonly norm2: string;
  readonly gate?: string;
  readonly up: string;
  readonly down: string;
  readonly queryNorm?: string;
  readonly keyNorm?: string;
}

export interface Names {
  /** Files of the model alone have no prefix, and those with a head have one. */
  readonly prefix: string;
  readonly tokens: string;
  readonly positions?: string;
  readonly types?: string;
  readonly embeddingNorm?: string;
  readonly embeddingMap?: string;
  readonly layer: (i: number) => LayerNames;
  readonly finalNorm?: string;
  readonly pooler?: string;
  /** The head that predicts tokens: a map, an activation and a norm before the decoder, or the decoder alone. */
  readonly predictions: {
    readonly map?: string;
    readonly norm?: string;
    readonly decoder: string;
    /** Of a bias with a name of its own. */
    readonly bias?: string;
  };
}

const BERT_EMBEDDINGS = {
  tokens: 'embeddings.word_embeddings',
  positions: 'embeddings.position_embeddings',
  types: 'embeddings.token_type_embeddings',
  embeddingNorm: 'embeddings.LayerNorm',
};

const bertLayer = (i: number): LayerNames => ({
  query: `encoder.layer.${i}.attention.self.query`,
  key: `encoder.layer.${i}.attention.self.key`,
  value: `encoder.layer.${i}.attention.self.value`,
  output: `encoder.layer.${i}.attention.output.dense`,
  norm1: `encoder.layer.${i}.attention.output.LayerNorm`,
  norm2: `encoder.layer.${i}.output.LayerNorm`,
  up: `encoder.layer.${i}.intermediate.dense`,
  down: `encoder.layer.${i}.output.dense`,
});

const LLAMA: Names = {
  prefix: 'model.',
  tokens: 'embed_tokens',
  layer: (i) => ({
    query: `layers.${i}.self_attn.q_proj`,
    key: `layers.${i}.self_attn.k_proj`,
    value: `layers.${i}.self_attn.v_proj`,
    output: `layers.${i}.self_attn.o_proj`,
    norm1: `layers.${i}.input_layernorm`,
    norm2: `layers.${i}.post_attention_layernorm`,
    gate: `layers.${i}.mlp.gate_proj`,
    up: `layers.${i}.mlp.up_proj`,
    down: `layers.${i}.mlp.down_proj`,
    queryNorm: `layers.${i}.self_attn.q_norm`,
    keyNorm: `layers.${i}.self_attn.k_norm`,
  }),
  finalNorm: 'norm',
  predictions: { decoder: 'lm_head' },
};

const NAMES: Readonly<Record<Family, Names>> = {
  bert: {
    prefix: 'bert.',
    ...BERT_EMBEDDINGS,
    layer: bertLayer,
    pooler: 'pooler.dense',
    predictions: {
      map: 'cls.predictions.transform.dense',
      norm: 'cls.predictions.transform.LayerNorm',
      decoder: 'cls.predictions.decoder',
      bias: 'cls.predictions.bias',
    },
  },
  roberta: {
    prefix: 'roberta.',
    ...BERT_EMBEDDINGS,
    layer: bertLayer,
    pooler: 'pooler.dense',
    predictions: {
      map: 'lm_head.dense',
      norm: 'lm_head.layer_norm',
      decoder: 'lm_head.decoder',
      bias: 'lm_head.bias',
    },
  },
  distilbert: {
    prefix: 'distilbert.',
    tokens: BERT_EMBEDDINGS.tokens,
    positions: BERT_EMBEDDINGS.positions,
    embeddingNorm: BERT_EMBEDDINGS.embeddingNorm,
    layer: (i) => ({
      query: `transformer.layer.${i}.attention.q_lin`,
      key: `transformer.layer.${i}.attention.k_lin`,
      value: `transformer.layer.${i}.attention.v_lin`,
      output: `transformer.layer.${i}.attention.out_lin`,
      norm1: `transformer.layer.${i}.sa_layer_norm`,
      norm2: `transformer.layer.${i}.output_layer_norm`,
      up: `transformer.layer.${i}.ffn.lin1`,
      down: `transformer.layer.${i}.ffn.lin2`,
    }),
    predictions: { map: 'vocab_transform', norm: 'vocab_layer_norm', decoder: 'vocab_projector' },
  },
  albert: {
    prefix: 'albert.',
    ...BERT_EMBEDDINGS,
    embeddingMap: 'encoder.embedding_hidden_mapping_in',
    layer: (i) => {
      const layer = `encoder.albert_layer_groups.${i}.albert_layers.0`;
      return {
        query: `${layer}.attention.query`,
        key: `${layer}.attention.key`,
        value: `${layer}.attention.value`,
        output: `${layer}.attention.dense`,
        norm1: `${layer}.attention.LayerNorm`,
        norm2: `${layer}.full_layer_layer_norm`,
        up: `${layer}.ffn`,
        down: `${layer}.ffn_output`,
      };
    },
    pooler: 'pooler',
    predictions: {
      map: 'predictions.dense',
      norm: 'predictions.LayerNorm',
      decoder: 'predictions.decoder',
      bias: 'predictions.bias',
    },
  },
  gpt2: {
    prefix: 'transformer.',
    tokens: 'wte',
    positions: 'wpe',
    layer: (i) => ({
      query: `h.${i}.attn.c_attn`,
      key: `h.${i}.attn.c_attn`,
      value: `h.${i}.attn.c_attn`,
      output: `h.${i}.attn.c_proj`,
      norm1: `h.${i}.ln_1`,
      norm2: `h.${i}.ln_2`,
      up: `h.${i}.mlp.c_fc`,
      down: `h.${i}.mlp.c_proj`,
    }),
    finalNorm: 'ln_f',
    predictions: { decoder: 'lm_head' },
  },
  gpt_neox: {
    prefix: 'gpt_neox.',
    tokens: 'embed_in',
    layer: (i) => ({
      query: `layers.${i}.attention.query_key_value`,
      key: `layers.${i}.attention.query_key_value`,
      value: `layers.${i}.attention.query_key_value`,
      output: `layers.${i}.attention.dense`,
      norm1: `layers.${i}.input_layernorm`,
      norm2: `layers.${i}.post_attention_layernorm`,
      up: `layers.${i}.mlp.dense_h_to_4h`,
      down: `layers.${i}.mlp.dense_4h_to_h`,
    }),
    finalNorm: 'final_layer_norm',
    predictions: { decoder: 'embed_out' },
  },
  llama: LLAMA,
  mistral: LLAMA,
  qwen2: LLAMA,
  qwen3: LLAMA,
};

export function namesOf({ family }: Architecture): Names {
  return NAMES[family];
}
