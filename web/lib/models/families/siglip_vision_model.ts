import type { Architecture } from '../config/architecture.js';
import type { Fields } from '../config/fields.js';
import { stacked, type Source } from '../weights/parts.js';
import { clipVision } from './clip_vision_model.js';

/** CLIP's tower of pictures without a class token: attention with a query of its own pools the patches. */
export function siglipVision(fields: Fields): Architecture {
  const {
    pools: _,
    projection: __,
    ...all
  } = clipVision(fields, {
    activation: 'gelu_pytorch_tanh',
    eps: 1e-6,
    patch: 16,
    hasBias: true,
    specials: () => [],
  });
  const { embeddingNorm: ___, poolerNorm: finalNorm, ...names } = all.names;
  const at = 'head';
  return {
    ...all,
    names: {
      ...names,
      finalNorm,
      ...(fields.flag('vision_use_head', true) && {
        attentionPooler: {
          probe: `${at}.probe`,
          query: inProjection(`${at}.attention`, 0),
          key: inProjection(`${at}.attention`, 1),
          value: inProjection(`${at}.attention`, 2),
          output: `${at}.attention.out_proj`,
          norm2: `${at}.layernorm`,
          up: `${at}.mlp.fc1`,
          down: `${at}.mlp.fc2`,
        },
      }),
    },
    tasks: { ImageClassification: { reads: 'mean', decoder: 'classifier' } },
  };
}

/** One of the three maps of PyTorch's multi-head attention. */
function inProjection(module: string, which: number): Source {
  return (tensor, outputs, inputs) => {
    const map = stacked(module, which, 3) as Exclude<Source, string>;
    return { ...map(tensor, outputs, inputs), name: `${module}.in_proj_${tensor}` };
  };
}
