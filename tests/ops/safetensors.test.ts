/** Files of weights: what is written is read again, what the format says is understood, and nothing else is. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import * as slim from 'wasm-attention/slim';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';

/** A file of this header and data, by hand. */
function file(header: string | object, data: ArrayLike<number> = [], length?: number): Uint8Array {
  const text = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length ?? text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

const entry = (dtype: unknown, shape: unknown, begin: unknown, end: unknown) => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

const bytesOf = (data: ArrayBufferView) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

describe('readSafetensors', () => {
  test('reads every type', () => {
    const floats = Float32Array.from([1.5, -2, NaN]);
    const ints = Int32Array.from([-(2 ** 31), 7]);
    const tensors = readSafetensors(
      file(
        {
          __metadata__: { format: 'pt', note: 'any' },
          f: entry('F32', [3, 1], 0, 12),
          i: entry('I32', [2], 12, 20),
          u: entry('U8', [1, 2], 20, 22),
          b: entry('BOOL', [2], 22, 24),
        },
        [...bytesOf(floats), ...bytesOf(ints), 200, 3, 1, 0],
      ),
    );
    expect(tensors).toEqual({
      f: { data: floats, shape: [3, 1] },
      i: { data: ints, shape: [2] },
      u: { data: Uint8Array.of(200, 3), shape: [1, 2] },
      b: { data: Uint8Array.of(1, 0), shape: [2] },
    });
  });

  test('widens every float16 exactly', () => {
    const halves = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const { h } = readSafetensors(file({ h: entry('F16', [65536], 0, 131072) }, bytesOf(halves)));
    for (let bits = 0; bits < 65536; ++bits) {
      const sign = bits & 0x8000 ? -1 : 1;
      const exponent = (bits >> 10) & 31;
      const fraction = bits & 1023;
      let expected =
        sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : (2 ** -14 * fraction) / 1024);
      if (exponent === 31) expected = fraction ? NaN : sign * Infinity;
      if (!Object.is(h!.data[bits], expected)) expect([bits, h!.data[bits]]).toEqual([bits, expected]);
    }
  });

  test('widens bfloat16 exactly: it is the upper half of a float32', () => {
    const values = Float32Array.from([1, -2.5, 2 ** -133, Infinity, NaN, -0]);
    const upper = Uint16Array.from(new Uint32Array(values.buffer), (bits) => bits >>> 16);
    const { x } = readSafetensors(file({ x: entry('BF16', [6], 0, 12) }, bytesOf(upper)));
    expect(x!.data).toEqual(values);
  });

  test('takes entries in any order, scalars, empty tensors, padding, no tensor and odd places', () => {
    expect(
      readSafetensors(
        file(
          `${JSON.stringify({ b: entry('U8', [], 4, 5), e: entry('F32', [0, 3], 4, 4), a: entry('F32', [1], 0, 4) })}   `,
          [0, 0, 128, 63, 9],
        ),
      ),
    ).toEqual({
      a: { data: Float32Array.of(1), shape: [1] },
      e: { data: new Float32Array(0), shape: [0, 3] },
      b: { data: Uint8Array.of(9), shape: [] },
    });
    expect(readSafetensors(file('{}'))).toEqual({});
    // Floats that stand at an odd address.
    expect(
      readSafetensors(file({ u: entry('U8', [1], 0, 1), a: entry('F32', [1], 1, 5) }, [9, 0, 0, 128, 63])).a!
        .data,
    ).toEqual(Float32Array.of(1));
  });

  test('takes a name for a name, whatever it is', () => {
    const tricky =
      '{"__proto__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"\\"{\\\\":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}';
    const tensors = readSafetensors(file(tricky, [1, 2, 3]));
    expect(Object.keys(tensors)).toEqual(['__proto__', '', '"{\\']);
    expect(Object.getPrototypeOf(tensors)).toBe(Object.prototype);
  });

  test('reads buffers, and views of a part', () => {
    const bytes = writeSafetensors({ w: [[1, 2]] });
    const within = new Uint8Array(bytes.length + 7);
    within.set(bytes, 3);
    const expected = { w: { data: Float32Array.of(1, 2), shape: [1, 2] } };
    expect(readSafetensors(bytes.buffer)).toEqual(expected);
    expect(readSafetensors(new DataView(within.buffer, 3, bytes.length))).toEqual(expected);
    const { w } = readSafetensors(bytes);
    bytes.fill(0);
    expect(w).toEqual(expected.w);
  });

  const read = (bytes: unknown) => () => readSafetensors(bytes as never);
  const whole = { a: entry('F32', [2], 0, 8) };
  const broken = (change: object) => read(file({ a: { ...whole.a, ...change } }, new Uint8Array(8)));
  const rows: Rejection[] = [
    ['undefined', 'TypeError', read(undefined)],
    ['an array', 'TypeError', read([1, 2])],
    ['a string', 'TypeError', read('{}')],
    ['nothing', 'RangeError', read(new Uint8Array(0))],
    ['half a length', 'RangeError', read(new Uint8Array(7))],
    ['a header that is cut off', 'RangeError', read(file(whole, []).slice(0, 20))],
    ['data that is cut off', 'RangeError', read(file(whole, new Uint8Array(7)))],
    ['data beyond', 'RangeError', read(file(whole, new Uint8Array(9)))],
    ['a header beyond the file', 'RangeError', read(file('{}', [], 3))],
    ['a huge header', 'RangeError', read(file('{}', [], 100_000_001))],
    ['a header of 2^63 bytes', 'RangeError', read(file('{}', [], 2 ** 63))],
    ['an empty header', 'RangeError', read(file(''))],
    ['broken JSON', 'RangeError', read(file('{"a":'))],
    ['JSON that is no object', 'RangeError', read(file('[]'))],
    ['a blank before', 'RangeError', read(file(' {}'))],
    ['a byte order mark', 'RangeError', read(file('\ufeff{}'))],
    ['something behind', 'RangeError', read(file('{}x'))],
    ['what is not UTF-8', 'RangeError', read(file('{}', [], 2).map((byte, i) => (i === 9 ? 0xff : byte)))],
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
      'offsets twice',
      'RangeError',
      read(file('{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"data_offsets":[0,0]}}')),
    ],
    [
      'a name that is no Unicode',
      'RangeError',
      read(file('{"\\ud800":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}')),
    ],
    ['an entry that is a number', 'RangeError', read(file({ a: 1 }))],
    ['an entry that is null', 'RangeError', read(file({ a: null }))],
    ['an empty entry', 'RangeError', read(file({ a: {} }))],
    ['metadata that is no object', 'RangeError', read(file({ __metadata__: [] }))],
    ['metadata of numbers', 'RangeError', read(file({ __metadata__: { a: 1 } }))],
    ['no dtype', 'RangeError', broken({ dtype: undefined })],
    ['an unknown dtype', 'RangeError', broken({ dtype: 'F8' })],
    ['a dtype that objects have', 'RangeError', broken({ dtype: 'constructor' })],
    ['a dtype that is not read', 'RangeError', broken({ dtype: 'F64', shape: [1] })],
    ['no shape', 'RangeError', broken({ shape: undefined })],
    ['a shape that is a number', 'RangeError', broken({ shape: 2 })],
    ['a negative axis', 'RangeError', broken({ shape: [-2] })],
    ['two negative axes', 'RangeError', broken({ shape: [-2, -1] })],
    ['a fractional axis', 'RangeError', broken({ shape: [0.5, 4] })],
    ['an axis of strings', 'RangeError', broken({ shape: ['2'] })],
    ['a shape that is too small', 'RangeError', broken({ shape: [1] })],
    ['a shape that is too large', 'RangeError', broken({ shape: [3] })],
    ['a shape that overflows', 'RangeError', broken({ shape: [2 ** 31, 2 ** 31, 2 ** 31, 0] })],
    ['another dtype than the bytes are of', 'RangeError', broken({ dtype: 'F16' })],
    ['no offsets', 'RangeError', broken({ data_offsets: undefined })],
    ['one offset', 'RangeError', broken({ data_offsets: [0] })],
    ['three offsets', 'RangeError', broken({ data_offsets: [0, 8, 8] })],
    ['negative offsets', 'RangeError', broken({ data_offsets: [-8, 0] })],
    ['offsets that end before they begin', 'RangeError', broken({ data_offsets: [8, 0] })],
    ['offsets beyond the data', 'RangeError', broken({ data_offsets: [0, 16], shape: [4] })],
    ['offsets that begin late', 'RangeError', broken({ data_offsets: [4, 8], shape: [1] })],
    ['a boolean of 2', 'RangeError', read(file({ a: entry('BOOL', [1], 0, 1) }, [2]))],
    ['a gap', 'RangeError', read(file({ a: entry('U8', [1], 0, 1), b: entry('U8', [1], 2, 3) }, [1, 2, 3]))],
    [
      'an overlap',
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

  test('throws nothing but its own errors at damaged files', () => {
    const good = writeSafetensors({
      w: new Random(1).tensor([3, 2]),
      i: { data: Int32Array.of(1), shape: [1] },
    });
    const attempt = (bytes: Uint8Array) => {
      try {
        for (const { data, shape } of Object.values(readSafetensors(bytes))) {
          expect(data.length).toBe(shape.reduce((size, axis) => size * axis, 1));
        }
      } catch (error) {
        expect((error as Error).message).toMatch(/^readSafetensors: expected .+, got .+/s);
        expect((error as Error).name).toBe('RangeError');
      }
    };
    for (let end = 0; end < good.length; ++end) attempt(good.slice(0, end));
    const at = fc.nat({ max: good.length - 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(at, fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = good.slice();
        for (const [index, byte] of changes) bytes[index] = byte;
        attempt(bytes);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => attempt(bytes)),
      { numRuns: 500 },
    );
    const offsets = fc.tuple(
      fc.oneof(fc.integer(), fc.constant(0)),
      fc.oneof(fc.nat({ max: 16 }), fc.double()),
    );
    const entries = fc.dictionary(
      fc.string(),
      fc.record({
        dtype: fc.oneof(fc.constantFrom('F32', 'U8', 'BOOL', 'F16'), fc.string()),
        shape: fc.array(fc.oneof(fc.nat({ max: 4 }), fc.integer())),
        data_offsets: fc.oneof(offsets, fc.jsonValue()),
      }),
    );
    fc.assert(
      fc.property(
        fc.oneof(entries, fc.dictionary(fc.string(), fc.jsonValue())),
        fc.nat({ max: 16 }),
        (header, size) => attempt(file(header as object, new Uint8Array(size))),
      ),
      { numRuns: 1000 },
    );
  });

  test('takes a header that is deep or long in its stride', () => {
    expect(read(file(`{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`))).toThrow(RangeError);
    expect(read(file(`{"a":"${'x'.repeat(5e6)}"}`))).toThrow(RangeError);
    expect(read(file(`{"__metadata__":{"a":"${'\\\\'.repeat(1e6)}"}}`))).not.toThrow();
  });
});

describe('writeSafetensors', () => {
  test('writes the format: length, header, data', () => {
    const bytes = writeSafetensors({ b: { data: Uint8Array.of(1), shape: [] }, w: [[1, 2]] });
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    const header = new TextDecoder().decode(bytes.slice(8, 8 + length));
    expect(JSON.parse(header)).toEqual({
      __metadata__: { format: 'pt' },
      w: { dtype: 'F32', shape: [1, 2], data_offsets: [0, 8] },
      b: { dtype: 'U8', shape: [], data_offsets: [8, 9] },
    });
    expect(Array.from(bytes.slice(8 + length))).toEqual([0, 0, 128, 63, 0, 0, 0, 64, 1]);
  });

  test('writes what is read again, to the bit', () => {
    const shape = fc.array(fc.nat({ max: 4 }), { maxLength: 3 });
    const tensor = shape.chain((axes) => {
      const size = axes.reduce((product, axis) => product * axis, 1);
      const of = { minLength: size, maxLength: size };
      return fc
        .oneof(fc.float32Array(of), fc.int32Array(of), fc.uint8Array(of))
        .map((data) => ({ data, shape: axes }));
    });
    const name = fc.string({ unit: 'grapheme' }).filter((text) => text !== '__metadata__');
    fc.assert(
      fc.property(fc.dictionary(name, tensor), (tensors) => {
        expect(readSafetensors(writeSafetensors(tensors as never))).toEqual({ ...tensors });
      }),
      { numRuns: 200 },
    );
  });

  test('writes other numbers as float32, and parts of buffers', () => {
    const part = new Float32Array([9, 1, 2, 9]).subarray(1, 3);
    expect(
      readSafetensors(
        writeSafetensors({
          part: { data: part, shape: [2] },
          doubles: { data: Float64Array.of(0.1), shape: [1] },
          nested: [[1], [2]],
          bare: Int32Array.of(3) as never,
        }),
      ),
    ).toEqual({
      part: { data: Float32Array.of(1, 2), shape: [2] },
      doubles: { data: Float32Array.of(0.1), shape: [1] },
      nested: { data: Float32Array.of(1, 2), shape: [2, 1] },
      bare: { data: Int32Array.of(3), shape: [1] },
    });
    expect(readSafetensors(writeSafetensors({}))).toEqual({});
  });

  test("carries a layer's weights, from either entry", () => {
    const options = { numHiddens: 6, ffnHiddens: 7 };
    const [from, to] = [1, 2].map((seed) => new attention.FeedForward({ ...options, seed }));
    to!.loadStateDict(slim.readSafetensors(slim.writeSafetensors(from!.stateDict())));
    expect(to!.stateDict()).toEqual(from!.stateDict());
  });

  const write = (tensors: unknown) => () => writeSafetensors(tensors as never);
  const rows: Rejection[] = [
    ['undefined', 'TypeError', write(undefined)],
    ['null', 'TypeError', write(null)],
    ['an array', 'TypeError', write([[1]])],
    ['a Map', 'TypeError', write(new Map())],
    ['an entry that is no tensor', 'TypeError', write({ a: 1 })],
    ['an entry that is null', 'TypeError', write({ a: null })],
    ['an entry of strings', 'TypeError', write({ a: ['1'] })],
    ['data that is not as many as the shape', 'RangeError', write({ a: { data: [1], shape: [2] } })],
    ["the metadata's name", 'RangeError', write({ __metadata__: [1] })],
    ['a name that is no Unicode', 'RangeError', write({ '\ud800': [1] })],
  ];
  testRejections('writeSafetensors', rows, () =>
    expect(writeSafetensors({ a: [1] }).length).toBeGreaterThan(8),
  );
});
