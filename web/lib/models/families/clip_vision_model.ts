import type { Architecture, SpecialTokens } from '../config/architecture.js';
import { biases, type Fields } from '../config/fields.js';
import { special } from '../config/pictures.js';
import { vit } from './vit.js';

const KIND = {
  activation: 'quick_gelu',
  eps: 1e-5,
  patch: 32,
  hasBias: false,
  specials: (width: number): readonly SpecialTokens[] => [special('embeddings.class_embedding', [width])],
};

/** ViT with a norm of embeddings, whose last norm is only the pooled vector's. */
export function clipVision(fields: Fields, kind: Partial<typeof KIND> = {}): Architecture {
  const { hasBias, ...called } = { ...KIND, ...kind };
  const all = vit(fields, called);
  const { finalNorm: _, pooler: __, positionTable: ___, ...names } = all.names;
  return {
    ...all,
    pictures: { ...all.pictures!, hasBias },
    bias: biases(true),
    pools: 'first',
    projection: projectionOf(fields, all, 'visual_projection'),
    names: {
      ...names,
      prefix: 'vision_model.',
      patches: 'embeddings.patch_embedding',
      positions: 'embeddings.position_embedding',
      embeddingNorm: 'pre_layrnorm',
      layer: (i) => clipLayer(`encoder.layers.${i}`),
      poolerNorm: 'post_layernorm',
    },
    tasks: { ImageClassification: { reads: 'patches', decoder: 'classifier' } },
  };
}

export function projectionOf(fields: Fields, { className }: { readonly className: string }, name: string) {
  return { name, outputs: fields.size('projection_dim', 512), isOptional: !className.endsWith('WithProjection') };
}

/** The names in both of CLIP's towers. */
export function clipLayer(at: string) {
  return {
    norm1: `${at}.layer_norm1`,
    query: `${at}.self_attn.q_proj`,
    key: `${at}.self_attn.k_proj`,
    value: `${at}.self_attn.v_proj`,
    output: `${at}.self_attn.out_proj`,
    norm2: `${at}.layer_norm2`,
    up: `${at}.mlp.fc1`,
    down: `${at}.mlp.fc2`,
  };
}
