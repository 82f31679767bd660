import type { Architecture } from '../config/architecture.js';
import { activationOf, biases, common, headDimOf, type Fields } from '../config/fields.js';
import type { Source } from '../weights/parts.js';

/** Norms before attention and feed-forward, learned positions. */
export function gpt2(fields: Fields): Architecture {
  const all = common(fields, { layers: 'n_layer', heads: 'n_head', hiddens: 'n_embd', maxLength: 'n_positions' });
  fields.only('scale_attn_by_inverse_layer_idx', false);
  fields.only('scale_attn_weights', true);
  return {
    ...all,
    headDim: headDimOf(fields, all, 'n_head'),
    ffnHiddens: fields.sizeOrNull('n_inner') ?? 4 * all.hiddens,
    activation: activationOf(fields, 'activation_function', 'gelu_new'),
    norm: 'layer',
    eps: fields.number('layer_norm_epsilon', 1e-5),
    order: 'pre',
    causal: true,
    positionKind: 'learned',
    positions: { rows: all.maxLength, first: 0 },
    bias: biases(true),
    tied: fields.flag('tie_word_embeddings', true),
    names: {
      prefix: 'transformer.',
      tokens: 'wte',
      positions: 'wpe',
      layer: (i) => ({
        norm1: `h.${i}.ln_1`,
        query: transposed(`h.${i}.attn.c_attn`, 0, 3),
        key: transposed(`h.${i}.attn.c_attn`, 1, 3),
        value: transposed(`h.${i}.attn.c_attn`, 2, 3),
        output: transposed(`h.${i}.attn.c_proj`),
        norm2: `h.${i}.ln_2`,
        up: transposed(`h.${i}.mlp.c_fc`),
        down: transposed(`h.${i}.mlp.c_proj`),
      }),
      finalNorm: 'ln_f',
    },
    tasks: {
      SequenceClassification: { reads: 'last', decoder: 'score', optionalBias: true },
      TokenClassification: { reads: 'each', decoder: 'classifier' },
      CausalLM: { reads: 'each', decoder: 'lm_head', optionalBias: true },
    },
  };
}

/** A map whose weight is (inputs, outputs), or the one with index `which` of several whose outputs lie side by side. */
function transposed(module: string, which = 0, maps = 1): Source {
  return (tensor, outputs, inputs) => {
    const columns = maps * outputs;
    return {
      name: `${module}.${tensor}`,
      shape: tensor === 'weight' ? [inputs, columns] : [columns],
      count: outputs,
      rows:
        (read, data = read()) =>
        (first, count) =>
          columnsOf(data, columns, which * outputs + first, count),
    };
  };
}

/**
 * Columns [first, first + count) of a matrix, one after another. Not within `transposed`, because optimized code keeps
 * what a hot loop's closure refers to, here the whole file.
 */
function columnsOf(matrix: Float32Array, width: number, first: number, count: number): Float32Array {
  const rows = matrix.length / width;
  const columns = new Float32Array(count * rows);
  for (let i = 0; i < rows; ++i) {
    const at = i * width + first;
    for (let c = 0; c < count; ++c) columns[c * rows + i] = matrix[at + c]!;
  }
  return columns;
}
