/**
 * Models of pictures in float64, each written as its class in Hugging Face's transformers is, from a config.json and
 * tensors under published names. One picture.
 */
import { attend, NAMES } from './families.js';
import { ACTIVATIONS } from './feedForward.js';
import { layerNorm } from './layerNorm.js';
import { linear } from './linear.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

type Fields = Readonly<Record<string, unknown>>;

export interface Seen {
  readonly hiddenStates: readonly Reference[];
  /** (H, T, T) of each layer. */
  readonly weights: readonly Reference[];
  readonly hidden: Reference;
  readonly pooled?: Reference;
  readonly embeds?: Reference;
  readonly logits?: Reference;
  /** The tensors that the classes have. */
  readonly used: ReadonlySet<string>;
}

const mapped = (x: Numbers, f: (x: number, i: number) => number): Reference => ({
  data: Float64Array.from(x.data, f),
  shape: x.shape,
});
const add = (a: Numbers, b: Numbers): Reference => mapped(a, (x, i) => x + b.data[i]!);
const rows = (x: Numbers, from: number, to = x.shape[0]!): Reference => ({
  data: Float64Array.from(Array.from(x.data).slice(from * x.shape[1]!, to * x.shape[1]!)),
  shape: [to - from, x.shape[1]!],
});
const stack = (...all: readonly Numbers[]): Reference => ({
  data: Float64Array.from(all.flatMap(({ data }) => Array.from(data))),
  shape: [all.reduce((sum, { shape }) => sum + shape.at(-2)!, 0), all[0]!.shape.at(-1)!],
});
const meanOf = (x: Numbers): Reference => {
  const [count, width] = x.shape as [number, number];
  const mean = zeros(1, width);
  Array.from(x.data).forEach((each, i) => (mean.data[i % width]! += each / count));
  return mean;
};

/** Keys's cubic kernel. */
function cubic(x: number, a: number): number {
  const t = Math.abs(x);
  if (t <= 1) return (a + 2) * t ** 3 - (a + 3) * t ** 2 + 1;
  return t < 2 ? a * t ** 3 - 5 * a * t ** 2 + 8 * a * t - 4 * a : 0;
}

/** How much each old place counts for a new one: torch's interpolate, mode bicubic, align_corners false. */
function shares(from: number, to: number, i: number, antialias: boolean): number[] {
  const step = from / to;
  const result = Array<number>(from).fill(0);
  if (antialias) {
    const places = result.map((_, j) => cubic((j + 0.5 - (i + 0.5) * step) / Math.max(step, 1), -0.5));
    const sum = places.reduce((a, b) => a + b);
    return places.map((share) => share / sum);
  }
  const place = (i + 0.5) * step - 0.5;
  for (let j = Math.floor(place) - 1; j <= Math.floor(place) + 2; ++j) {
    result[Math.min(Math.max(j, 0), from - 1)]! += cubic(place - j, -0.75);
  }
  return result;
}

/** A square table for a grid of other sides. */
function interpolated(table: Numbers, height: number, width: number, antialias: boolean): Reference {
  const side = Math.sqrt(table.shape[0]!);
  const dim = table.shape[1]!;
  const result = zeros(height * width, dim);
  for (let y = 0; y < height; ++y) {
    const down = shares(side, height, y, antialias);
    for (let x = 0; x < width; ++x) {
      const across = shares(side, width, x, antialias);
      for (let i = 0; i < side * side; ++i) {
        const share = down[Math.floor(i / side)]! * across[i % side]!;
        for (let e = 0; e < dim; ++e) result.data[(y * width + x) * dim + e]! += share * table.data[i * dim + e]!;
      }
    }
  }
  return result;
}

/**
 * @param config of one tower
 * @param className decides the head
 * @param interpolate whether interpolate_pos_encoding is asked for; DINOv2 always does it
 */
export function seen(
  config: Fields,
  tensors: Readonly<Record<string, Numbers>>,
  pixels: Numbers,
  className: string,
  interpolate: boolean,
): Seen {
  const used = new Set<string>();
  const at = <T>(name: string, otherwise: T): T => (name in config ? (config[name] as T) : otherwise);
  const family = (config.model_type as string).replace('_vision_model', '');
  const isDino = family.startsWith('dinov2');
  const isClip = family === 'clip';
  const isSiglip = family === 'siglip';
  const isNamedLikeClip = isClip || isSiglip;
  const isBare = className.endsWith('Model') && !isNamedLikeClip;
  const prefix = isNamedLikeClip ? 'vision_model.' : isBare ? '' : `${family}.`;
  const get = (name: string): Numbers => {
    used.add(name);
    if (!tensors[name]) throw new Error(`no tensor '${name}'`);
    return tensors[name];
  };
  const own = (name: string): Numbers => get(`${prefix}${name}`);
  const matrix = (name: string): Numbers => {
    const { data, shape } = own(name);
    return { data, shape: shape.slice(-2) };
  };
  const map = (x: Numbers, name: string, hasBias = true): Reference =>
    linear(x, own(`${name}.weight`), hasBias ? own(`${name}.bias`) : undefined);
  const eps = at('layer_norm_eps', isDino || isSiglip ? 1e-6 : isClip ? 1e-5 : 1e-12);
  const norm = (x: Numbers, name: string): Reference => layerNorm(x, eps, own(`${name}.weight`), own(`${name}.bias`));
  const activation = at('hidden_act', isClip ? 'quick_gelu' : isSiglip ? 'gelu_pytorch_tanh' : 'gelu');
  const active = (x: Numbers, name = activation): Reference => mapped(x, ACTIVATIONS[NAMES[name]!][0]);

  // ---- embeddings

  const [channels, height, width] = pixels.shape as [number, number, number];
  const patch = at('patch_size', isClip ? 32 : family === 'dinov2' ? 14 : 16);
  const [down, across] = [Math.floor(height / patch), Math.floor(width / patch)];
  const embedding = isNamedLikeClip ? 'embeddings.patch_embedding' : 'embeddings.patch_embeddings.projection';
  const kernel = own(`${embedding}.weight`);
  const dim = kernel.shape[0]!;
  const patches = zeros(down * across, dim);
  // A convolution whose stride is its kernel.
  for (let p = 0; p < down * across; ++p) {
    const [top, left] = [Math.floor(p / across) * patch, (p % across) * patch];
    for (let o = 0; o < dim; ++o) {
      let sum = isClip ? 0 : own(`${embedding}.bias`).data[o]!;
      for (let c = 0; c < channels; ++c) {
        for (let y = 0; y < patch; ++y) {
          for (let x = 0; x < patch; ++x) {
            const pixel = pixels.data[(c * height + top + y) * width + left + x]!;
            sum += pixel * kernel.data[((o * channels + c) * patch + y) * patch + x]!;
          }
        }
      }
      patches.data[p * dim + o] = sum;
    }
  }
  const special = isSiglip
    ? []
    : isClip
      ? [{ data: own('embeddings.class_embedding').data, shape: [1, dim] }]
      : ['cls_token', ...(family === 'deit' ? ['distillation_token'] : [])].map((name) => matrix(`embeddings.${name}`));
  const table = matrix(isNamedLikeClip ? 'embeddings.position_embedding.weight' : 'embeddings.position_embeddings');
  const old = rows(table, special.length);
  const isKept = (down * across === old.shape[0] && height === width) || !(interpolate || isDino);
  const positions = stack(
    rows(table, 0, special.length),
    isKept ? old : interpolated(old, down, across, family === 'dinov2_with_registers'),
  );
  let x = add(stack(...special, patches), positions);
  let extra = special.length;
  if (family === 'dinov2_with_registers') {
    const registers = matrix('embeddings.register_tokens');
    x = stack(rows(x, 0, 1), registers, rows(x, 1));
    extra += registers.shape[0]!;
  }
  if (isClip) x = norm(x, 'pre_layrnorm');

  // ---- layers

  const heads = at('num_attention_heads', 12);
  const feed = (x: Numbers, name: string): Reference => map(active(map(x, `${name}.fc1`)), `${name}.fc2`);
  const swiglu = (x: Numbers, name: string): Reference => {
    const both = map(x, `${name}.weights_in`);
    const inner = both.shape[1]! / 2;
    const gated = zeros(x.shape[0]!, inner);
    gated.data.forEach((_, i) => {
      const [row, column] = [Math.floor(i / inner) * 2 * inner, i % inner];
      gated.data[i] = ACTIVATIONS.silu[0](both.data[row + column]!) * both.data[row + inner + column]!;
    });
    return map(gated, `${name}.weights_out`);
  };
  const times = (x: Numbers, name: string): Reference => {
    const { data } = own(name);
    return mapped(x, (each, i) => each * data[i % dim]!);
  };
  const hiddenStates: Reference[] = [x];
  const weights: Reference[] = [];
  for (let i = 0; i < at('num_hidden_layers', 12); ++i) {
    const layer = isNamedLikeClip ? `encoder.layers.${i}` : `encoder.layer.${i}`;
    const [norm1, norm2] = isNamedLikeClip
      ? ['layer_norm1', 'layer_norm2']
      : isDino
        ? ['norm1', 'norm2']
        : ['layernorm_before', 'layernorm_after'];
    const read = norm(x, `${layer}.${norm1}`);
    const [q, k, v] = ['query', 'key', 'value'].map((name) =>
      isNamedLikeClip
        ? map(read, `${layer}.self_attn.${name[0]!}_proj`)
        : map(read, `${layer}.attention.attention.${name}`, at('qkv_bias', true)),
    ) as [Reference, Reference, Reference];
    const attended = attend(q, k, v, { heads, sees: () => true });
    weights.push(attended.weights);
    const mixed = map(
      attended.output,
      isNamedLikeClip ? `${layer}.self_attn.out_proj` : `${layer}.attention.output.dense`,
    );
    x = add(x, isDino ? times(mixed, `${layer}.layer_scale1.lambda1`) : mixed);
    const second = norm(x, `${layer}.${norm2}`);
    const fed =
      isDino && at('use_swiglu_ffn', false)
        ? swiglu(second, `${layer}.mlp`)
        : isDino || isNamedLikeClip
          ? feed(second, `${layer}.mlp`)
          : map(active(map(second, `${layer}.intermediate.dense`)), `${layer}.output.dense`);
    x = add(x, isDino ? times(fed, `${layer}.layer_scale2.lambda1`) : fed);
    hiddenStates.push(x);
  }

  // ---- what comes after them

  const hidden = isClip ? x : norm(x, isSiglip ? 'post_layernorm' : 'layernorm');
  const first = rows(hidden, 0, 1);
  let pooled: Reference | undefined;
  if (isClip) pooled = norm(first, 'post_layernorm');
  else if (isDino) pooled = first;
  else if (isSiglip && at('vision_use_head', true)) {
    const part = (which: number, tensor: string): Numbers => {
      const { data, shape } = own(`head.attention.in_proj_${tensor}`);
      const size = data.length / 3;
      return { data: Array.from(data).slice(which * size, (which + 1) * size), shape: [dim, ...shape.slice(1)] };
    };
    const project = (x: Numbers, which: number): Reference => linear(x, part(which, 'weight'), part(which, 'bias'));
    const query = project(matrix('head.probe'), 0);
    const { output } = attend(query, project(hidden, 1), project(hidden, 2), { heads, sees: () => true });
    const r = map(output, 'head.attention.out_proj');
    pooled = add(r, feed(norm(r, 'head.layernorm'), 'head.mlp'));
  } else if (isBare) {
    const dense = map(first, 'pooler.dense');
    const name = at('pooler_act', 'tanh');
    pooled = name === 'tanh' ? mapped(dense, Math.tanh) : active(dense, name);
  }
  const embeds =
    className === 'CLIPVisionModelWithProjection' ? linear(pooled!, get('visual_projection.weight')) : undefined;
  const classified = (x: Numbers, name = 'classifier'): Reference =>
    linear(x, get(`${name}.weight`), get(`${name}.bias`));
  let logits: Reference | undefined;
  if (className.endsWith('WithTeacher')) {
    const both = add(classified(first, 'cls_classifier'), classified(rows(hidden, 1, 2), 'distillation_classifier'));
    logits = mapped(both, (each) => each / 2);
  } else if (className.endsWith('ForImageClassification')) {
    if (isDino) {
      const { data } = stack(first, meanOf(rows(hidden, extra)));
      logits = classified({ data, shape: [1, 2 * dim] });
    } else logits = classified(isNamedLikeClip ? meanOf(rows(hidden, extra)) : first);
  }
  return {
    hiddenStates,
    weights,
    hidden,
    ...(pooled && { pooled }),
    ...(embeds && { embeds }),
    ...(logits && { logits }),
    used,
  };
}
