import { ACTIVATIONS, type ActivationName } from './feedForward.js';
import { layerNorm } from './layerNorm.js';
import { linear } from './linear.js';
import { multiHeadAttention, type MultiHeadReferenceParameters } from './multiHeadAttention.js';
import { rmsNorm } from './rmsNorm.js';
import type { AttentionReferenceOptions } from './scaledDotProductAttention.js';
import type { Numbers, Reference } from './tensor.js';

export interface BlockReferenceOptions {
  numHeads: number;
  numKvHeads?: number;
  norm?: 'pre' | 'post';
  normType?: 'layer' | 'rms';
  eps?: number;
  activation?: ActivationName;
  rotary?: MultiHeadReferenceParameters['rotary'];
  headEps?: number;
  self?: AttentionReferenceOptions;
  cross?: AttentionReferenceOptions;
}

export type State = Readonly<Record<string, Numbers>>;

/** The names of multi-head attention's parameters, from the block's. */
function headState(state: State, prefix: string, numHeads: number, numKvHeads: number): State {
  const out = state[`${prefix}.out_proj.weight`]!;
  const queries = out.shape[1]!;
  const keys = (queries / numHeads) * numKvHeads;
  const rowsOf = ({ data, shape }: Numbers, from: number, count: number): Numbers => {
    const width = data.length / shape[0]!;
    return {
      data: Array.from(data).slice(from * width, (from + count) * width),
      shape: [count, ...shape.slice(1)],
    };
  };
  const found: Record<string, Numbers> = { 'W_o.weight': out };
  for (const part of ['weight', 'bias']) {
    const joined = state[`${prefix}.in_proj_${part}`];
    if (!joined) continue;
    found[`W_q.${part}`] = rowsOf(joined, 0, queries);
    found[`W_k.${part}`] = rowsOf(joined, queries, keys);
    found[`W_v.${part}`] = rowsOf(joined, queries + keys, keys);
  }
  const bias = state[`${prefix}.out_proj.bias`];
  if (bias) found['W_o.bias'] = bias;
  for (const norm of ['q_norm', 'k_norm']) {
    const weight = state[`${prefix}.${norm}.weight`];
    if (weight) found[`${norm}.weight`] = weight;
  }
  return found;
}

/**
 * A layer of an encoder, or with `memory` of a decoder, of x (B, L, D), in the order of its sublayers. The state's
 * entries decide whether the feed-forward network is gated and which parts have biases.
 */
export function transformerBlock(
  x: Numbers,
  memory: Numbers | undefined,
  state: State,
  options: BlockReferenceOptions,
): { output: Reference; weights: Reference; crossWeights: Reference | undefined } {
  const { numHeads, numKvHeads = numHeads, norm = 'post', normType = 'layer', activation = 'relu' } = options;
  const eps = options.eps ?? (normType === 'rms' ? 1e-6 : 1e-5);
  const width = x.shape[2]!;
  const rowsOf = (y: Numbers): Numbers => ({ data: y.data, shape: [y.data.length / width, width] });
  const normalise = (y: Numbers, name: string): Reference => {
    const weight = state[`${name}.weight`]!;
    const normed =
      normType === 'rms' ? rmsNorm(rowsOf(y), eps, weight) : layerNorm(rowsOf(y), eps, weight, state[`${name}.bias`]);
    return { data: normed.data, shape: x.shape };
  };
  const sublayer = (y: Numbers, name: string, f: (of: Numbers) => Numbers): Reference => {
    const of = norm === 'pre' ? normalise(y, name) : y;
    const added = f(of).data;
    const sum = { data: Float64Array.from(y.data, (v, i) => v + added[i]!), shape: x.shape };
    return norm === 'pre' ? sum : normalise(sum, name);
  };
  let weights: Reference | undefined;
  let crossWeights: Reference | undefined;
  const attend = (prefix: string, of: Numbers, over: Numbers, given: AttentionReferenceOptions = {}) => {
    const { rotary, headEps } = options;
    const parameters: MultiHeadReferenceParameters = {
      numHeads,
      numKvHeads,
      state: headState(state, prefix, numHeads, numKvHeads),
      ...(rotary && prefix === 'self_attn' && { rotary }),
      ...(headEps !== undefined && { eps: headEps }),
    };
    return multiHeadAttention(of, over, over, parameters, given);
  };
  let y = sublayer(x, 'norm1', (of) => {
    const result = attend('self_attn', of, of, options.self);
    weights = result.weights;
    return result.output;
  });
  if (memory) {
    y = sublayer(y, 'norm2', (of) => {
      const result = attend('multihead_attn', of, memory, options.cross);
      crossWeights = result.weights;
      return result.output;
    });
  }
  const [f] = ACTIVATIONS[activation];
  y = sublayer(y, memory ? 'norm3' : 'norm2', (of) => {
    const map = (rows: Numbers, name: string): Reference =>
      linear(rows, state[`${name}.weight`]!, state[`${name}.bias`]);
    const rows = rowsOf(of);
    if (!state['gate_proj.weight']) {
      const hidden = map(rows, 'linear1');
      return map({ ...hidden, data: hidden.data.map(f) }, 'linear2');
    }
    const [gate, up] = [map(rows, 'gate_proj'), map(rows, 'up_proj')];
    return map({ ...gate, data: gate.data.map((v, i) => f(v) * up.data[i]!) }, 'down_proj');
  });
  return { output: y, weights: weights!, crossWeights };
}
