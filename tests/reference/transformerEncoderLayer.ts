import { ACTIVATIONS, type ActivationName } from './feedForward.js';
import { layerNorm } from './layerNorm.js';
import { linear } from './linear.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

export interface EncoderReferenceOptions {
  numHeads: number;
  norm: 'pre' | 'post';
  activation: ActivationName;
  /**
   * Dropout's factor for element `index` of a row. Weights have a row for each (b, h, i) and an element for each key;
   * the others a row for each token (b, i) and an element for each component.
   */
  dropout: Readonly<Record<'weights' | 'attended' | 'hidden' | 'fed', (row: number, index: number) => number>>;
}

const EPS = 1e-5;

/** torch.nn.TransformerEncoderLayer of x (B, n, D), one token at a time. `state` has PyTorch's names. */
export function transformerEncoderLayer(
  x: Numbers,
  state: Readonly<Record<string, Numbers>>,
  { numHeads, norm, activation, dropout }: EncoderReferenceOptions,
): Reference {
  const [batch, length, width] = x.shape as [number, number, number];
  const rows: Numbers = { data: x.data, shape: [batch * length, width] };
  const apply = (y: Reference, f: (value: number, row: number, index: number) => number): Reference => {
    const columns = y.shape[1]!;
    return { ...y, data: y.data.map((v, at) => f(v, Math.floor(at / columns), at % columns)) };
  };
  const add = (a: Numbers, b: Reference): Reference => apply(b, (v, r, i) => v + a.data[r * width + i]!);
  const drop = (y: Reference, factor: (row: number, index: number) => number) =>
    apply(y, (v, row, index) => v * factor(row, index));
  const normalise = (y: Numbers, name: string) => layerNorm(y, EPS, state[`${name}.weight`], state[`${name}.bias`]);
  const attend = (y: Numbers): Reference => {
    const joined = linear(y, state['self_attn.in_proj_weight']!, state['self_attn.in_proj_bias']);
    const heads = attention(joined, batch, length, width, numHeads, dropout.weights);
    const attended = linear(heads, state['self_attn.out_proj.weight']!, state['self_attn.out_proj.bias']);
    return drop(attended, dropout.attended);
  };
  const feed = (y: Numbers): Reference => {
    const hidden = linear(y, state['linear1.weight']!, state['linear1.bias']);
    const activated = drop(apply(hidden, ACTIVATIONS[activation][0]), dropout.hidden);
    return drop(linear(activated, state['linear2.weight']!, state['linear2.bias']), dropout.fed);
  };
  if (norm === 'pre') {
    const middle = add(rows, attend(normalise(rows, 'norm1')));
    return { ...add(middle, feed(normalise(middle, 'norm2'))), shape: x.shape };
  }
  const middle = normalise(add(rows, attend(rows)), 'norm1');
  return { ...normalise(add(middle, feed(middle)), 'norm2'), shape: x.shape };
}

/** The concatenated outputs of all heads. Each row of `joined` is a query, a key and a value. */
function attention(
  joined: Reference,
  batch: number,
  length: number,
  width: number,
  heads: number,
  factor: (row: number, key: number) => number,
): Reference {
  const out = zeros(batch * length, width);
  const size = width / heads;
  const at = (part: number, b: number, i: number, h: number, e: number) =>
    joined.data[(b * length + i) * 3 * width + part * width + h * size + e]!;
  const each = <T>(count: number, f: (i: number) => T) => Array.from({ length: count }, (_, i) => f(i));
  const sum = (terms: readonly number[]) => terms.reduce((total, term) => total + term, 0);
  for (let b = 0; b < batch; ++b) {
    for (let h = 0; h < heads; ++h) {
      for (let i = 0; i < length; ++i) {
        const score = (j: number) => sum(each(size, (e) => at(0, b, i, h, e) * at(1, b, j, h, e)));
        const powers = each(length, (j) => Math.exp(score(j) / Math.sqrt(size)));
        const total = sum(powers);
        const weights = powers.map((p, j) => (p / total) * factor((b * heads + h) * length + i, j));
        for (let e = 0; e < size; ++e) {
          const mixed = sum(weights.map((weight, j) => weight * at(2, b, j, h, e)));
          out.data[(b * length + i) * width + h * size + e] = mixed;
        }
      }
    }
  }
  return out;
}
