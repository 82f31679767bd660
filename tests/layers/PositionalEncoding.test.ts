import { describe, expect, test } from '@jest/globals';
import { sinusoidalEncoding as reference } from '../reference/sinusoidalEncoding.js';
import { expectBinomial } from '../support/chance.js';
import { EPS, expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { expectRejected, testRejections, type Rejection } from '../support/rejections.js';

const make = (options: object = {}) => new attention.PositionalEncoding({ numHiddens: 6, ...options });

/** x + P in float64, where P starts at position `offset`. */
function added(x: { data: Float32Array; shape: readonly number[] }, offset: number, base?: number) {
  const [B, n, D] = x.shape as [number, number, number];
  const P = reference({ length: n, dim: D, offset, ...(base && { base }) }).data;
  return { data: Float64Array.from(x.data, (value, at) => value + P[at % (n * D)]!), shape: [B, n, D] };
}

/**
 * An entry of P is off by EPS/4 (half an ulp below 1) and by 1e-8 from its float64 angle. The sum is below 8, so half
 * an ulp of it is 2·EPS.
 */
const TOLERANCE = { atol: EPS / 4 + 2 * EPS + 1e-8 };

describe('PositionalEncoding', () => {
  test.each([1, 2, 3, 5, 6, 7, 8, 17, 32, 33])('adds the table P to tokens of width %i', (numHiddens) => {
    const encoding = make({ numHiddens });
    for (const n of [1, 2, 7, 60]) {
      const x = new Random(n).tensor([2, n, numHiddens]);
      const before = [...x.data];
      expectClose(encoding.forward(x).output, added(x, 0), TOLERANCE);
      expect([...x.data]).toEqual(before);
    }
  });

  test('returns a copy of the textbook table of maxLen rows as P', () => {
    const encoding = make({ numHiddens: 32, maxLen: 60 });
    expectClose(encoding.P, reference({ length: 60, dim: 32 }), { atol: EPS / 4 + 1e-8 });
    encoding.P.data.fill(7);
    expect(encoding.P.data[0]).toBe(0);
    expect(make().P.shape).toEqual([1000, 6]);
  });

  test('makes its table longer for inputs longer than maxLen', () => {
    const encoding = make({ maxLen: 5 });
    const x = new Random(1).tensor([1, 40, 6]);
    expectClose(encoding.forward(x).output, added(x, 0), TOLERANCE);
    expect(encoding.P.shape[1]).toBe(6);
    expect(encoding.P.shape[0]).toBeGreaterThanOrEqual(40);
    const later = new Random(2).tensor([1, 3, 6]);
    expectClose(encoding.forward(later, { offset: 5000 }).output, added(later, 5000), TOLERANCE);
    const again = new Random(3).tensor([2, 4, 6]);
    expectClose(encoding.forward(again).output, added(again, 0), TOLERANCE);
  });

  test('accepts an offset and another base', () => {
    const x = new Random(4).tensor([2, 5, 6]);
    expectClose(make().forward(x, { offset: 17 }).output, added(x, 17), TOLERANCE);
    expectClose(make({ base: 100 }).forward(x, { offset: 3 }).output, added(x, 3, 100), TOLERANCE);
  });

  test('drops elements only in training, and divides the others by 1 - p', () => {
    const x = new Random(5).tensor([4, 50, 6]);
    const [encoding, twin] = [make({ dropout: 0.3, seed: 9 }), make({ dropout: 0.3, seed: 9 })];
    const plain = encoding.forward(x).output;
    expectClose(plain, added(x, 0), TOLERANCE);
    const { output } = encoding.forward(x, { training: true });
    let dropped = 0;
    output.data.forEach((y, at) => {
      if (y === 0) ++dropped;
      else expect(Math.abs(y - plain.data[at]! / 0.7)).toBeLessThan(8 * EPS);
    });
    expectBinomial(dropped, output.data.length, 0.3);
    expect(twin.forward(x, { training: true }).output).toEqual(output);
    expect(encoding.forward(x).output).toEqual(plain);
  });

  test('drops the same elements of a large gradient, which is not computed in pieces', () => {
    const [batch, rows, width] = [3, 200, 512];
    const encoding = new attention.PositionalEncoding({ numHiddens: width, maxLen: rows, dropout: 0.3, seed: 9 });
    const ones = { data: new Float32Array(batch * rows * width).fill(1), shape: [batch, rows, width] };
    const { output, backward } = encoding.forward(ones, { training: true });
    const { data } = backward!(ones).input;
    const plain = encoding.forward(ones).output.data;
    // Rounded as in C++: 1 - p, its inverse, the product.
    const scale = Math.fround(1 / Math.fround(1 - Math.fround(0.3)));
    const wrong = output.data.findIndex((y, i) => y !== (data[i] === 0 ? 0 : Math.fround(plain[i]! * scale)));
    expect(wrong).toBe(-1);
  });

  test('has no parameters, and accepts only an empty state', () => {
    const encoding = make();
    expect(encoding.parameters()).toEqual([]);
    expect(encoding.stateDict()).toEqual({});
    encoding.loadStateDict({});
    expectRejected('PositionalEncoding', 'RangeError', () => encoding.loadStateDict({ P: [[1]] }));
  });

  test('accepts an empty sequence', () => {
    expect(make().forward({ data: new Float32Array(0), shape: [2, 0, 6] }).output).toEqual({
      data: new Float32Array(0),
      shape: [2, 0, 6],
    });
  });

  test('has no table after dispose', () => {
    const encoding = make();
    encoding.dispose();
    expectRejected('PositionalEncoding', 'TypeError', () => encoding.P);
  });

  const encoding = make();
  const x = new Random(7).tensor([1, 2, 6]);
  const construct = (options: unknown) => () => new attention.PositionalEncoding(options as never);
  const forward = (input: unknown, options?: unknown) => () => encoding.forward(input as never, options as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['no numHiddens', 'TypeError', construct({})],
    ['numHiddens 0', 'RangeError', construct({ numHiddens: 0 })],
    ['numHiddens 2.5', 'RangeError', construct({ numHiddens: 2.5 })],
    ['numHiddens as a string', 'TypeError', construct({ numHiddens: '6' })],
    ['dropout 1', 'RangeError', construct({ numHiddens: 6, dropout: 1 })],
    ['maxLen -1', 'RangeError', construct({ numHiddens: 6, maxLen: -1 })],
    ['base 0', 'RangeError', construct({ numHiddens: 6, base: 0 })],
    ['x of another width', 'RangeError', forward(new Random(8).tensor([1, 2, 5]))],
    ['x of rank 1', 'RangeError', forward([1, 2, 3, 4, 5, 6])],
    ['a negative offset', 'RangeError', forward(x, { offset: -1 })],
    ['a fractional offset', 'RangeError', forward(x, { offset: 0.5 })],
  ];
  testRejections('PositionalEncoding', rows, () => expectClose(encoding.forward(x).output, added(x, 0), TOLERANCE));
});
