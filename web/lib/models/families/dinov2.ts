import type { Architecture, SpecialTokens } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { scaled } from '../weights/parts.js';
import { vit } from './vit.js';

const KIND = {
  patch: 14,
  specials: undefined as ((width: number) => readonly SpecialTokens[]) | undefined,
};

/** ViT with factors of what layers add, a feed-forward that may be gated, and a head that also reads the patches' mean. */
export function dinov2(fields: Fields, kind: Partial<typeof KIND> = {}): Architecture {
  const { patch, specials } = { ...KIND, ...kind };
  const gated = fields.flag('use_swiglu_ffn', false);
  const inner = Math.floor(fields.size('hidden_size', 768) * fields.number('mlp_ratio', 4));
  const all = vit(fields, {
    eps: 1e-6,
    patch,
    ffnHiddens: gated ? Math.ceil(Math.floor((inner * 2) / 3) / 8) * 8 : inner,
    ...(specials && { specials }),
  });
  const { pooler: _, ...names } = all.names;
  return {
    ...all,
    pictures: { ...all.pictures!, keepsTable: false },
    gated,
    ...(gated && { activation: 'silu' }),
    pools: 'first',
    names: {
      ...names,
      prefix: 'dinov2.',
      layer: (i) => {
        const at = `encoder.layer.${i}`;
        const { output, ...layer } = names.layer(i);
        const [up, down] = gated ? ['weights_in', 'weights_out'] : ['fc1', 'fc2'];
        return {
          ...layer,
          norm1: `${at}.norm1`,
          output: scaled(output, `${at}.layer_scale1.lambda1`),
          norm2: `${at}.norm2`,
          up: `${at}.mlp.${up}`,
          down: scaled(`${at}.mlp.${down}`, `${at}.layer_scale2.lambda1`),
        };
      },
    },
    tasks: { ImageClassification: { reads: 'first', decoder: 'classifier', also: { reads: 'patches' } } },
  };
}
