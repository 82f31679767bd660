/** readSafetensors refuses files that the format does not allow; long/ has damaged ones. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors } from 'wasm-attention';
import { testRejections, type Rejection } from '../support/rejections.js';
import { entry, file } from '../support/safetensors.js';

describe('readSafetensors', () => {
  const read = (bytes: unknown) => () => readSafetensors(bytes as never);
  const whole = { a: entry('F32', [2], 0, 8) };
  const broken = (change: object) => read(file({ a: { ...whole.a, ...change } }, new Uint8Array(8)));
  const rows: Rejection[] = [
    ['undefined', 'TypeError', read(undefined)],
    ['an array', 'TypeError', read([1, 2])],
    ['a string', 'TypeError', read('{}')],
    ['an empty file', 'RangeError', read(new Uint8Array(0))],
    ['a file that ends within the length', 'RangeError', read(new Uint8Array(7))],
    ['a header that is cut off', 'RangeError', read(file(whole, []).slice(0, 20))],
    ['data that is cut off', 'RangeError', read(file(whole, new Uint8Array(7)))],
    ['more data than the header describes', 'RangeError', read(file(whole, new Uint8Array(9)))],
    ['a header longer than the file', 'RangeError', read(file('{}', [], 3))],
    ['a huge header', 'RangeError', read(file('{}', [], 100_000_001))],
    ['a header of 2^63 bytes', 'RangeError', read(file('{}', [], 2 ** 63))],
    ['an empty header', 'RangeError', read(file(''))],
    ['broken JSON', 'RangeError', read(file('{"a":'))],
    ['JSON that is not an object', 'RangeError', read(file('[]'))],
    ['a space before the header', 'RangeError', read(file(' {}'))],
    ['a byte order mark', 'RangeError', read(file('\ufeff{}'))],
    ['text after the header', 'RangeError', read(file('{}x'))],
    ['a header that is not UTF-8', 'RangeError', read(file('{}', [], 2).map((byte, i) => (i === 9 ? 0xff : byte)))],
    [
      'a name twice',
      'RangeError',
      read(
        file(
          '{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\\u0061":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}',
        ),
      ),
    ],
    [
      'an entry with two offsets',
      'RangeError',
      read(file('{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"data_offsets":[0,0]}}')),
    ],
    [
      'a name that is not valid Unicode',
      'RangeError',
      read(file('{"\\ud800":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}')),
    ],
    [
      'a comma after the last entry',
      'RangeError',
      read(file('{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},}')),
    ],
    ['no comma', 'RangeError', read(file('{"__metadata__":{}"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'))],
    ['an entry without a name', 'RangeError', read(file('{:{}}'))],
    ['brackets that do not fit', 'RangeError', read(file('{"a":{"dtype":"U8","shape":[0},"data_offsets":[0,0]]}'))],
    ['a name that does not end', 'RangeError', read(file('{"a'))],
    ['a text that does not end', 'RangeError', read(file('{"a":{"dtype":"U8'))],
    ['lists in a shape', 'RangeError', read(file('{"a":{"dtype":"U8","shape":[[0]],"data_offsets":[0,0]}}'))],
    ['an entry that is a number', 'RangeError', read(file({ a: 1 }))],
    ['an entry that is null', 'RangeError', read(file({ a: null }))],
    ['an empty entry', 'RangeError', read(file({ a: {} }))],
    ['metadata that is not an object', 'RangeError', read(file({ __metadata__: [] }))],
    ['metadata of numbers', 'RangeError', read(file({ __metadata__: { a: 1 } }))],
    ['no dtype', 'RangeError', broken({ dtype: undefined })],
    ['a dtype that is a number', 'RangeError', broken({ dtype: 32 })],
    ['no shape', 'RangeError', broken({ shape: undefined })],
    ['a shape that is a number', 'RangeError', broken({ shape: 2 })],
    ['a negative axis', 'RangeError', broken({ shape: [-2] })],
    ['two negative axes', 'RangeError', broken({ shape: [-2, -1] })],
    ['a fractional axis', 'RangeError', broken({ shape: [0.5, 4] })],
    ['an axis that is a string', 'RangeError', broken({ shape: ['2'] })],
    ['a shape that is too small', 'RangeError', broken({ shape: [1] })],
    ['a shape that is too large', 'RangeError', broken({ shape: [3] })],
    ['a shape that overflows', 'RangeError', broken({ shape: [2 ** 31, 2 ** 31, 2 ** 31, 0] })],
    ['a dtype that does not fit the number of bytes', 'RangeError', broken({ dtype: 'F16' })],
    ['no offsets', 'RangeError', broken({ data_offsets: undefined })],
    ['one offset', 'RangeError', broken({ data_offsets: [0] })],
    ['three offsets', 'RangeError', broken({ data_offsets: [0, 8, 8] })],
    ['negative offsets', 'RangeError', broken({ data_offsets: [-8, 0] })],
    ['offsets that end before they begin', 'RangeError', broken({ data_offsets: [8, 0] })],
    ['offsets beyond the data', 'RangeError', broken({ data_offsets: [0, 16], shape: [4] })],
    ['offsets that begin late', 'RangeError', broken({ data_offsets: [4, 8], shape: [1] })],
    ['a boolean of 2', 'RangeError', read(file({ a: entry('BOOL', [1], 0, 1) }, [2]))],
    [
      'a gap in the data',
      'RangeError',
      read(file({ a: entry('U8', [1], 0, 1), b: entry('U8', [1], 2, 3) }, [1, 2, 3])),
    ],
    [
      'tensors that overlap',
      'RangeError',
      read(file({ a: entry('U8', [2], 0, 2), b: entry('U8', [2], 1, 3) }, [1, 2, 3])),
    ],
    [
      'one tensor under two names',
      'RangeError',
      read(file({ a: entry('U8', [2], 0, 2), b: entry('U8', [2], 0, 2) }, [1, 2])),
    ],
  ];
  testRejections('readSafetensors', rows, () =>
    expect(Object.keys(readSafetensors(file(whole, new Uint8Array(8))))).toEqual(['a']),
  );
});

test.each([
  ['NULs after the header', '{}\0\0', /got NUL bytes \(only spaces may follow the JSON\)$/],
  ['lists in a shape', '{"a":{"shape":[[]]}}', /a header nested to a depth of 3, got more$/],
  ['brackets in texts, which nest nothing', '{"a":{"dtype":"[[[[{{","shape":[]}}', /data_offsets of "a"/],
])('the message about %s says so', (_, header, message) => {
  expect(() => readSafetensors(file(header))).toThrow(message);
});
