/**
 * Every option of attention in an architecture, whether or not a family uses it: a pass gives the same as
 * scaledDotProductAttention with this option. Families that do not exist can be added only to the sources.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { load, type AttentionOptions, type Tensor, type TensorLike } from '../../web/lib/index.js';
import { openModel, type Model, type ModelHooks } from '../../web/lib/models.js';
import type { Architecture } from '../../web/lib/models/config/architecture.js';
import { FAMILIES } from '../../web/lib/models/families/index.js';
import { llama } from '../../web/lib/models/families/llama.js';
import { readSafetensors } from 'wasm-attention';
import { EPS, expectClose } from '../support/close.js';
import { checkpoint } from './fixtures.js';

const HEADS = 4;
const TOKENS = 6;
const attention = await load();
const { bytes, config } = checkpoint('llama-grouped');
const numbers = (count: number, by: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(by * (i + 1)));
const sinks = [numbers(HEADS, 2), numbers(HEADS, 3)];
const table = { data: numbers(5 * HEADS, 1.7), shape: [5, HEADS] };
const weights: Record<string, TensorLike> = {
  ...readSafetensors(bytes),
  'model.bias.weight': table,
  'model.layers.0.sinks': { data: sinks[0]!, shape: [HEADS] },
  'model.layers.1.sinks': { data: sinks[1]!, shape: [HEADS] },
};
const ids = [Array.from({ length: TOKENS }, (_, i) => 3 + 7 * i), Array.from({ length: TOKENS }, (_, i) => 60 - 5 * i)];

/** One bias each for keys at distances of at most -2, -1, 0, 1 and at least 2. */
const rowOf = (distance: number): number => Math.max(-2, Math.min(2, distance)) + 2;
const relativeBias = (queries: number, keys: number): Tensor => {
  const past = keys - queries;
  const of = (h: number, i: number, j: number): number => table.data[rowOf(j - past - i) * HEADS + h]!;
  const data = Float32Array.from({ length: HEADS * queries * keys }, (_, at) =>
    of(Math.floor(at / queries / keys), Math.floor(at / keys) % queries, at % keys),
  );
  return { data, shape: [HEADS, queries, keys] };
};

type Change = (a: Architecture) => Partial<Architecture>;
const withSinks: Change = ({ names }) => ({
  names: { ...names, layer: (i) => ({ ...names.layer(i), sinks: `layers.${i}.sinks` }) },
});
const withBias: Change = ({ names }) => ({
  rotary: undefined,
  positionKind: 'relative',
  relativeBias: { rows: 5, rowOf },
  names: { ...names, relativeBias: 'bias' },
});
const SCHEMES: Record<string, [change: Change, options: (layer: number) => AttentionOptions]> = {
  'a score scale': [() => ({ scale: 1 }), () => ({ scale: 1 })],
  'a softcap': [() => ({ softcap: 0.5 }), () => ({ softcap: 0.5 })],
  sinks: [withSinks, (layer) => ({ sinks: sinks[layer] })],
  ALiBi: [
    () => ({ rotary: undefined, positionKind: 'alibi' }),
    () => ({ alibiSlopes: [0.25, 0.0625, 0.015625, 0.00390625] }),
  ],
  'a learned bias of distances': [withBias, () => ({ bias: relativeBias(TOKENS, TOKENS) })],
  'windows before a query': [
    () => ({ windows: [undefined, { left: 2 }] }),
    (layer) => (layer === 0 ? {} : { window: [2, -1] }),
  ],
  'windows on both sides': [
    () => ({ windows: [{ left: 1, right: 2 }, { right: 0 }] }),
    (layer) => ({ window: layer === 0 ? [1, 2] : [-1, 0] }),
  ],
  'all of these': [
    (a) => ({ scale: 0.7, softcap: 2, windows: [{ left: 3, right: 1 }], ...withBias({ ...a, ...withSinks(a) }) }),
    (layer) => ({
      ...{ scale: 0.7, softcap: 2, sinks: sinks[layer], bias: relativeBias(TOKENS, TOKENS) },
      ...(layer === 0 ? { window: [3, 1] } : {}),
    }),
  ],
};

const families = FAMILIES as Record<string, typeof llama>;
afterAll(() => {
  delete families.test;
});

async function open(change: Change, causal: boolean): Promise<Model> {
  families.test = (fields) => {
    const a = { ...llama(fields), causal };
    return { ...a, ...change(a) };
  };
  return openModel({ config: { ...config, model_type: 'test' }, weights, attention });
}

describe.each(Object.entries(SCHEMES))('%s', (_, [change, options]) => {
  test.each([true, false])('work in a pass as in scaledDotProductAttention (causal: %p)', async (causal) => {
    const model = await open(change, causal);
    const seen: Record<string, Tensor> = {};
    const names = ['rot_q', 'rot_k', 'v', 'z', 'attn_scores', 'pattern'].map((name) => `attn.hook_${name}`);
    const hooks: ModelHooks = {};
    for (const name of names.flatMap((name) => [`blocks.0.${name}`, `blocks.1.${name}`])) {
      hooks[name] = (value) => void (seen[name] = { data: value.data.slice(), shape: value.shape });
    }
    const { hidden } = model.forward(ids, { hooks });
    const plain = model.forward(ids, { needWeights: true });
    expectClose(hidden, plain.hidden, { atol: 64 * EPS });
    for (const layer of [0, 1]) {
      const at = (name: string): Tensor => seen[`blocks.${layer}.attn.hook_${name}`]!;
      const expected = attention.scaledDotProductAttention(at('rot_q'), at('rot_k'), at('v'), {
        ...{ isCausal: causal, needWeights: true, needScores: 'masked' },
        ...options(layer),
      });
      // Values are below 4, and scores below 8.
      expectClose(at('z'), expected.output, { atol: 16 * EPS });
      expectClose(at('attn_scores'), expected.scores!, { atol: 16 * EPS });
      expectClose(at('pattern'), expected.weights!, { atol: 16 * EPS });
      expectClose(plain.weights![layer], expected.weights!, { atol: 16 * EPS });
    }
    model.dispose();
  });

  test('give the same with a cache', async () => {
    const model = await open(change, true);
    const { hidden } = model.forward(ids);
    const width = hidden.shape[2]!;
    for (const sizes of [
      [1, 1, 1, 1, 1, 1],
      [3, 2, 1],
      [1, 5],
    ]) {
      const cache = model.createCache({ batch: 2, maxLength: TOKENS });
      let from = 0;
      for (const size of sizes) {
        const part = model.forward(
          ids.map((row) => row.slice(from, from + size)),
          { cache },
        );
        const rows = ids.map((_, b) =>
          hidden.data.slice((b * TOKENS + from) * width, (b * TOKENS + from + size) * width),
        );
        const data = Float32Array.from(rows.flatMap((row) => [...row]));
        expectClose(part.hidden, { data, shape: [2, size, width] }, { atol: 64 * EPS });
        from += size;
      }
      cache.dispose();
    }
    model.dispose();
  });
});

test.each(['ALiBi', 'a learned bias of distances'])(
  "positions: 'none' takes away %s, and places are refused",
  async (scheme) => {
    const model = await open(SCHEMES[scheme]![0], false);
    const none = await open(() => ({ rotary: undefined, positionKind: 'none' }), false);
    expect(model.forward(ids, { positions: 'none' }).hidden).toEqual(none.forward(ids).hidden);
    expect(model.forward(ids).hidden).not.toEqual(none.forward(ids).hidden);
    expect(() => model.forward(ids, { positions: ids })).toThrow(
      'forward: expected no positions for test, which uses only distances, got some',
    );
    model.dispose();
    none.dispose();
  },
);
