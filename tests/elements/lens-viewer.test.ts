import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { valuesOf } from '../../web/elements/shared/lens-viewer/lens-map.js';
import type { LensArrays } from '../../web/elements/package-types.js';
import { lensesOf, type Lens } from '../../web/elements/shared/lens-viewer/lens.js';
import { likeliest, rankOf } from '../../web/elements/shared/likeliest.js';
import { npy } from '../support/npy.js';
import { open, stories } from '../models/fixtures.js';

test('the likeliest of many logits are those of a softmax, in its order', () => {
  const property = fc.property(
    fc.array(fc.float({ min: -9, max: 9, noNaN: true }), { minLength: 1, maxLength: 40 }),
    fc.integer({ min: 1, max: 6 }),
    (logits, count) => {
      const sum = logits.reduce((total, logit) => total + Math.exp(logit), 0);
      const sorted = logits.map((logit) => Math.exp(logit) / sum).sort((a, b) => b - a);
      const found = likeliest(logits, count);
      expect(found).toHaveLength(Math.min(count, logits.length));
      found.forEach(({ at, share }, i) => {
        // Sums of at most 40 exponentials in float64.
        expect(Math.abs(share - sorted[i]!)).toBeLessThan(1e-12);
        expect(Math.abs(share - Math.exp(logits[at]!) / sum)).toBeLessThan(1e-12);
      });
    },
  );
  fc.assert(property);
});

test('a rank is a place in the sorted logits, the first of equal ones', () => {
  const property = fc.property(
    fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 40 }),
    fc.nat(),
    (logits, any) => {
      const at = any % logits.length;
      expect(rankOf(logits, at)).toBe([...logits].sort((a, b) => b - a).indexOf(logits[at]!) + 1);
    },
  );
  fc.assert(property);
});

/** Reads all of a lens. */
async function readAll(lens: Lens, followed?: number): Promise<Lens> {
  for await (const _ of lens.read(followed));
  return lens;
}
const first = async (arrays: LensArrays): Promise<Lens> => readAll(lensesOf(arrays).sides[0]!);
/** The most likely ids in all cells. */
const bestOf = ({ best }: Lens): (number | undefined)[] => best.map((each) => each?.[0]?.at);

// Two layers, three tokens, a vocabulary of four.
const LOGITS = [
  [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
  [[0, 0, 0, 1], [0, 0, 1, 0], [0, 2, 1, 0]],
]; // prettier-ignore
const flat = Float32Array.from(LOGITS.flat(2));

describe('the lens', () => {
  test.each<[string, LensArrays['logits']]>([
    ['nested lists', LOGITS],
    ['one array', { data: flat, shape: [2, 3, 4] }],
    ['one array of doubles', { data: Float64Array.from(flat), shape: [2, 3, 4] }],
    ['.npy bytes', npy({ descr: '<f4', shape: [2, 3, 4], values: [...flat] })],
    [
      'an array per layer, of a batch of one',
      [0, 1].map((i) => ({ data: flat.subarray(12 * i, 12 * i + 12), shape: [1, 3, 4] })),
    ],
    [
      'a function per layer',
      [() => ({ data: flat.subarray(0, 12), shape: [3, 4] }), () => Promise.resolve(LOGITS[1]!)],
    ],
  ])('reads %s', async (_, logits) => {
    const lens = await first({ logits, tokens: ['a', 'b', 'c'] });
    expect(bestOf(lens)).toEqual([0, 1, 2, 3, 2, 1]);
    expect(lens).toMatchObject({ layers: 2, tokens: 3, size: 4, ranks: [] });
    const share = Math.E / (Math.E + 3);
    expect(lens.best[0]![0]!.share).toBeCloseTo(share, 6);
    expect(valuesOf(lens, undefined)[0]).toBeCloseTo(share, 6);
  });

  test('ranks a token, and asks functions again only for that', async () => {
    const asked: number[] = [];
    const logits = LOGITS.map((layer, i) => () => (asked.push(i), layer));
    const lens = await first({ logits, tokens: ['a', 'b', 'c'] });
    expect(asked).toEqual([0, 1]);
    await readAll(lens);
    expect(asked).toEqual([0, 1]);
    await readAll(lens, 2);
    expect(asked).toEqual([0, 1, 0, 1]);
    expect(lens.ranks).toEqual([2, 2, 1, 2, 1, 2]);
    // From 1 for the first of four to 0 for the last.
    expect(valuesOf(lens, 2)[2]).toBe(1);
    expect(valuesOf(lens, 2)[0]).toBeCloseTo(0.5, 6);
    await readAll(lens);
    expect(lens.ranks).toEqual([]);
  });

  test('finds tokens as readers write them', () => {
    const vocabulary = ['Lily', 'ĠLily', '▁was', 'x'];
    const { find, nameOf } = lensesOf({ logits: LOGITS, vocabulary });
    expect(['Lily', ' Lily', 'was', '▁was', 'x', 'Tim'].map(find)).toEqual([1, 1, 2, 2, 3, undefined]);
    expect(nameOf(3)).toBe('x');
    const numbers = lensesOf({ logits: LOGITS });
    expect(['3', '4', '-1', 'x'].map(numbers.find)).toEqual([3, undefined, undefined, undefined]);
    expect(numbers.nameOf(3)).toBe('3');
    expect(lensesOf({ logits: LOGITS, vocabulary: ['\n', ' ', 'a', 'b'] }).nameOf(0)).toBe('"\\n"');
  });

  test('of a model ends with what it predicts', async () => {
    const model = await open(stories);
    const ids = [1, 403, 407, 261, 378];
    const { logits } = model.forward([ids]);
    const streams = Object.values(model.activations([ids], /hook_resid_post$/));
    const lens = await first({ logits: streams.map((stream) => () => model.unembed(stream)), tokens: ids.map(String) });
    const last = logits!.data;
    const expected = ids.map((_, token) => {
      const row = [...last.subarray(token * model.vocabSize, (token + 1) * model.vocabSize)];
      return row.indexOf(Math.max(...row));
    });
    expect(bestOf(lens).slice(-ids.length)).toEqual(expected);
    expect(lens.layers).toBe(model.numLayers);
    model.dispose();
  });

  test.each<[string, LensArrays, string]>([
    ['no logits', {} as never, 'expected logits as'],
    ['two axes', { logits: LOGITS[0]! }, 'expected logits of shape (layers, T, V), got (3, 4)'],
    ['a count that differs', { logits: { data: flat, shape: [2, 3, 5] } }, 'got (2, 3, 5)'],
    ['a batch', { logits: [{ data: flat, shape: [2, 3, 4] }] }, 'expected logits[0] of shape (3, 4), got (2, 3, 4)'],
    [
      'other layers beside',
      { logits: LOGITS, ablated: [LOGITS[0]!] },
      'expected ablated of 2 layers and 3 tokens, got 1 and 3',
    ],
    ['functions without tokens', { logits: [() => LOGITS[0]!] }, 'expected tokens, as logits are functions'],
    ['too few tokens', { logits: LOGITS, tokens: ['a'] }, 'expected 3 tokens, got 1'],
    ['a vocabulary of another size', { logits: LOGITS, vocabulary: ['a'] }, 'expected 4 vocabulary, got 1'],
  ])('refuses %s', (_, arrays, message) => {
    expect(() => lensesOf(arrays)).toThrow(message);
  });

  test('refuses what functions give when it comes', async () => {
    const tokens = ['a', 'b', 'c'];
    const read = (layer: () => never): Promise<Lens> => first({ logits: [() => LOGITS[0]!, layer], tokens });
    await expect(read(() => [[1, 2, 3, 4]] as never)).rejects.toThrow('expected logits[1] of shape (3, 4), got (1, 4)');
    await expect(read(() => LOGITS[1]!.map((row) => row.slice(1)) as never)).rejects.toThrow('got (3, 3)');
    await expect(read(() => 'x' as never)).rejects.toThrow('expected logits[1] as');
    await expect(read(() => LOGITS[1]!.map(() => [NaN, 1, NaN, 1]) as never)).rejects.toThrow('got NaN for token 0');
    await expect(first({ logits: [[[NaN, 1], [0, 1]]] })).rejects.toThrow('got NaN for token 0'); // prettier-ignore
  });
});
