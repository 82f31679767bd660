import { DECODER_TASKS, type Architecture } from '../config/architecture.js';
import { activationOf, biases, common, headDimOf, perLayer, type Fields } from '../config/fields.js';

const KINDS = ['global', 'local'] as const;

/** GPT-2 with scores that are not divided, and a window in every other layer. */
export function gptNeo(fields: Fields): Architecture {
  const all = common(fields, { layers: 'num_layers', heads: 'num_heads' });
  const left = fields.size('window_size', 256, 2 ** 30) - 1;
  return {
    ...all,
    headDim: headDimOf(fields, all, 'num_heads'),
    ffnHiddens: fields.sizeOrNull('intermediate_size') ?? 4 * all.hiddens,
    activation: activationOf(fields, 'activation_function', 'gelu_new'),
    norm: 'layer',
    eps: fields.number('layer_norm_epsilon', 1e-5),
    order: 'pre',
    causal: true,
    windows: kindsOf(fields, all.layers).map((kind) => (kind === 'local' ? { left } : undefined)),
    scale: 1,
    positionKind: 'learned',
    positions: { rows: all.maxLength, first: 0 },
    bias: { ...biases(true), qkv: false },
    tied: fields.flag('tie_word_embeddings', true),
    names: {
      prefix: 'transformer.',
      tokens: 'wte',
      positions: 'wpe',
      layer: (i) => {
        const attention = `h.${i}.attn.attention`;
        return {
          norm1: `h.${i}.ln_1`,
          query: `${attention}.q_proj`,
          key: `${attention}.k_proj`,
          value: `${attention}.v_proj`,
          output: `${attention}.out_proj`,
          norm2: `h.${i}.ln_2`,
          up: `h.${i}.mlp.c_fc`,
          down: `h.${i}.mlp.c_proj`,
        };
      },
      finalNorm: 'ln_f',
    },
    tasks: {
      QuestionAnswering: { reads: 'each', decoder: 'qa_outputs', outputs: 2 },
      ...DECODER_TASKS,
    },
  };
}

/** Each layer's kind: patterns with the number of times that each is repeated, or the same written out. */
function kindsOf(fields: Fields, layers: number): readonly string[] {
  const field = 'attention_types';
  const written = perLayer(fields, 'attention_layers', layers, KINDS);
  if (written && !fields.has(field)) return written;
  const types = fields.has(field) ? fields.get(field) : [[KINDS, 12]];
  const repeated = (pair: unknown): unknown[] => {
    const [pattern, times] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const isPair = Array.isArray(pattern) && Number.isInteger(times) && (times as number) <= layers;
    return isPair ? Array.from({ length: times as number }, () => pattern as unknown[]).flat() : [undefined];
  };
  const kinds = (Array.isArray(types) ? types : [undefined]).flatMap(repeated);
  const isRight = kinds.length === layers && kinds.every((kind) => KINDS.includes(kind as 'local'));
  if (!isRight) fields.wrong(field, `of ${KINDS.join(' and ')} for ${layers} layers`, types);
  if (written && written.join() !== kinds.join()) fields.wrong('attention_layers', `to be as ${field}`, 'others');
  return kinds as string[];
}
