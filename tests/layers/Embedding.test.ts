import { describe, expect, test } from '@jest/globals';
import { expectStandardNormal } from '../support/chance.js';
import { expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';

const make = (options: object = {}) => new attention.Embedding({ numEmbeddings: 9, dim: 5, seed: 1, ...options });

describe('Embedding', () => {
  test.each([1, 2, 3, 4, 5, 8, 17])('returns the rows of the ids, for rows of width %i', (dim) => {
    const layer = make({ dim });
    const { data } = layer.stateDict().weight!;
    const { output } = layer.forward([
      [8, 0, 3],
      [3, 3, 1],
    ]);
    const expected = [8, 0, 3, 3, 3, 1].flatMap((id) => Array.from(data.slice(id * dim, id * dim + dim)));
    expectClose(output, { data: Float64Array.from(expected), shape: [2, 3, dim] }, {});
  });

  test('adds gradients to the rows that were read, and returns zeros for the ids', () => {
    const layer = make();
    // Sums of small whole numbers are exact in float32.
    const g = { data: Float32Array.from({ length: 20 }, (_, i) => i), shape: [4, 5] };
    const { input } = layer.forward([2, 0, 2, 7], { training: true }).backward!(g);
    expect(input).toEqual({ data: new Float32Array(4), shape: [4] });
    const expected = new Float32Array(45);
    [2, 0, 2, 7].forEach((id, row) => {
      for (let i = 0; i < 5; ++i) expected[id * 5 + i]! += g.data[row * 5 + i]!;
    });
    expect(layer.parameters()[0]!.grad).toEqual(expected);
  });

  test('accepts ids as floats, integers and nested arrays, no ids, and a single id', () => {
    const layer = make();
    const expected = layer.forward([4, 2]).output;
    for (const data of [[4, 2], new Int32Array([4, 2]), new Uint8Array([4, 2]), new Float32Array([4, 2])]) {
      expect(layer.forward({ data, shape: [2] }).output).toEqual(expected);
    }
    expect(layer.forward([]).output).toEqual({ data: new Float32Array(0), shape: [0, 5] });
    expect(layer.forward({ data: [4], shape: [] }).output.shape).toEqual([5]);
  });

  test('starts with standard normal numbers', () => {
    const { data } = make({ numEmbeddings: 100, dim: 100 }).stateDict().weight!;
    expectStandardNormal(data);
  });

  const construct = (options: unknown) => () => new attention.Embedding(options as never);
  const forward = (ids: unknown) => () => make().forward(ids as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['no dim', 'TypeError', construct({ numEmbeddings: 9 })],
    ['numEmbeddings 0', 'RangeError', construct({ numEmbeddings: 0, dim: 5 })],
    ['dim -5', 'RangeError', construct({ numEmbeddings: 9, dim: -5 })],
    ['seed 0.5', 'RangeError', construct({ numEmbeddings: 9, dim: 5, seed: 0.5 })],
    ['more rows than fit into memory', 'RangeError', construct({ numEmbeddings: 2 ** 30, dim: 4096 })],
    ['an id beyond the table', 'RangeError', forward([0, 9])],
    ['an id far beyond', 'RangeError', forward([2 ** 40])],
    ['a negative id', 'RangeError', forward([-1])],
    ['a fractional id', 'RangeError', forward([0.5])],
    ['NaN', 'RangeError', forward([NaN])],
    ['random floats', 'RangeError', forward(new Random(1).tensor([3]))],
  ];
  testRejections('Embedding', rows, () => expect(make().forward([8]).output.shape).toEqual([1, 5]));
});
