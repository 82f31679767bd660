/** writeSafetensors writes files that readSafetensors reads. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import * as files from 'wasm-attention/safetensors';
import { sizeOf } from '../reference/tensor.js';
import { float16, int8 } from '../reference/weightTypes.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { entry, file } from '../support/safetensors.js';

/** The types of a file's tensors. */
function dtypes(bytes: Uint8Array): Record<string, string> {
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(8, 8 + length))) as Record<string, { dtype: string }>;
  return Object.fromEntries(
    Object.entries(header).flatMap(([name, { dtype }]) => (name === '__metadata__' ? [] : [[name, dtype]])),
  );
}

describe('writeSafetensors', () => {
  test('writes the length, the header and the data of the format', () => {
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

  test('writes tensors that are read back to the bit', () => {
    const shape = fc.array(fc.nat({ max: 4 }), { maxLength: 3 });
    const tensor = shape.chain((axes) => {
      const of = { minLength: sizeOf(axes), maxLength: sizeOf(axes) };
      return fc.oneof(fc.float32Array(of), fc.int32Array(of), fc.uint8Array(of)).map((data) => ({ data, shape: axes }));
    });
    const name = fc.string({ unit: 'grapheme' }).filter((text) => text !== '__metadata__');
    fc.assert(
      fc.property(fc.dictionary(name, tensor), (tensors) => {
        expect(readSafetensors(writeSafetensors(tensors as never))).toEqual({ ...tensors });
      }),
      { numRuns: 200 },
    );
  });

  test('writes other numbers as float32, and accepts parts of buffers', () => {
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

  test('writes float16 unchanged', () => {
    const data = Uint16Array.of(0x3c00, 0x8000, 0x0001, 0x7c00, 0x7e00, 9);
    const bytes = writeSafetensors({
      h: { data: data.subarray(0, 5), shape: [5] },
      b: { data: Uint8Array.of(1), shape: [1] },
    });
    expect(dtypes(bytes)).toEqual({ h: 'F16', b: 'U8' });
    expect(readSafetensors(bytes).h!.data).toEqual(Float32Array.of(1, -0, 2 ** -24, Infinity, NaN));
  });

  test('rounds matrices to float16, and nothing else', () => {
    const random = new Random(1);
    const tensors = {
      matrix: random.tensor([3, 5]),
      vector: random.tensor([5]),
      cube: random.tensor([2, 2, 2]),
    };
    const bytes = writeSafetensors(tensors, { weightType: 'float16' });
    expect(dtypes(bytes)).toEqual({ matrix: 'F16', vector: 'F32', cube: 'F32' });
    const read = readSafetensors(bytes);
    expect(read).toEqual({ ...tensors, matrix: { data: tensors.matrix.data.map(float16), shape: [3, 5] } });
  });

  test('rounds matrices to int8 with the scale of every 128 columns of a row', () => {
    const data = Float32Array.from({ length: 2 * 130 }, (_, i) => (i < 130 ? i - 64 : 2 ** (i % 3)));
    const bytes = writeSafetensors({ w: { data, shape: [2, 130] } }, { weightType: 'int8' });
    expect(dtypes(bytes)).toEqual({ w: 'I8', 'w.scales': 'F32' });
    const start = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true));
    const scales = new Float32Array(bytes.slice(start, start + 16).buffer);
    expect([...scales]).toEqual([64 / 63, 65 / 63, 4 / 63, 2 / 63].map(Math.fround));
    const numbers = new Int8Array(bytes.slice(start + 16).buffer);
    expect([...numbers.subarray(0, 3), ...numbers.subarray(126, 133)]).toEqual([
      // -64, -63 and -62 of 64; 62 and 63 of 64; 64 and 65 of 65
      -63, -62, -61, 61, 62, 62, 63,
      // 2 ** (130 % 3), …: 2, 4, 1 of 4, ties to even
      32, 63, 16,
    ]);
    expect(bytes.length - start).toBe(2 * 130 + 4 * 4);
  });

  test.each([1, 3, 4, 127, 128, 129, 255, 256, 257])(
    'reads int8 of %i columns as layers keep it, to the bit',
    (columns) => {
      // Of many rows, so that each column has its share of the magnitudes, and layers multiply none by a factor.
      const matrix = new Random(columns).tensor([40, columns], 3);
      matrix.data.fill(0, 0, columns); // a scale of 0
      matrix.data.fill(1e-42, columns, 2 * columns); // too small for one
      matrix.data[2 * columns] = NaN;
      matrix.data[4 * columns - 1] = -Infinity;
      const { w } = readSafetensors(writeSafetensors({ w: matrix }, { weightType: 'int8' }));
      const layer = new attention.Linear({
        inFeatures: columns,
        outFeatures: 40,
        bias: false,
        weightType: 'int8',
      });
      layer.loadStateDict({ weight: matrix });
      expect(w).toEqual(layer.stateDict().weight);
      layer.dispose();
      const finite = { data: matrix.data.slice(4 * columns), shape: [36, columns] };
      expect(readSafetensors(writeSafetensors({ w: finite }, { weightType: 'int8' })).w).toEqual(int8(finite));
    },
  );

  test('reads int8 by name, and only together with its scales', () => {
    const tensors = { w: [[1, 2]], v: [3] };
    const bytes = writeSafetensors(tensors, { weightType: 'int8' });
    expect(Object.keys(readSafetensors(bytes, { names: ['w'] }))).toEqual(['w']);
    expect(readSafetensors(writeSafetensors({ w: { data: [], shape: [2, 0] } }, { weightType: 'int8' })).w).toEqual({
      data: new Float32Array(0),
      shape: [2, 0],
    });
    for (const other of [
      { 'w.scales': entry('F32', [2], 2, 10) },
      { 'w.scales': entry('I32', [1, 2], 2, 10) },
      { x: entry('F32', [1, 2], 2, 10) },
    ]) {
      const skipped: string[] = [];
      const given = file({ w: entry('I8', [1, 2], 0, 2), ...other }, new Uint8Array(10));
      const read = readSafetensors<Float32Array | Int32Array>(given, { skipped });
      expect([skipped, Object.keys(read)]).toEqual([['w'], Object.keys(other)]);
    }
  });

  test("carries a layer's weights to another, by the entry wasm-attention/safetensors", () => {
    const options = { numHiddens: 6, ffnHiddens: 7 };
    const [from, to] = [1, 2].map((seed) => new attention.FeedForward({ ...options, seed }));
    to!.loadStateDict(files.readSafetensors(files.writeSafetensors(from!.stateDict())));
    expect(to!.stateDict()).toEqual(from!.stateDict());
  });

  const write = (tensors: unknown, options?: unknown) => () => writeSafetensors(tensors as never, options as never);
  const rows: Rejection[] = [
    ['undefined', 'TypeError', write(undefined)],
    ['null', 'TypeError', write(null)],
    ['an array', 'TypeError', write([[1]])],
    ['a Map', 'TypeError', write(new Map())],
    ['an entry that is not a tensor', 'TypeError', write({ a: 1 })],
    ['an entry that is null', 'TypeError', write({ a: null })],
    ['an entry of strings', 'TypeError', write({ a: ['1'] })],
    ['data that does not fit its shape', 'RangeError', write({ a: { data: [1], shape: [2] } })],
    ["the metadata's name", 'RangeError', write({ __metadata__: [1] })],
    ['an unknown option', 'TypeError', write({}, { dtype: 'F16' })],
    ['an unknown type', 'RangeError', write({}, { weightType: 'int4' })],
    ['a type that is no string', 'TypeError', write({}, { weightType: 8 })],
    ['a name that scales have too', 'RangeError', write({ a: [[1]], 'a.scales': [1] }, { weightType: 'int8' })],
    ['float16s in nested arrays', 'TypeError', write({ a: [Uint16Array.of(1)] })],
    ['a name that is not valid Unicode', 'RangeError', write({ '\ud800': [1] })],
  ];
  testRejections('writeSafetensors', rows, () => expect(writeSafetensors({ a: [1] }).length).toBeGreaterThan(8));
});
