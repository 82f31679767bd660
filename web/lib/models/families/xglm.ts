import type { Architecture } from '../config/architecture.js';
import { activationOf, biases, common, headDimOf, type Fields } from '../config/fields.js';

/** Norms before attention and feed-forward, sinusoidal positions that are not in the file. */
export function xglm(fields: Fields): Architecture {
  const all = common(fields, { layers: 'num_layers', heads: 'attention_heads', hiddens: 'd_model' });
  const { hiddens, maxLength } = all;
  if (hiddens < 4) fields.wrong('d_model', 'of at least 4', hiddens);
  const padId = fields.has('pad_token_id') ? all.padId : 1;
  const rows = maxLength + 2;
  // The file has no table whose shape would tell.
  if (rows * hiddens > 2 ** 30) fields.wrong('max_position_embeddings', 'of which a table fits into 4 GiB', maxLength);
  return {
    ...all,
    padId,
    ...(fields.flag('scale_embedding', true) && { embeddingScale: Math.sqrt(hiddens) }),
    headDim: headDimOf(fields, all, 'attention_heads'),
    ffnHiddens: fields.size('ffn_dim'),
    activation: activationOf(fields, 'activation_function', 'gelu'),
    norm: 'layer',
    eps: 1e-5,
    order: 'pre',
    causal: true,
    positionKind: 'sinusoidal',
    positions: { rows, first: 2, table: () => sinusoids(rows, hiddens, padId) },
    bias: biases(true),
    tied: fields.flag('tie_word_embeddings', true),
    names: {
      prefix: 'model.',
      tokens: 'embed_tokens',
      layer: (i) => fairseqLayer(`layers.${i}`),
      finalNorm: 'layer_norm',
    },
    tasks: { CausalLM: { reads: 'each', decoder: 'lm_head', optionalBias: true } },
  };
}

/** The names that Fairseq's decoders have. */
export function fairseqLayer(at: string) {
  return {
    norm1: `${at}.self_attn_layer_norm`,
    query: `${at}.self_attn.q_proj`,
    key: `${at}.self_attn.k_proj`,
    value: `${at}.self_attn.v_proj`,
    output: `${at}.self_attn.out_proj`,
    norm2: `${at}.final_layer_norm`,
    up: `${at}.fc1`,
    down: `${at}.fc2`,
  };
}

/** Sines in the first half of the columns and cosines in the second; padding's row is 0. */
function sinusoids(rows: number, width: number, padId: number | undefined): Float32Array {
  const half = Math.floor(width / 2);
  const table = new Float32Array(rows * width);
  for (let i = 0; i < half; ++i) {
    const frequency = 10000 ** (-i / (half - 1));
    for (let row = 0; row < rows; ++row) {
      if (row === padId) continue;
      table[row * width + i] = Math.sin(row * frequency);
      table[row * width + half + i] = Math.cos(row * frequency);
    }
  }
  return table;
}
