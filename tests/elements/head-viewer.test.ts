import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HeadArrays } from '../../web/elements/package-types.js';
import { headsOf } from '../../web/elements/shared/heads/heads.js';
import { numbersIn, partAround } from '../../web/elements/shared/heads/part.js';
import { mapsOf } from '../support/mapsOf.js';

/** Numbers that encode their own indices. */
const numbered = (shape: readonly number[]): { data: Float32Array; shape: readonly number[] } => ({
  data: Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, (_, i) => i),
  shape,
});

/** The same as nested lists. */
function nested(shape: readonly number[], from = 0): unknown {
  const [size = 0, ...rest] = shape;
  const step = rest.reduce((product, each) => product * each, 1);
  return Array.from({ length: size }, (_, i) => (rest.length === 0 ? from + i : nested(rest, from + i * step)));
}

const few = fc.integer({ min: 1, max: 4 });
const sizes = fc.tuple(few, few, few, few);

describe('arrays of heads', () => {
  test('give the same maps in each form', () => {
    fc.assert(
      fc.property(sizes, ([layers, heads, rows, columns]) => {
        const shape = [layers, heads, rows, columns];
        const size = rows * columns;
        const expected = Array.from({ length: layers * heads }, (_, map) =>
          Array.from({ length: size }, (_, i) => map * size + i),
        );
        const whole = numbered(shape);
        const each = expected.map((_, i) => i).filter((i) => i < layers);
        const list = each.map((layer) => ({
          data: whole.data.slice(layer * heads * size, (layer + 1) * heads * size),
          shape: [1, heads, rows, columns],
        }));
        const forms = [whole, list, nested(shape)] as HeadArrays['weights'][];
        for (const weights of forms) {
          const read = headsOf({ weights });
          expect([read.layers, read.heads]).toEqual([layers, heads]);
          expect(mapsOf(read)).toEqual(expected);
          expect([read.tokens.length, read.keyTokens.length]).toEqual([rows, columns]);
        }
      }),
    );
  });

  test('may have fewer axes, and their own key tokens', () => {
    expect(headsOf({ weights: numbered([2, 3]) })).toMatchObject({ layers: 1, heads: 1 });
    expect(headsOf({ weights: numbered([5, 2, 3]) })).toMatchObject({ layers: 1, heads: 5 });
    const square = headsOf({ weights: numbered([2, 2]), tokens: ['a', 'b'] });
    expect(square.keyTokens).toEqual(['a', 'b']);
    const cross = headsOf({ weights: numbered([2, 3]), tokens: ['a', 'b'], keyTokens: ['x', 'y', 'z'] });
    expect(cross).toMatchObject({ tokens: ['a', 'b'], keyTokens: ['x', 'y', 'z'] });
    expect(headsOf({ weights: numbered([2, 3]), tokens: ['a', 'b'] }).keyTokens).toEqual(['1', '2', '3']);
  });

  test('of a batch are those of the chosen sample, which alone has to be finite', () => {
    const batch = numbered([3, 2, 2, 2]);
    batch.data[0] = NaN;
    const read = headsOf({ weights: [batch, batch], sample: 1 });
    const maps = [[8, 9, 10, 11], [12, 13, 14, 15]]; // prettier-ignore
    expect(mapsOf(read)).toEqual([...maps, ...maps]);
    expect(() => headsOf({ weights: [batch], sample: 0 })).toThrow(/expected finite numbers, got NaN at 0/);
    for (const sample of [3, -1, 0.5])
      expect(() => headsOf({ weights: [batch], sample })).toThrow(`one of the 3 of a batch, from 0, got ${sample}`);
  });

  test('with isCausal hide the keys after each query, with the last query aligned to the last key', () => {
    expect(headsOf({ weights: numbered([3, 3]) }).mask).toBeUndefined();
    const maskOf = (...shape: number[]): string =>
      headsOf({ weights: numbered(shape), isCausal: true })
        .mask!.map(Number)
        .join('');
    expect([maskOf(2, 3, 3), maskOf(2, 4)]).toEqual(['100110111', '11101111']);
  });

  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /expected weights as/],
    ['a text', 'weights', /expected weights as/],
    ['an empty list', [], /expected weights as/],
    ['a list of texts', [['a']], /expected weights as/],
    ['ragged lists', [[1, 2], [1]], /lists of one length/],
    ['numbers beside lists', [[1], 2], /expected weights as/],
    ['lists in five levels', nested([1, 1, 1, 1, 1]), /expected weights as/],
    ['one axis', numbered([3]), /two to four sizes/],
    ['five axes', numbered([1, 1, 1, 1, 1]), /two to four sizes/],
    ['a size of nothing', numbered([0, 2]), /two to four sizes/],
    ['half a size', { data: [1], shape: [1, 0.5] }, /a shape of whole numbers, got \(1, 0\.5\)/],
    ['too few numbers', { data: [1, 2, 3], shape: [2, 2] }, /expected 4 numbers for \(2, 2\), got 3/],
    ['NaN', { data: [1, 0, NaN, 1], shape: [2, 2] }, /expected finite numbers, got NaN at 2/],
    ['texts for numbers', { data: ['1', '2'], shape: [1, 2] }, /expected finite numbers/],
    ['a batch without a choice', [numbered([2, 1, 2, 2])], /expected sample to choose one of the 2 of a batch/],
    ['layers of two shapes', [numbered([1, 2, 2]), numbered([1, 3, 3])], /layers of one shape/],
  ])('refuse %s', (_, weights, message) => {
    expect(() => headsOf({ weights: weights as HeadArrays['weights'] })).toThrow(message);
  });

  test.each<[string, object, RegExp]>([
    ['too few tokens', { tokens: ['a'] }, /expected 2 tokens, got 1/],
    ['too many keys', { keyTokens: ['a', 'b', 'c'] }, /expected 2 keyTokens, got 3/],
    ['numbers for tokens', { tokens: [1, 2] }, /tokens to be a list of strings/],
    ['a text for tokens', { tokens: 'ab' }, /tokens to be a list of strings/],
    ['a sample of a single array', { sample: 0 }, /expected sample only with a list/],
    ['a text for isCausal', { isCausal: 'no' }, /expected isCausal to be a boolean, got no/],
  ])('refuse %s', (_, names, message) => {
    expect(() => headsOf({ weights: numbered([2, 2]), ...names })).toThrow(message);
  });
});

describe('of more heads than can be drawn', () => {
  test('a part is drawn that has the chosen head, and others on all sides where there are some', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }).chain((all) => fc.tuple(fc.constant(all), fc.integer({ min: 1, max: all }))),
        ([all, chosen]) => {
          const { layers, heads } = partAround({ layers: all, heads: 3 }, { layer: chosen, head: 1 });
          expect(heads).toEqual({ first: 1, last: 3 });
          const numbers = numbersIn(layers);
          expect(numbers).toHaveLength(Math.min(all, 64));
          expect(numbers).toContain(chosen);
          expect(numbers[0] === 1 || numbers[0]! < chosen).toBe(true);
          expect(numbers.at(-1) === all || numbers.at(-1)! > chosen).toBe(true);
        },
      ),
    );
    expect(partAround({ layers: 100, heads: 1 }, { layer: NaN, head: -1 }).layers.first).toBe(1);
  });

  test.each(['as a tensor', 'as lists'])('a million are read at once, %s', (form) => {
    const data = Float32Array.from({ length: 1e6 }, (_, i) => i);
    const lists = (): number[][][][] =>
      Array.from({ length: 1000 }, (_, layer) => Array.from({ length: 1000 }, (_h, head) => [[1000 * layer + head]]));
    const weights = form === 'as lists' ? lists() : { data, shape: [1000, 1000, 1, 1] };
    const { layers, heads, mapOf } = headsOf({ weights });
    expect([layers, heads]).toEqual([1000, 1000]);
    expect(Array.from(mapOf(1000, 2))).toEqual([999_001]);
  });
});
