import { DECODER_TASKS, type Architecture } from '../config/architecture.js';
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
    tasks: DECODER_TASKS,
  };
}

/** So many floats are widened and turned at a time where rows are read one after another. */
const BAND = 2 ** 18;

/** A map whose weight is (inputs, outputs), or the one with index `which` of several whose outputs lie side by side. */
function transposed(module: string, which = 0, maps = 1): Source {
  return (tensor, outputs, inputs) => ({
    name: `${module}.${tensor}`,
    shape: tensor === 'weight' ? [inputs, maps * outputs] : [maps * outputs],
    count: outputs,
    rows: (read) => {
      let band = new Float32Array(0);
      let [begin, end] = [0, 0];
      return (first, count) => {
        const from = (first - begin) * inputs;
        const isNext = first === end;
        end = first + count;
        if (from >= 0 && from + count * inputs <= band.length) return band.subarray(from, from + count * inputs);
        begin = first;
        const columns = isNext ? Math.min(outputs - first, Math.max(count, Math.floor(BAND / inputs))) : count;
        band = new Float32Array(columns * inputs);
        for (let i = 0; i < inputs; ++i) {
          const at = (i * maps + which) * outputs + first;
          scatter(read(at, at + columns), band, i, inputs);
        }
        return band.subarray(0, count * inputs);
      };
    },
  });
}

/** Writes numbers a `stride` apart. */
function scatter(numbers: Float32Array, to: Float32Array, first: number, stride: number): void {
  for (let i = 0; i < numbers.length; ++i) to[first + i * stride] = numbers[i]!;
}
