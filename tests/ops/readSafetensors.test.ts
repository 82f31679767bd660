/** readSafetensors reads everything that the format allows. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, writeSafetensors, type Tensor } from 'wasm-attention';
import { halfOf } from '../reference/weightTypes.js';
import { bytesOf, entry, file } from '../support/safetensors.js';

describe('readSafetensors', () => {
  test('reads 32-bit numbers, bytes and booleans', () => {
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

  test('types tensors as float32 unless their names are given another type', () => {
    const bytes = file({ f: entry('F32', [1], 0, 4), i: entry('I32', [1], 4, 8) }, [0, 0, 128, 63, 7, 0, 0, 0]);
    const weights: Record<string, Tensor> = readSafetensors(bytes);
    const named = readSafetensors<Float32Array | Int32Array>(bytes);
    expect([weights.f!.data, named.i!.data]).toEqual([Float32Array.of(1), Int32Array.of(7)]);
    // @ts-expect-error Another array type than the one given for the name.
    const wrong: Record<string, Tensor> = named;
    expect(wrong).toBe(named);
  });

  test('widens every float16 exactly', () => {
    const halves = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const { h } = readSafetensors(file({ h: entry('F16', [65536], 0, 131072) }, bytesOf(halves)));
    expect(h!.data).toEqual(Float32Array.from(halves, halfOf));
  });

  test('widens bfloat16, which is the upper half of a float32, exactly', () => {
    const values = Float32Array.from([1, -2.5, 2 ** -133, Infinity, NaN, -0]);
    const upper = Uint16Array.from(new Uint32Array(values.buffer), (bits) => bits >>> 16);
    const { x } = readSafetensors(file({ x: entry('BF16', [6], 0, 12) }, bytesOf(upper)));
    expect(x!.data).toEqual(values);
  });

  test('accepts entries in any order, scalars, empty tensors, padding, no tensors, and data at odd offsets', () => {
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
    // Floats at an odd offset.
    expect(
      readSafetensors(file({ u: entry('U8', [1], 0, 1), a: entry('F32', [1], 1, 5) }, [9, 0, 0, 128, 63])).a!.data,
    ).toEqual(Float32Array.of(1));
  });

  test('accepts any name', () => {
    const tricky =
      '{"__proto__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"\\"{\\\\":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}';
    const tensors = readSafetensors(file(tricky, [1, 2, 3]));
    expect(Object.keys(tensors)).toEqual(['__proto__', '', '"{\\']);
    expect(Object.getPrototypeOf(tensors)).toBe(Object.prototype);
  });

  test('reads buffers and views of a part, and copies the data', () => {
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
});
