/** Reading parts of a file, and files with unsupported types. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors } from 'wasm-attention';
import { expectRejected } from '../support/rejections.js';
import { entry, file } from '../support/safetensors.js';

/** A file like a checkpoint of BERT: weights, and position ids in int64. */
const bytes = file(
  {
    weight: entry('F32', [2], 0, 8),
    position_ids: entry('I64', [1, 2], 8, 24),
    scale: entry('F8_E4M3', [3], 24, 27),
    constructor: entry('constructor', [1], 27, 28),
    bias: entry('F16', [1], 28, 30),
  },
  Uint8Array.from({ length: 30 }, (_, i) => (i < 8 ? [0, 0, 128, 63][i % 4]! : 0)),
);
const weight = { data: Float32Array.of(1, 1), shape: [2] };
const bias = { data: Float32Array.of(0), shape: [1] };

describe('readSafetensors', () => {
  test('reads the tensors of supported types, and lists the others', () => {
    const skipped = ['before'];
    expect(readSafetensors(bytes, { skipped })).toEqual({ weight, bias });
    expect(skipped).toEqual(['before', 'position_ids', 'scale', 'constructor']);
    expect(readSafetensors(bytes)).toEqual({ weight, bias });
  });

  test('reads only the requested names', () => {
    expect(readSafetensors(bytes, { names: ['bias'] })).toEqual({ bias });
    expect(readSafetensors(bytes, { names: [] })).toEqual({});
    const skipped: string[] = [];
    expect(readSafetensors(bytes, { names: ['scale', 'weight'], skipped })).toEqual({ weight });
    expect(skipped).toEqual(['scale']);
  });

  test('checks all offsets, whatever the type', () => {
    const gap = file({ a: entry('I64', [1], 0, 8), b: entry('F32', [1], 12, 16) }, new Uint8Array(16));
    expectRejected('readSafetensors', 'RangeError', () => readSafetensors(gap));
    expectRejected('readSafetensors', 'RangeError', () => readSafetensors(gap, { names: [] }));
  });

  test.each([
    ['a name that is not there', 'RangeError', { names: ['weights'] }],
    ['a name that is a number', 'TypeError', { names: [1] }],
    ['names that are a string', 'TypeError', { names: 'weight' }],
    ['skipped that is no array', 'TypeError', { skipped: new Set() }],
    ['an unknown option', 'TypeError', { name: ['weight'] }],
  ] as const)('refuses %s', (_, kind, options) => {
    expectRejected('readSafetensors', kind, () => readSafetensors(bytes, options as never));
  });
});
