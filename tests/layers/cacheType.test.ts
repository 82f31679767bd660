/** Caches of float16 and int8, which keep keys in float16, against float64 attention over the rounded numbers. */
import { describe, expect, test } from '@jest/globals';
import { allocator, attention } from '../fuzz/watched.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { EPS, expectClose, maxAbs, type Numbers } from '../support/close.js';
import { Random } from '../support/random.js';
import { expectRejected } from '../support/rejections.js';
import { tokens } from '../support/tokens.js';
import { scaledDotProductAttention } from '../reference/scaledDotProductAttention.js';
import { float16, rounded } from '../reference/weightTypes.js';

const SMALL = ['float16', 'int8'] as const;
type Small = (typeof SMALL)[number];

/** The rounded keys of heads (B, H, S, E). */
const keptKeys = ({ data, shape }: Numbers): Numbers => ({ data: Array.from(data, float16), shape });

/** The rounded values of heads (B, H, S, E). */
function keptValues({ data, shape }: Numbers, type: Small): Numbers {
  const width = shape.at(-1)!;
  if (type === 'float16') return keptKeys({ data, shape });
  const rows = Array.from({ length: data.length / width }, (_, i) => {
    const { q, scale } = rounded(Array.from(data).slice(i * width, (i + 1) * width), 127);
    return q.map((value) => Math.fround(value * scale));
  });
  return { data: rows.flat(), shape };
}

/** (B, S, H·E) as (B, H, S, E). */
function heads({ data, shape }: Numbers, count: number): Numbers {
  const [B, S, D] = shape as [number, number, number];
  const width = D / count;
  const out = new Float32Array(data.length);
  for (let b = 0; b < B; ++b)
    for (let h = 0; h < count; ++h)
      for (let s = 0; s < S; ++s)
        for (let e = 0; e < width; ++e)
          out[((b * count + h) * S + s) * width + e] = data[(b * S + s) * D + h * width + e]!;
  return { data: out, shape: [B, count, S, width] };
}

/** A layer whose projections are the identity. */
function identity(width: number, count: number, numKvHeads = count) {
  const numHiddens = width * count;
  const layer = new attention.MultiHeadAttention({ numHiddens, numHeads: count, numKvHeads });
  const eye = (rows: number) => ({
    data: Float32Array.from({ length: rows * numHiddens }, (_, i) =>
      Number(i % numHiddens === Math.floor(i / numHiddens)),
    ),
    shape: [rows, numHiddens],
  });
  layer.loadStateDict({
    'W_q.weight': eye(numHiddens),
    'W_k.weight': eye(numKvHeads * width),
    'W_v.weight': eye(numKvHeads * width),
    'W_o.weight': eye(numHiddens),
  });
  return layer;
}

describe.each(SMALL)('a cache of %s', (cacheType) => {
  test.each([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33])('attends to its rounded values, in heads of %i', (width) => {
    const [B, H, S] = [2, 3, 12];
    const layer = identity(width, H);
    const x = new Random(width).tensor([B, S, H * width]);
    const cache = layer.createCache({ batch: B, maxLength: S, cacheType });
    const all = heads(x, H);
    const oracle = scaledDotProductAttention(all, keptKeys(all), keptValues(all, cacheType), {
      isCausal: true,
    });
    // Several tokens at once, then one after another.
    let from = 0;
    for (const to of [5, 6, 7, 11, 12]) {
      const piece = tokens(x, from, to);
      const { output, weights } = layer.forward(piece, piece, piece, {
        cache,
        isCausal: true,
        needWeights: true,
      });
      const rows = Array.from({ length: to - from }, (_, i) => from + i);
      const pick = ({ data, shape }: Numbers, columns: number): Numbers => {
        const size = shape.at(-1)!;
        const picked = Array.from({ length: B * H }, (_, head) =>
          rows.map((row) => Array.from(data).slice((head * S + row) * size, (head * S + row) * size + columns)),
        );
        return { data: picked.flat(2), shape: [B, H, rows.length, columns] };
      };
      const expected = { output: pick(oracle.output, width), weights: pick(oracle.weights, to) };
      expectAttention({ output: heads(output, H), weights }, expected, x);
      from = to;
    }
    cache.dispose();
    layer.dispose();
  });

  test('works with grouped heads, windows and options that need all scores', () => {
    const [B, H, S, width] = [2, 4, 9, 6];
    const layer = identity(width, H, 2);
    const random = new Random(7);
    const x = random.tensor([B, S, H * width]);
    const narrow = { data: tokens(x, 0, S).data, shape: x.shape };
    const keys = heads(narrow, H);
    const shared = {
      data: keys.data as Float32Array,
      shape: keys.shape,
    };
    // The columns of the first two heads are those of keys and values.
    const half: Numbers = {
      data: Array.from({ length: B }, (_, b) =>
        Array.from(shared.data).slice(b * H * S * width, (b * H + 2) * S * width),
      ).flat(),
      shape: [B, 2, S, width],
    };
    for (const options of [{ window: 3 }, { softcap: 5 }, { window: [2, 0] as const, scale: 0.3 }]) {
      const cache = layer.createCache({ batch: B, maxLength: S, cacheType });
      const oracle = scaledDotProductAttention(keys, keptKeys(half), keptValues(half, cacheType), {
        ...options,
        isCausal: true,
      });
      for (let t = 0; t < S; ++t) {
        const one = tokens(x, t, t + 1);
        const { output } = layer.forward(one, one, one, { cache, isCausal: true, ...options });
        const expected: Numbers = {
          data: Array.from({ length: B * H }, (_, i) =>
            Array.from(oracle.output.data).slice((i * S + t) * width, (i * S + t + 1) * width),
          ).flat(),
          shape: [B, H, 1, width],
        };
        expectAttention({ output: heads(output, H) }, { output: expected }, x);
      }
      cache.dispose();
    }
    layer.dispose();
  });

  test('is close to float32 in transformer layers, also for a decoder’s memory', () => {
    const [B, S, D] = [2, 6, 24];
    const random = new Random(3);
    const [x, memory] = [random.tensor([B, S, D]), random.tensor([B, 7, D])];
    const options = { numHiddens: D, numHeads: 3, ffnHiddens: 16, dropout: 0, seed: 1 };
    const encoder = new attention.TransformerEncoderLayer(options);
    const decoder = new attention.TransformerDecoderLayer(options);
    const step = cacheType === 'float16' ? 2 ** -11 : 1 / 254;
    const run = (type?: Small) => {
      const caches = [encoder, decoder].map((layer) =>
        layer.createCache({ batch: B, maxLength: S, ...(type && { cacheType: type }) }),
      );
      const outputs = [];
      for (let t = 0; t < S; ++t) {
        const one = tokens(x, t, t + 1);
        outputs.push(
          encoder.forward(one, { cache: caches[0]!, isCausal: true }).output,
          decoder.forward(one, memory, { cache: caches[1]! }).output,
        );
      }
      caches.forEach((cache) => cache.dispose());
      return outputs;
    };
    const plain = run();
    const small = run(cacheType);
    let differs = false;
    plain.forEach((expected, i) => {
      differs ||= maxAbs(expected.data.map((value, k) => value - small[i]!.data[k]!)) > 4 * EPS;
      // Keys and values of unit size are off by one step; the norms after attention may multiply that by a few.
      expectClose(small[i], expected, { atol: 16 * step });
    });
    expect(differs).toBe(true);
    encoder.dispose();
    decoder.dispose();
  });

  test('takes its share of the memory', () => {
    const layer = new attention.MultiHeadAttention({ numHiddens: 512, numHeads: 8 });
    const bytes = (type?: Small) => {
      const before = allocator.liveBytes;
      const cache = layer.createCache({ batch: 1, maxLength: 1024, ...(type && { cacheType: type }) });
      const used = allocator.liveBytes - before;
      cache.dispose();
      return used;
    };
    expect(bytes(cacheType) / bytes()).toBeLessThan(cacheType === 'float16' ? 0.501 : 0.384);
    layer.dispose();
  });
});

const layer = new attention.MultiHeadAttention({ numHiddens: 8, numHeads: 2 });
const encoder = new attention.TransformerEncoderLayer({ numHiddens: 8, numHeads: 2, ffnHiddens: 8 });
test.each([
  ['of another type', 'RangeError', 'int4'],
  ['in capitals', 'RangeError', 'INT8'],
  ['that is a number', 'TypeError', 2],
  ['that is null', 'TypeError', null],
] as const)('refuses a cacheType %s with a %s', (_, kind, cacheType) => {
  for (const each of [layer, encoder])
    expectRejected('createCache', kind, () =>
      each.createCache({ batch: 1, maxLength: 4, cacheType: cacheType as never }),
    );
});

test('a cache of float16 refuses 65520 and more, and stays as it was', () => {
  const layer = identity(4, 2);
  const cache = layer.createCache({ batch: 1, maxLength: 8, cacheType: 'float16' });
  const x = new Random(5).tensor([1, 2, 8]);
  const plain = layer.forward(x, x, x, { cache, isCausal: true }).output;
  for (const name of ['keys', 'values'] as const) {
    const large = { ...x, data: x.data.map((value, i) => (i === 11 ? -65520 : value)) };
    const [k, v] = name === 'keys' ? [large, x] : [x, large];
    expectRejected('MultiHeadAttention', 'RangeError', () => layer.forward(x, k, v, { cache }));
    expect(() => layer.forward(x, k, v, { cache })).toThrow(`${name} within float16, below 65520`);
  }
  expect(cache.length).toBe(2);
  cache.reset();
  expect(layer.forward(x, x, x, { cache, isCausal: true }).output).toEqual(plain);
  layer.dispose();
});

test("a decoder's cache of float16 refuses 65520 and more in its memory, and stays as it was", () => {
  const layer = new attention.TransformerDecoderLayer({ numHiddens: 8, numHeads: 2, ffnHiddens: 4 });
  const cache = layer.createCache({ batch: 1, maxLength: 8, cacheType: 'float16' });
  const [x, memory] = [new Random(6).tensor([1, 2, 8]), new Random(7).tensor([1, 3, 8])];
  const large = { ...memory, data: memory.data.map((value) => 1e6 * value) };
  expect(() => layer.forward(x, large, { cache })).toThrow(RangeError);
  expect(() => layer.forward(x, large, { cache })).toThrow(/within float16, below 65520/);
  expect(cache.length).toBe(0);
  const fresh = layer.createCache({ batch: 1, maxLength: 8, cacheType: 'float16' });
  expect(layer.forward(x, memory, { cache }).output).toEqual(layer.forward(x, memory, { cache: fresh }).output);
  layer.dispose();
});
