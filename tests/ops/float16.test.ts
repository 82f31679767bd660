/** Tensors of float16, given as bits in a Uint16Array, as inputs and as `out`. */
import { expect, test } from '@jest/globals';
import { float16, halfOf } from '../reference/weightTypes.js';
import { attention, tensor } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

const ALL = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
const BITS = new Map(Array.from(ALL, (bits) => [halfOf(bits), bits]));
const halves = (shape: number[], seed: number) => {
  const { data } = new Random(seed).tensor(shape);
  const bits = Uint16Array.from(data, (x) => BITS.get(float16(x))!);
  return { given: { data: bits, shape }, floats: { data: Float32Array.from(bits, halfOf), shape } };
};

test('every float16 is read exactly', () => {
  // toEqual distinguishes -0 from 0.
  const expected = Float32Array.from(ALL, halfOf);
  expect(tensor(ALL).data).toEqual(expected);
  expect(tensor({ data: ALL, dims: [256, 256] })).toEqual({ data: expected, shape: [256, 256] });
  expect(tensor({ data: ALL.subarray(0x3c00, 0x3c02), shape: [2] }).data).toEqual(Float32Array.of(1, 1 + 2 ** -10));
});

test('operations give the same results as for the same numbers in float32', () => {
  const [q, k] = [halves([1, 2, 5, 4], 1), halves([1, 2, 5, 4], 2)];
  const bias = halves([5, 5], 3);
  expect(attention.scaledDotProductAttention(q.given, k.given, k.given, { bias: bias.given })).toEqual(
    attention.scaledDotProductAttention(q.floats, k.floats, k.floats, { bias: bias.floats }),
  );
  const [a, b] = [halves([3, 5], 4), halves([5, 2], 5)];
  expect(attention.matmul(a.given, b.given)).toEqual(attention.matmul(a.floats, b.floats));
});

test('whole numbers and masks in a Uint16Array are not read as float16', () => {
  const table = new attention.Embedding({ numEmbeddings: 3, dim: 2, seed: 1 });
  expect(table.forward({ data: Uint16Array.of(2, 0), shape: [2] })).toEqual(
    table.forward({ data: [2, 0], shape: [2] }),
  );
  const x = new Random(5).tensor([2, 3, 3]);
  expect(attention.maskedSoftmax(x, Uint16Array.of(1, 3))).toEqual(attention.maskedSoftmax(x, [1, 3]));
  const mask = { data: [1, 0, 1], shape: [3] };
  expect(
    attention.scaledDotProductAttention(x, x, x, { mask: { data: Uint16Array.from(mask.data), shape: [3] } }),
  ).toEqual(attention.scaledDotProductAttention(x, x, x, { mask }));
  expect(attention.sinusoidalEncoding({ dim: 4, positions: Uint16Array.of(7, 300) })).toEqual(
    attention.sinusoidalEncoding({ dim: 4, positions: [7, 300] }),
  );
});

test('results are rounded to the nearest float16, ties to even', () => {
  // Each float16, the midpoint to the next one, and the float32s around both.
  const dim = 4;
  const next = new Float32Array(1);
  const step = (x: number, by: number) => {
    next[0] = x;
    new Int32Array(next.buffer)[0]! += by;
    return next[0];
  };
  const weight = Float32Array.from({ length: 65536 * dim }, (_, i) => {
    const half = halfOf(i >> 2);
    const middle = (half + halfOf((i >> 2) + 1)) / 2;
    return [half, middle, step(middle, -1), step(middle, 1)][i % dim]!;
  });
  const layer = new attention.Embedding({ numEmbeddings: 65536, dim, seed: 1 });
  layer.loadStateDict({ weight: { data: weight, shape: [65536, dim] } });
  const output = new Uint16Array(weight.length);
  const result = layer.forward({ data: ALL, shape: [65536] }, { out: { output } });
  expect(result.output.data).toBe(output);
  expect(Float32Array.from(output, halfOf)).toEqual(weight.map(float16));
  layer.dispose();
});

test.each([...SIZES, 5000])('%i results of float16 are those of float32, rounded', (size) => {
  const x = new Random(size).tensor([1, 1, size]);
  const fresh = attention.scaledDotProductAttention(x, x, x, { needWeights: true });
  const output = new Uint16Array(size);
  const weights = new Uint16Array(1);
  const given = attention.scaledDotProductAttention(x, x, x, { needWeights: true, out: { output, weights } });
  expect(given.output.data).toBe(output);
  expect(given.weights!.data).toBe(weights);
  expect(Float32Array.from(output, halfOf)).toEqual(fresh.output.data.map(float16));
  expect([...weights]).toEqual([0x3c00]);
  const waves = new Uint16Array(3 * size);
  attention.sinusoidalEncoding({ length: 3, dim: size, out: waves });
  expect(Float32Array.from(waves, halfOf)).toEqual(
    attention.sinusoidalEncoding({ length: 3, dim: size }).data.map(float16),
  );
});

const x = [[[1, 2]]];
testRejections(
  'scaledDotProductAttention',
  [
    [
      'float16s in nested arrays',
      'TypeError',
      () => attention.scaledDotProductAttention([[Uint16Array.of(1, 2)]] as never, x, x),
    ],
    [
      'an output that is too short',
      'RangeError',
      () => attention.scaledDotProductAttention(x, x, x, { out: { output: new Uint16Array(1) } }),
    ],
    [
      'an output of whole numbers',
      'TypeError',
      () => attention.scaledDotProductAttention(x, x, x, { out: { output: new Int16Array(2) as never } }),
    ],
  ],
  () => expect(attention.scaledDotProductAttention(x, x, x).output.data).toEqual(Float32Array.of(1, 2)),
);
