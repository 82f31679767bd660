/** writeSafetensors writes files that readSafetensors reads. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import * as files from 'wasm-attention/safetensors';
import { sizeOf } from '../reference/tensor.js';
import { attention } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

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

  test("carries a layer's weights to another, by the entry wasm-attention/safetensors", () => {
    const options = { numHiddens: 6, ffnHiddens: 7 };
    const [from, to] = [1, 2].map((seed) => new attention.FeedForward({ ...options, seed }));
    to!.loadStateDict(files.readSafetensors(files.writeSafetensors(from!.stateDict())));
    expect(to!.stateDict()).toEqual(from!.stateDict());
  });

  const write = (tensors: unknown) => () => writeSafetensors(tensors as never);
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
    ['a name that is not valid Unicode', 'RangeError', write({ '\ud800': [1] })],
  ];
  testRejections('writeSafetensors', rows, () =>
    expect(writeSafetensors({ a: [1] }).length).toBeGreaterThan(8),
  );
});
