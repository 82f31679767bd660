import { layerNorm } from './layerNorm.js';
import { linear } from './linear.js';
import type { Numbers } from './tensor.js';
import { transformerBlock } from './transformerBlock.js';

/** The sizes in `vision_config`. */
interface Sizes {
  readonly image_size: number;
  readonly patch_size: number;
  readonly hidden_size: number;
  readonly num_attention_heads: number;
  readonly layer_norm_eps: number;
}

/**
 * transformers' SiglipForImageClassification with one layer, of a square grey picture: the scores (classes), and the
 * weights (H, T, T).
 */
export function siglipClassifier(
  { image_size: size, patch_size: side, hidden_size: width, num_attention_heads: numHeads, layer_norm_eps: eps }: Sizes,
  tensors: Readonly<Record<string, Numbers>>,
  pixels: ArrayLike<number>,
): { readonly logits: Float64Array; readonly weights: Float64Array } {
  const named = (name: string): Numbers => tensors[`vision_model.${name}`]!;
  const across = size / side;
  const patches: Numbers = {
    data: Array.from({ length: across ** 2 }, (_, patch) => {
      const [top, left] = [Math.floor(patch / across) * side, (patch % across) * side];
      return Array.from(
        { length: side ** 2 },
        (_, at) => pixels[(top + Math.floor(at / side)) * size + left + (at % side)]!,
      );
    }).flat(),
    shape: [across ** 2, side ** 2],
  };
  const kernels = { data: named('embeddings.patch_embedding.weight').data, shape: [width, side ** 2] };
  const embedded = linear(patches, kernels, named('embeddings.patch_embedding.bias'));
  const table = named('embeddings.position_embedding.weight').data;
  const placed = { data: embedded.data.map((x, i) => x + table[i]!), shape: [1, across ** 2, width] };

  const state: Record<string, Numbers> = {};
  for (const kind of ['weight', 'bias']) {
    const own = (name: string): Numbers => named(`encoder.layers.0.${name}.${kind}`);
    const projections = ['q', 'k', 'v'].map((name) => own(`self_attn.${name}_proj`));
    state[`self_attn.in_proj_${kind}`] = {
      data: projections.flatMap(({ data }) => Array.from(data)),
      shape: [3 * width, ...projections[0]!.shape.slice(1)],
    };
    state[`self_attn.out_proj.${kind}`] = own('self_attn.out_proj');
    for (const i of [1, 2]) {
      state[`norm${i}.${kind}`] = own(`layer_norm${i}`);
      state[`linear${i}.${kind}`] = own(`mlp.fc${i}`);
    }
  }
  const { output, weights } = transformerBlock(placed, undefined, state, {
    numHeads,
    norm: 'pre',
    activation: 'gelu-tanh',
    eps,
  });
  const rows = { data: output.data, shape: [across ** 2, width] };
  const { data } = layerNorm(rows, eps, named('post_layernorm.weight'), named('post_layernorm.bias'));
  const mean = Array.from({ length: width }, (_, column) => {
    const sum = Array.from({ length: across ** 2 }, (_, row) => data[row * width + column]!).reduce((a, b) => a + b);
    return sum / across ** 2;
  });
  const logits = linear({ data: mean, shape: [1, width] }, tensors['classifier.weight']!, tensors['classifier.bias']);
  return { logits: logits.data, weights: weights.data };
}
