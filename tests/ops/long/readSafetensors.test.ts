/** Damaged files, and files with very long headers. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSafetensors, writeSafetensors } from 'wasm-attention';
import { sizeOf } from '../../reference/tensor.js';
import { Random } from '../../support/random.js';
import { entry, file } from '../../support/safetensors.js';

describe('readSafetensors', () => {
  test.each([
    ['letters', '\\u0041', 'A'],
    ['quotes', '\\"', '"'],
    ['line ends', '\\n', '\n'],
  ])('reads a name of four million escaped %s', (_, escaped, plain) => {
    const name = `{"${escaped.repeat(4e6)}":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`;
    const [read, ...others] = Object.keys(readSafetensors(file(name, new Uint8Array(4))));
    expect(read === plain.repeat(4e6)).toBe(true);
    expect(others).toEqual([]);
  });

  test('takes time in proportion to a header of very many entries', () => {
    const many = Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => [`layer.${i}`, entry('I64', [0], 0, 0)]));
    const names = Object.keys(many);
    const skipped: string[] = [];
    // Comparing each name with each would take minutes.
    readSafetensors(file(many), { names, skipped });
    expect(skipped).toEqual(names);
  });

  test('throws only its own errors on damaged files', () => {
    const good = writeSafetensors({
      w: new Random(1).tensor([3, 2]),
      i: { data: Int32Array.of(1), shape: [1] },
    });
    const attempt = (bytes: Uint8Array) => {
      try {
        for (const { data, shape } of Object.values(readSafetensors(bytes))) {
          expect(data.length).toBe(sizeOf(shape));
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
    const offsets = fc.tuple(fc.oneof(fc.integer(), fc.constant(0)), fc.oneof(fc.nat({ max: 16 }), fc.double()));
    const entries = fc.dictionary(
      fc.string(),
      fc.record({
        dtype: fc.oneof(fc.constantFrom('F32', 'U8', 'BOOL', 'F16'), fc.string()),
        shape: fc.array(fc.oneof(fc.nat({ max: 4 }), fc.integer())),
        data_offsets: fc.oneof(offsets, fc.jsonValue()),
      }),
    );
    fc.assert(
      fc.property(fc.oneof(entries, fc.dictionary(fc.string(), fc.jsonValue())), fc.nat({ max: 16 }), (header, size) =>
        attempt(file(header as object, new Uint8Array(size))),
      ),
      { numRuns: 1000 },
    );
  });

  test('handles very deep and very long headers', () => {
    const read = (bytes: Uint8Array) => () => readSafetensors(bytes);
    expect(read(file(`{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`))).toThrow(RangeError);
    expect(read(file(`{"a":"${'x'.repeat(5e6)}"}`))).toThrow(RangeError);
    expect(read(file(`{"__metadata__":{"a":"${'\\\\'.repeat(4e6)}"}}`))).not.toThrow();
    expect(read(file(`{"__metadata__":{"${'\\"'.repeat(4e6)}":""}}`))).not.toThrow();
    expect(read(file({ ['a'.repeat(1e6)]: entry('F16', [2], 0, 8) }, new Uint8Array(8)))).toThrow(/^.{20,1000}$/s);
  });

  test('refuses whatever nests deeper than a list in an entry', () => {
    const levels = fc.array(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[0,', ']'], ['{"__metadata__":', '}']), {
      minLength: 3,
      maxLength: 200,
    });
    fc.assert(
      fc.property(levels, fc.boolean(), (brackets, isClosed) => {
        const opening = brackets.map(([open]) => open).join('');
        const closing = brackets
          .map(([, close]) => close)
          .reverse()
          .join('');
        const header = `{"t":${opening}1${isClosed ? `${closing}}` : ''}`;
        expect(() => readSafetensors(file(header))).toThrow(/a header nested to a depth of 3, got more$/);
      }),
    );
  });
});
