/** The mistakes that fuzzing found, each in its smallest form. */
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

describe('the library refuses, with its own kind of message,', () => {
  test.each<[string, string, Kind, () => unknown]>([
    [
      'axes beyond 32 bits after an empty one',
      'maskedSoftmax',
      'RangeError',
      () => attention.maskedSoftmax({ data: none, shape: [0, 2 ** 53, 2 ** 53] }),
    ],
    [
      'axes whose product is beyond 32 bits before an empty one',
      'scaledDotProductAttention',
      'RangeError',
      () => {
        const x = { data: none, shape: [2 ** 20, 2 ** 20, 0] };
        return attention.scaledDotProductAttention(x, x, x);
      },
    ],
    [
      'an array of lengths that claims 2^53 elements',
      'maskedSoftmax',
      'TypeError',
      () => attention.maskedSoftmax([[[0, 0]]], { length: 2 ** 53 }),
    ],
    [
      'an array of positions that claims 2^53 elements',
      'sinusoidalEncoding',
      'TypeError',
      () => attention.sinusoidalEncoding({ length: 1, dim: 2, positions: { length: 2 ** 53 } }),
    ],
    [
      'a symbol as an axis after a negative one',
      'tensor',
      'TypeError',
      () => attention.tensor({ data: none, shape: [-1, Symbol.iterator] } as never),
    ],
    [
      'a detached array as a shape',
      'tensor',
      'RangeError',
      () => attention.tensor({ data: new Float32Array(4), shape: detached() } as never),
    ],
    [
      '0 as the options of rotary positions',
      'MultiHeadAttention',
      'TypeError',
      () => new attention.MultiHeadAttention({ numHiddens: 4, numHeads: 2, rotary: 0 } as never),
    ],
    [
      'false as the options of rotary positions in an encoder',
      'TransformerEncoderLayer',
      'TypeError',
      () =>
        new attention.TransformerEncoderLayer({ numHiddens: 4, numHeads: 2, ffnHiddens: 4, rotary: false } as never),
    ],
    ['a detached array as a file', 'readSafetensors', 'RangeError', () => readSafetensors(detached())],
    ['a detached buffer as a file', 'readSafetensors', 'RangeError', () => readSafetensors(detached().buffer)],
  ])('%s', (_what, operation, kind, call) => {
    expectRejected(operation, kind, call);
  });
});

test('a detached array counts as an empty one', () => {
  const empty = { data: none, shape: [0] };
  expect(attention.tensor({ data: detached(), shape: [0] })).toEqual(empty);
  expect(attention.tensor({ data: detached(), shape: [0] }, [0])).toEqual(empty);
  expect(readSafetensors(writeSafetensors({ w: { data: detached(), shape: [0] } }))).toEqual({ w: empty });
});
