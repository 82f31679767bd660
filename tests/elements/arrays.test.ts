/** Arrays in the forms that notebooks use. */
import { describe, expect, test } from '@jest/globals';
import { half } from '../../web/elements/shared/arrays/npy.js';
import { toShaped } from '../../web/elements/shared/arrays/shaped.js';
import { headsOf } from '../../web/elements/shared/heads/heads.js';
import { matrixOf } from '../../web/elements/shared/heat-map/matrix.js';
import { float16 } from '../reference/weightTypes.js';
import { mapsOf } from '../support/mapsOf.js';
import { bitsOf, npy, SHAPE, VALUES } from '../support/npy.js';

describe('.npy bytes', () => {
  test.each(['<f4', '>f4', '<f8', '>f8', '<f2', '>f2', '=f4'])('of %s are read', (descr) => {
    const { data, shape } = toShaped('weights', npy({ descr }));
    expect(shape).toEqual(SHAPE);
    expect(Array.from(data)).toEqual(VALUES.map(descr.endsWith('2') ? float16 : Math.fround));
  });

  test.each([1, 2, 3])('of version %i are read at any offset', (version) => {
    const bytes = npy({ version });
    const within = new Uint8Array(bytes.length + 8);
    within.set(bytes, 3);
    const expected = { data: Float32Array.from(VALUES), shape: SHAPE };
    for (const given of [bytes, bytes.buffer, new DataView(bytes.buffer), within.subarray(3, 3 + bytes.length)])
      expect(toShaped('weights', given)).toEqual(expected);
  });

  test('in column-major order become row-major', () => {
    const at = (i: number, j: number, k: number) => 100 * i + 10 * j + k;
    const columns = [0, 1].flatMap((k) => [0, 1, 2].flatMap((j) => [0, 1].map((i) => at(i, j, k))));
    const rows = [0, 1].flatMap((i) => [0, 1, 2].flatMap((j) => [0, 1].map((k) => at(i, j, k))));
    expect(Array.from(toShaped('weights', npy({ fortran: true, values: columns })).data)).toEqual(rows);
  });

  test.each([
    ['of whole numbers', npy({ descr: '<i4' }), /float16, float32 or float64, got <i4/],
    ['of objects', npy({ descr: '|O8' }), /got \|O8/],
    [
      'of a type called like a method',
      npy({ header: "{'descr': '<toString', 'fortran_order': False, 'shape': (1,)}" }),
      /got <toString/,
    ],
    ['of version 0', Uint8Array.from(npy(), (byte, i) => (i === 6 ? 0 : byte)), /version 1, 2 or 3/],
    ['of version 4', Uint8Array.from(npy(), (byte, i) => (i === 6 ? 4 : byte)), /version 1, 2 or 3/],
    ['cut within the header', npy().subarray(0, 40), /a whole header/],
    ['cut behind the magic', npy().subarray(0, 8), /version 1, 2 or 3|a whole header/],
    ['cut within the numbers', npy().subarray(0, npy().length - 1), /expected 48 bytes for \(2, 3, 2\) of <f4, got 47/],
    ['with more bytes', Uint8Array.from([...npy(), 0]), /got 49/],
    ['without a shape', npy({ header: "{'descr': '<f4', 'fortran_order': False}" }), /descr, fortran_order and shape/],
    ['of a negative size', npy({ header: "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 2)}" }), /shape/],
    ['of more numbers than there are', npy({ shape: [2 ** 40, 2 ** 40] }), /expected 4\.8\d*e\+24 bytes/],
    ['that are none', new Uint8Array([1, 2, 3]), /to be \.npy bytes/],
    ['that are nothing', new ArrayBuffer(0), /to be \.npy bytes/],
  ] as const)('%s are refused', (_, bytes, message) => {
    expect(() => toShaped('weights', bytes)).toThrow(RangeError);
    expect(() => toShaped('weights', bytes)).toThrow(message);
  });
});

test.each([
  ['a DataView', new DataView(new ArrayBuffer(16))],
  ['an ArrayBuffer', new ArrayBuffer(16)],
])('%s with a shape, but without a dtype, is refused, and the message says what is missing', (_, data) => {
  const message = 'loadArrays: expected weights.dtype, as weights.data is bytes: uint8, float16, float32 or float64';
  for (const dtype of [undefined, null])
    expect(() => toShaped('weights', { data, shape: [2, 2], dtype })).toThrow(new TypeError(message));
  expect(() => headsOf({ weights: [{ data, shape: [2, 2] } as never] })).toThrow(new TypeError(message));
});

describe('other forms', () => {
  const expected = Float32Array.from(VALUES);
  const wide = Float64Array.from(VALUES);
  const halves = Uint16Array.from(VALUES, (value) => bitsOf(float16(value)));
  test.each([
    ['a Float32Array', { data: expected, shape: SHAPE }],
    ['a Float64Array', { data: wide, shape: SHAPE }],
    ['bytes of float32', { data: new DataView(expected.buffer), shape: SHAPE, dtype: 'float32' }],
    ['bytes of float64', { data: wide.buffer, shape: SHAPE, dtype: 'float64' }],
    ['bytes by their description', { data: new Uint8Array(wide.buffer), shape: SHAPE, dtype: '<f8' }],
    ['lists', [0, 6].map((i) => [0, 2, 4].map((j) => VALUES.slice(i + j, i + j + 2)))],
    ['lists of typed arrays', [0, 6].map((i) => [0, 2, 4].map((j) => expected.slice(i + j, i + j + 2)))],
  ])('%s', (_, given) => {
    const { data, shape } = toShaped('weights', given);
    expect(shape).toEqual(SHAPE);
    expect(Array.from(data, Math.fround)).toEqual(Array.from(expected));
  });

  test.each([
    ['bytes of float16', { data: new DataView(halves.buffer), shape: SHAPE, dtype: 'float16' }],
    ['a Uint16Array, of which they are the bits', { data: halves, shape: SHAPE }],
  ])('%s', (_, given) => {
    const { data } = toShaped('weights', given);
    expect(Array.from(data)).toEqual(VALUES.map(float16));
  });

  test('every float16 except NaN is read as numpy reads it', () => {
    const positive = Array.from({ length: 0x7c01 }, (_, bits) => bits);
    const expected = positive.map((bits) => {
      const [exponent, fraction] = [bits >> 10, bits & 1023];
      if (exponent === 31) return Infinity;
      return exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024);
    });
    expect(positive.map(half)).toEqual(expected);
    expect(positive.map((bits) => half(bits | 0x8000))).toEqual(expected.map((value) => -value));
    expect([half(0x7c01), half(0xfe00)]).toEqual([NaN, NaN]);
  });

  test.each([
    ['a dtype that is no text', { data: new DataView(new ArrayBuffer(4)), shape: [1], dtype: 4 }, TypeError],
    ['a dtype of numbers in a list', { data: [1], shape: [1], dtype: 'float32' }, TypeError],
    ['bytes of a wrong number', { data: new DataView(new ArrayBuffer(5)), shape: [1], dtype: 'float32' }, RangeError],
    ['a shape of a text', { data: [1], shape: ['1'] }, RangeError],
    ['null', null, TypeError],
    ['a function', () => 1, TypeError],
  ])('%s is refused', (_, given, kind) => {
    expect(() => toShaped('weights', given)).toThrow(kind);
  });
});

test('heads and maps accept these forms', () => {
  const weights = [0.5, 0.5, 0.25, 0.75, 1, 0, 0, 1];
  const bytes = npy({ shape: [2, 2, 2], values: weights });
  expect(headsOf({ weights: bytes })).toMatchObject({ layers: 1, heads: 2, tokens: ['1', '2'] });
  expect(headsOf({ weights: [bytes, bytes] })).toMatchObject({ layers: 2, heads: 2 });
  expect(mapsOf(headsOf({ weights: new DataView(bytes.buffer) }))).toEqual([weights.slice(0, 4), weights.slice(4)]);
  expect(matrixOf({ values: npy({ shape: [4, 3] }) })).toMatchObject({
    rows: 4,
    columns: 3,
    low: -65504,
    high: 65504,
  });
});

test.each([
  [[[1, 2]], 0, 2],
  [[[-1, -2]], -2, 0],
  [[[-1, 3]], -3, 3],
  [[[0, 0]], 0, 1],
  [[[NaN, 4]], 0, 4],
  [[[NaN, -Infinity]], 0, 1],
])('a map of %p goes from %p to %p', (values, low, high) => {
  expect(matrixOf({ values })).toMatchObject({ low, high });
});

test.each([
  ['one axis', { values: [1, 2] }, RangeError],
  ['no number', { values: { data: [], shape: [0, 3] } }, RangeError],
  ['too few', { values: { data: [1], shape: [1, 2] } }, RangeError],
  ['texts', { values: { data: ['1', '2'] as never, shape: [1, 2] } }, TypeError],
  ['tokens of another number', { values: [[1, 2]], tokens: ['a', 'b'] }, RangeError],
  ['a text for tokens', { values: [[1, 2]], keyTokens: 'ab' as never }, TypeError],
])('a map of %s is refused', (_, given, kind) => {
  expect(() => matrixOf(given)).toThrow(kind);
});
