import { describe, expect, test } from '@jest/globals';
import { expectBinomial, expectStandardNormal } from '../support/chance.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { attention } from '../support/library.js';
import { Random, type RandomTensor } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

const make = (options: object = {}) =>
  new attention.LearnedPositionalEncoding({ numHiddens: 6, maxLen: 9, seed: 1, ...options });

const grad = (layer: { parameters(): { grad: Float32Array }[] }) => layer.parameters()[0]!.grad;

/** x + weight[offset : offset + n] in float64. */
function added({ data, shape }: RandomTensor, weight: Float32Array, offset = 0) {
  const [n, D] = shape.slice(-2) as [number, number];
  return { data: Float64Array.from(data, (x, at) => x + weight[offset * D + (at % (n * D))]!), shape };
}

describe('LearnedPositionalEncoding agrees with PyTorch', () => {
  test.each(loadFixtures('positional', /^learned/))('on $name', (fixture) => {
    const { max_len, num_hiddens } = fixture.attributes as { max_len: number; num_hiddens: number };
    const layer = make({ numHiddens: num_hiddens, maxLen: max_len });
    layer.loadStateDict({ weight: fixture.input('P') });
    const { output, backward } = layer.forward(fixture.input('X'), { training: true });
    expectFixture(output, fixture.output('output'));
    const { input } = backward!(fixture.input('G'));
    expectFixture(input, fixture.output('grad:X'));
    const gradient = { data: grad(layer), shape: [max_len, num_hiddens] };
    expectFixture(gradient, fixture.output('grad:P'));
  });
});

describe('LearnedPositionalEncoding', () => {
  test.each(SIZES)('adds its rows to tokens of width %i', (numHiddens) => {
    const layer = make({ numHiddens });
    const weight = layer.stateDict().weight!.data;
    for (const [shape, offset] of [
      [[2, 9, numHiddens], 0],
      [[3, 1, numHiddens], 8],
      [[4, numHiddens], 3],
    ] as const) {
      const x = new Random(numHiddens).tensor(shape);
      const expected = added(x, weight, offset);
      expectClose(layer.forward(x, { offset }).output, expected, { atol: (EPS / 2) * maxAbs(expected.data) });
    }
  });

  test('sums the gradients of each row over sequences and passes', () => {
    const layer = make();
    const [x, g] = [new Random(1).tensor([3, 4, 6]), new Random(2).tensor([3, 4, 6])];
    expect(grad(layer)).toEqual(new Float32Array(54));
    const expected = new Float64Array(54);
    for (const offset of [0, 5, 2]) {
      const { input } = layer.forward(x, { training: true, offset }).backward!(g);
      expect(input).toEqual(g);
      g.data.forEach((value, at) => {
        expected[offset * 6 + (at % 24)]! += value;
      });
    }
    // Sums of at most nine terms, each of up to 8 with its roundings.
    expectClose({ data: grad(layer), shape: [54] }, { data: expected, shape: [54] }, { atol: 8 * EPS * 9 });
    grad(layer).fill(7);
    expectClose({ data: grad(layer), shape: [54] }, { data: expected, shape: [54] }, { atol: 8 * EPS * 9 });
  });

  test('has gradients that agree with finite differences, also with dropout', () => {
    const layer = make({ dropout: 0.4 });
    const [x, g] = [new Random(3).tensor([2, 4, 6]), new Random(4).tensor([2, 4, 6])];
    const options = { training: true, seed: 5, offset: 2 };
    const loss = () => layer.forward(x, options).output.data.reduce((sum, y, at) => sum + y * g.data[at]!, 0);
    const { input } = layer.forward(x, options).backward!(g);
    const [weight] = layer.parameters();
    const first = weight!.data;
    // The loss is linear, so the only errors of a step of 1 are the roundings of the 48 outputs, which are up to 8
    // large.
    const tolerance = 48 * 8 * EPS * maxAbs(g.data);
    for (let at = 0; at < first.length; ++at) {
      const steps = [1, -1].map((step) => {
        weight!.set(first.map((value, i) => (i === at ? value + step : value)));
        return loss();
      });
      expect(Math.abs((steps[0]! - steps[1]!) / 2 - weight!.grad[at]!)).toBeLessThan(tolerance);
    }
    weight!.set(first);
    for (let at = 0; at < x.data.length; ++at) {
      const value = x.data[at]!;
      const steps = [1, -1].map((step) => {
        x.data[at] = value + step;
        return loss();
      });
      x.data[at] = value;
      expect(Math.abs((steps[0]! - steps[1]!) / 2 - input.data[at]!)).toBeLessThan(tolerance);
    }
  });

  test('drops elements only in training, and other elements in each pass', () => {
    const layer = make({ maxLen: 50, dropout: 0.3 });
    const x = new Random(5).tensor([4, 50, 6]);
    const plain = layer.forward(x);
    expect(plain.backward).toBeUndefined();
    const first = layer.forward(x, { training: true }).output;
    expectBinomial(first.data.filter((y) => y === 0).length, first.data.length, 0.3);
    first.data.forEach((y, at) => {
      if (y !== 0) expect(Math.abs(y - plain.output.data[at]! / 0.7)).toBeLessThan(16 * EPS);
    });
    expect(layer.forward(x, { training: true }).output).not.toEqual(first);
    expect(make({ maxLen: 50, dropout: 0.3 }).forward(x, { training: true }).output).toEqual(first);
  });

  test('starts with standard normal numbers', () => {
    const { data, shape } = make({ numHiddens: 100, maxLen: 100 }).stateDict().weight!;
    expect(shape).toEqual([100, 100]);
    expectStandardNormal(data);
  });

  test('accepts an empty sequence', () => {
    const empty = { data: new Float32Array(0), shape: [2, 0, 6] };
    const { output, backward } = make().forward(empty, { training: true, offset: 9 });
    expect([output, backward!(empty).input]).toEqual([empty, empty]);
  });

  const layer = make();
  const x = new Random(8).tensor([1, 2, 6]);
  const construct = (options: unknown) => () => new attention.LearnedPositionalEncoding(options as never);
  const forward = (input: unknown, options?: unknown) => () => layer.forward(input as never, options as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['no numHiddens', 'TypeError', construct({ maxLen: 9 })],
    ['no maxLen', 'TypeError', construct({ numHiddens: 6 })],
    ['maxLen 0', 'RangeError', construct({ numHiddens: 6, maxLen: 0 })],
    ['numHiddens 2.5', 'RangeError', construct({ numHiddens: 2.5, maxLen: 9 })],
    ['dropout 1', 'RangeError', construct({ numHiddens: 6, maxLen: 9, dropout: 1 })],
    ['seed -1', 'RangeError', construct({ numHiddens: 6, maxLen: 9, seed: -1 })],
    ['more rows than fit into memory', 'RangeError', construct({ numHiddens: 2 ** 20, maxLen: 2 ** 20 })],
    ['x of another width', 'RangeError', forward(new Random(9).tensor([1, 2, 5]))],
    ['a sequence longer than the table', 'RangeError', forward(new Random(9).tensor([1, 10, 6]))],
    ['an offset that ends beyond the table', 'RangeError', forward(x, { offset: 8 })],
    ['a negative offset', 'RangeError', forward(x, { offset: -1 })],
  ];
  testRejections('LearnedPositionalEncoding', rows, () =>
    expect(layer.forward(x).output.data[0]).toBe(Math.fround(x.data[0]! + layer.stateDict().weight!.data[0]!)),
  );
});
