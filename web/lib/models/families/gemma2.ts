import type { Architecture, Window } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { llama } from './llama.js';

/** What differs between the versions of Gemma. */
const KIND = {
  /** A window of `width` keys. */
  windowOf: (width: number): Window => ({ left: width - 1 }),
  isWindowed: (layer: number) => layer % 2 === 0,
  scoresCap: (fields: Fields) => fields.numberOrNull('attn_logit_softcapping', 50),
  logitsCap: 30 as number | undefined,
};

/** Llama with norms also after attention and feed-forward, windows in some layers, and caps on scores and logits. */
export function gemma2(
  fields: Fields,
  { windowOf, scoresCap, logitsCap, ...kind }: typeof KIND & Parameters<typeof llama>[1] = KIND,
): Architecture {
  const all = llama(fields, {
    kvHeads: 4,
    headDim: 256,
    activation: 'hidden_activation',
    defaultActivation: 'gelu_pytorch_tanh',
    tied: true,
    window: windowOf(fields.size('sliding_window', 4096, 2 ** 30)),
    ...kind,
  });
  const softcap = fields.numberOrNull('final_logit_softcapping', logitsCap);
  return {
    ...all,
    embeddingScale: Math.sqrt(all.hiddens),
    normWeight: 'plusOne',
    scale: fields.number('query_pre_attn_scalar', 256) ** -0.5,
    softcap: scoresCap(fields),
    bias: { ...all.bias, up: false, down: false },
    names: {
      ...all.names,
      layer: (i) => ({
        ...all.names.layer(i),
        outputNorm: `layers.${i}.post_attention_layernorm`,
        norm2: `layers.${i}.pre_feedforward_layernorm`,
        downNorm: `layers.${i}.post_feedforward_layernorm`,
      }),
    },
    tasks: { ...all.tasks, CausalLM: { ...all.tasks.CausalLM!, softcap } },
  };
}
