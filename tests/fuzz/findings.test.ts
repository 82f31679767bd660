/** What fuzzing found, each in its smallest form. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import { attention } from '../support/library.js';
import { expectRejected, type Kind } from '../support/rejections.js';

function detached(): Float32Array {
  const data = new Float32Array(4);
  structuredClone(data, { transfer: [data.buffer] });
  return data;
}

const none = new Float32Array(0);

describe('refused in the words of the library', () => {
  test.each<[string, string, Kind, () => unknown]>([
    [
      'axes beyond 32 bits behind an empty one',
      'maskedSoftmax',
      'RangeError',
      () => attention.maskedSoftmax({ data: none, shape: [0, 2 ** 53, 2 ** 53] }),
    ],
    [
      'axes whose product is beyond 32 bits behind an empty one',
      'scaledDotProductAttention',
      'RangeError',
      () => {
        const x = { data: none, shape: [2 ** 20, 2 ** 20, 0] };
        return attention.scaledDotProductAttention(x, x, x);
      },
    ],
    [
      'lengths without end',
      'maskedSoftmax',
      'TypeError',
      () => attention.maskedSoftmax([[[0, 0]]], { length: 2 ** 53 }),
    ],
    [
      'positions without end',
      'sinusoidalEncoding',
      'TypeError',
      () => attention.sinusoidalEncoding({ length: 1, dim: 2, positions: { length: 2 ** 53 } }),
    ],
    [
      'a symbol behind a negative axis',
      'tensor',
      'TypeError',
      () => attention.tensor({ data: none, shape: [-1, Symbol.iterator] } as never),
    ],
    [
      'a shape in a detached array',
      'tensor',
      'RangeError',
      () => attention.tensor({ data: new Float32Array(4), shape: detached() } as never),
    ],
    [
      'zero for the options of rotary positions',
      'MultiHeadAttention',
      'TypeError',
      () => new attention.MultiHeadAttention({ numHiddens: 4, numHeads: 2, rotary: 0 } as never),
    ],
    [
      'false for them in an encoder',
      'TransformerEncoderLayer',
      'TypeError',
      () => new attention.TransformerEncoderLayer({ numHiddens: 4, numHeads: 2, ffnHiddens: 4, rotary: false } as never), // prettier-ignore
    ],
    ['a file in a detached array', 'readSafetensors', 'RangeError', () => readSafetensors(detached())],
    [
      'a file in a detached buffer',
      'readSafetensors',
      'RangeError',
      () => readSafetensors(detached().buffer),
    ],
  ])('%s', (_what, operation, kind, call) => {
    expectRejected(operation, kind, call);
  });
});

test('a detached array is an empty one', () => {
  const empty = { data: none, shape: [0] };
  expect(attention.tensor({ data: detached(), shape: [0] })).toEqual(empty);
  expect(attention.tensor({ data: detached(), shape: [0] }, [0])).toEqual(empty);
  expect(readSafetensors(writeSafetensors({ w: { data: detached(), shape: [0] } }))).toEqual({ w: empty });
});
