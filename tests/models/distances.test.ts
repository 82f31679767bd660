/** Scores with vectors of distances (DeBERTa), by their formula in float64. */
import { expect, test } from '@jest/globals';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type ModelHooks } from 'wasm-attention/models';
import { attention } from '../support/library.js';
import { EPS } from '../support/close.js';
import { checkpoint } from './fixtures.js';

const [D, HEADS, WIDTH] = [18, 3, 6];
const { config, bytes } = checkpoint('deberta-v3-entailment');
const AT = 'deberta.encoder.layer.0.attention.self.';

interface Case {
  readonly kinds: readonly string[];
  readonly buckets?: number;
  readonly most?: number;
  readonly shares?: boolean;
  readonly norms?: boolean;
}

/** The distance's row before it is clamped, as the paper's code has it. */
function place(distance: number, { buckets = 0, most = 64 }: Case): number {
  const middle = Math.floor(buckets / 2);
  if (buckets === 0 || Math.abs(distance) <= middle) return distance;
  const far = Math.log(Math.abs(distance) / middle) / Math.log((most - 1) / middle);
  return Math.sign(distance) * (Math.ceil(far * (middle - 1)) + middle);
}

const numbers = (...shape: number[]): Tensor => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => 0.4 * Math.sin(i * i + shape[0]!)),
  shape,
});

test.each<[string, Case]>([
  ['keys of distances', { kinds: ['c2p'], buckets: 8 }],
  ['queries of distances', { kinds: ['p2c'], buckets: 8 }],
  ['both', { kinds: ['c2p', 'p2c'], buckets: 8 }],
  ['maps of their own', { kinds: ['c2p', 'p2c'], buckets: 8, shares: false }],
  ['no buckets', { kinds: ['p2c', 'c2p'] }],
  ['a short reach', { kinds: ['c2p', 'p2c'], most: 5 }],
  ['an odd number of buckets', { kinds: ['c2p', 'p2c'], buckets: 7, most: 30 }],
  ['no norm', { kinds: ['c2p', 'p2c'], buckets: 8, norms: false }],
  ['neither', { kinds: [] }],
])('%s', async (_, one) => {
  const { kinds, buckets = -1, most = -1, shares = true, norms = true } = one;
  const span = buckets > 0 ? buckets : most > 0 ? most : 64;
  const weights: Record<string, Tensor> = {
    ...readSafetensors(bytes),
    'deberta.encoder.rel_embeddings.weight': numbers(2 * span, D),
  };
  for (const layer of shares ? [] : [0, 1]) {
    for (const map of ['key', 'query']) {
      const at = AT.replace('0', String(layer));
      Object.assign(weights, {
        [`${at}pos_${map}_proj.weight`]: numbers(D, D),
        [`${at}pos_${map}_proj.bias`]: numbers(D),
      });
    }
  }
  const model = await openModel({
    config: {
      ...config,
      pos_att_type: kinds,
      position_buckets: buckets,
      max_relative_positions: most,
      share_att_key: shares,
      norm_rel_ebd: norms ? 'layer_norm' : 'none',
    },
    weights,
    attention,
  });
  const rowsOf = ({ data }: Tensor): number[][] =>
    Array.from({ length: data.length / D }, (_, r) => Array.from(data.slice(r * D, (r + 1) * D)));
  const [scale, shift] = ['weight', 'bias'].map((part) => weights[`deberta.encoder.LayerNorm.${part}`]!.data);
  const table = rowsOf(weights['deberta.encoder.rel_embeddings.weight']!).map((row) => {
    if (!norms) return row;
    const mean = row.reduce((a, b) => a + b) / D;
    const deviation = Math.sqrt(row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / D + 1e-7);
    return row.map((x, i) => ((x - mean) / deviation) * scale![i]! + shift![i]!);
  });
  const mapped = (map: string): number[][] => {
    const name = `${AT}${shares ? '' : 'pos_'}${map}_proj`;
    const [weight, bias] = [rowsOf(weights[`${name}.weight`]!), weights[`${name}.bias`]!.data];
    return table.map((x) => weight.map((row, o) => row.reduce((sum, w, i) => sum + w * x[i]!, bias[o]!)));
  };
  const [keys, queries] = [mapped('key'), mapped('query')];

  for (const tokens of [1, 2, 7, 33]) {
    const seen: Record<string, Tensor> = {};
    const see = (name: string) => (tensor: Tensor) => void (seen[name] = tensor);
    const hooks: ModelHooks = Object.fromEntries(
      ['q', 'k', 'attn_scores'].map((name) => [`blocks.0.attn.hook_${name}`, see(name)]),
    );
    const ids = [0, 1].map((b) => Array.from({ length: tokens }, (_, t) => 3 + ((5 * t + 11 * b) % 50)));
    model.forward(ids, { hooks });
    const vector = ({ data }: Tensor, b: number, h: number, t: number): Float32Array =>
      data.subarray(((b * HEADS + h) * tokens + t) * WIDTH, ((b * HEADS + h) * tokens + t + 1) * WIDTH);
    let worst = 0;
    seen.attn_scores!.data.forEach((score, at) => {
      const [j, i] = [at % tokens, Math.floor(at / tokens) % tokens];
      const h = Math.floor(at / tokens ** 2) % HEADS;
      const b = Math.floor(at / tokens ** 2 / HEADS);
      const row = Math.max(0, Math.min(2 * span - 1, place(i - j, { ...one, most: most > 0 ? most : 64 }) + span));
      const [q, k] = [vector(seen.q!, b, h, i), vector(seen.k!, b, h, j)];
      let sum = 0;
      for (let e = 0; e < WIDTH; ++e) {
        sum += q[e]! * k[e]!;
        if (kinds.includes('c2p')) sum += q[e]! * keys[row]![h * WIDTH + e]!;
        if (kinds.includes('p2c')) sum += k[e]! * queries[row]![h * WIDTH + e]!;
      }
      worst = Math.max(worst, Math.abs(score - sum / Math.sqrt(WIDTH * (1 + kinds.length))));
    });
    // Sums of at most 18 products of numbers below 8, three times.
    expect(worst).toBeLessThan(128 * EPS);
  }
  model.dispose();
});
