import type { Architecture, SpecialTokens } from '../config/architecture.js';
import { activationOf, biases, headDimOf, layersOf, vectorActivationOf, type Fields } from '../config/fields.js';
import { picturesOf, special } from '../config/pictures.js';

/** Defaults and tokens that differ between families like ViT. */
const KIND = {
  activation: 'gelu',
  eps: 1e-12,
  patch: 16,
  ffnHiddens: undefined as number | undefined,
  /** The tokens before the patches, of this width. */
  specials: (width: number): readonly SpecialTokens[] => [special('embeddings.cls_token', [1, 1, width])],
};

/** Pictures, whose patches are tokens behind a class token; norms before attention and feed-forward. */
export function vit(fields: Fields, kind: Partial<typeof KIND> = {}): Architecture {
  const called = { ...KIND, ...kind };
  const all = layersOf(fields, {}, { layers: 12, heads: 12, hiddens: 768 });
  return {
    ...all,
    ...picturesOf(fields, called.patch, called.specials(all.hiddens)),
    headDim: headDimOf(fields, all),
    ffnHiddens: called.ffnHiddens ?? fields.size('intermediate_size', 3072),
    activation: activationOf(fields, 'hidden_act', called.activation),
    norm: 'layer',
    eps: fields.number('layer_norm_eps', called.eps),
    order: 'pre',
    causal: false,
    bias: { ...biases(true), qkv: fields.flag('qkv_bias', true) },
    tied: false,
    endsBeforeNorm: true,
    names: {
      prefix: 'vit.',
      patches: 'embeddings.patch_embeddings.projection',
      positionTable: 'embeddings.position_embeddings',
      layer: (i) => {
        const at = `encoder.layer.${i}`;
        return {
          norm1: `${at}.layernorm_before`,
          query: `${at}.attention.attention.query`,
          key: `${at}.attention.attention.key`,
          value: `${at}.attention.attention.value`,
          output: `${at}.attention.output.dense`,
          norm2: `${at}.layernorm_after`,
          up: `${at}.intermediate.dense`,
          down: `${at}.output.dense`,
        };
      },
      finalNorm: 'layernorm',
      pooler: 'pooler.dense',
    },
    poolerWidth: fields.sizeOrNull('pooler_output_size') ?? all.hiddens,
    poolerActivation: vectorActivationOf(fields, 'pooler_act', 'tanh'),
    tasks: { ImageClassification: { reads: 'first', decoder: 'classifier' } },
  };
}
