import { describe, expect, test } from '@jest/globals';
import type { RotaryOptions } from 'wasm-attention';
import { multiHeadAttention as reference } from '../reference/multiHeadAttention.js';
import { scaledFrequencies, type RotaryReferenceOptions } from '../reference/rotaryEmbedding.js';
import { expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { OUTPUT_ATOL, outputTolerance } from '../support/multiHeadTolerance.js';
import { Random, type RandomTensor } from '../support/random.js';
import { expectRejected, testRejections, type Rejection } from '../support/rejections.js';
import { tokens } from '../support/tokens.js';

const make = (rotary: RotaryOptions, options: object = {}) =>
  new attention.MultiHeadAttention({ numHiddens: 24, numHeads: 4, bias: true, seed: 3, rotary, ...options });

const random = new Random(1);
const [q, k, v] = [random.tensor([2, 5, 24]), random.tensor([2, 9, 24]), random.tensor([2, 9, 24])];
const tables = { cos: random.tensor([40, 2]), sin: random.tensor([40, 2]) };
const yarn = { type: 'yarn', factor: 4, originalMaxLength: 16 } as const;

describe('MultiHeadAttention with rotary positions', () => {
  test.each<[string, RotaryOptions, RotaryReferenceOptions]>([
    ['pairs in halves', {}, {}],
    ['pairs of neighbours', { interleaved: true }, { interleaved: true }],
    ['another base', { base: 100 }, { base: 100 }],
    ["part of a head's width", { rotaryDim: 4 }, { rotaryDim: 4 }],
    ['given tables', { rotaryDim: 4, ...tables }, { rotaryDim: 4, ...tables }],
    ['scaling', { scaling: yarn }, scaledFrequencies(10000, 6, yarn)],
  ])('rotates projected queries and keys, with %s', (_name, rotary, expected) => {
    for (const numKvHeads of [4, 2, 1]) {
      const layer = make(rotary, { numKvHeads });
      for (const [offset, masks, atQueries, atKeys] of [
        [undefined, {}, 0, 0],
        [7, {}, 7, 7],
        [undefined, { causalOffset: 4, isCausal: true }, 4, 0],
      ] as const) {
        const options = { ...masks, ...(offset !== undefined && { offset }) };
        const result = layer.forward(q, k, v, { ...options, needWeights: true });
        const parameters = {
          numHeads: 4,
          numKvHeads,
          state: layer.stateDict(),
          rotary: { queries: { ...expected, offset: atQueries }, keys: { ...expected, offset: atKeys } },
        };
        const { output, weights } = reference(q, k, v, parameters, masks);
        expectClose(result.output, output, outputTolerance(output));
        expectClose(result.weights, weights, { atol: OUTPUT_ATOL });
      }
    }
  });

  test("starts each sequence's positions at its causalOffset", () => {
    const layer = make({});
    const options = { causalOffset: [4, 1], isCausal: true };
    const positions = { data: [4, 5, 6, 7, 8, 1, 2, 3, 4, 5], shape: [2, 5] };
    const parameters = {
      numHeads: 4,
      state: layer.stateDict(),
      rotary: { queries: { positions }, keys: {} },
    };
    const { output } = reference(q, k, v, parameters, options);
    expectClose(layer.forward(q, k, v, options).output, output, outputTolerance(output));
  });

  test('gives self-attention the same result at any offset, because only distances matter', () => {
    const layer = make({});
    const here = layer.forward(q, q, q, { needWeights: true });
    const plain = new attention.MultiHeadAttention({ numHiddens: 24, numHeads: 4, bias: true, seed: 3 });
    expect(plain.forward(q, q, q).output).not.toEqual(here.output);
    for (const there of [
      layer.forward(q, q, q, { offset: 100_000, needWeights: true }),
      make({ offset: 77.5 }).forward(q, q, q, { needWeights: true }),
    ]) {
      expectClose(there.weights, here.weights!, { atol: OUTPUT_ATOL });
      expectClose(there.output, here.output, outputTolerance(here.output));
    }
  });

  test.each([
    ['one by one', [1, 1, 1, 1, 1, 1, 1, 1, 1]],
    ['a prompt, then one by one', [6, 1, 1, 1]],
    ['in pieces', [3, 5, 1]],
  ])('continues the positions with a cache and with past keys: %s', (_how, steps) => {
    for (const [rotary, numKvHeads] of [
      [{}, 4],
      [{ interleaved: true, rotaryDim: 2 }, 2],
      [{ rotaryDim: 4, ...tables }, 1],
    ] as const) {
      const layer = make(rotary, { numKvHeads });
      const full = layer.forward(k, k, k, { isCausal: true }).output;
      const cache = layer.createCache({ batch: 2, maxLength: 9 });
      let past: { pastKey?: RandomTensor; pastValue?: RandomTensor } = {
        pastKey: { data: new Float32Array(0), shape: [2, numKvHeads, 0, 6] },
        pastValue: { data: new Float32Array(0), shape: [2, numKvHeads, 0, 6] },
      };
      let at = 0;
      for (const step of steps) {
        const piece = tokens(k, at, at + step);
        const expected = tokens(full, at, at + step);
        const tolerance = outputTolerance(expected);
        expectClose(layer.forward(piece, piece, piece, { isCausal: true, cache }).output, expected, tolerance);
        const result = layer.forward(piece, piece, piece, { isCausal: true, ...past });
        expectClose(result.output, expected, tolerance);
        past = { pastKey: result.presentKey!, pastValue: result.presentValue! };
        at += step;
      }
      cache.dispose();
    }
  });

  test('copies the tables that it is given', () => {
    const given = { rotaryDim: 4, cos: random.tensor([9, 2]), sin: random.tensor([9, 2]) };
    const layer = make(given);
    const before = layer.forward(q, k, v).output;
    given.cos.data.fill(NaN);
    given.sin.data.fill(NaN);
    expect(layer.forward(q, k, v).output).toEqual(before);
  });

  test('accepts an empty batch', () => {
    const empty = { data: new Float32Array(0), shape: [0, 3, 24] };
    expect(make({}).forward(empty, empty, empty).output.shape).toEqual([0, 3, 24]);
  });

  test('refuses more tokens than its tables have rows, and keeps the cache', () => {
    const layer = make({ rotaryDim: 4, cos: random.tensor([9, 2]), sin: random.tensor([9, 2]) });
    const cache = layer.createCache({ batch: 2, maxLength: 20 });
    layer.forward(k, k, k, { cache });
    const piece = tokens(k, 0, 1);
    expectRejected('MultiHeadAttention', 'RangeError', () => layer.forward(piece, piece, piece, { cache }));
    expect(cache.length).toBe(9);
  });

  const layer = make({});
  const construct = (rotary: unknown) => () => make(rotary as RotaryOptions);
  const forward = (options: unknown) => () => layer.forward(q, k, v, options as never);
  const rows: Rejection[] = [
    ['rotary that is a boolean', 'TypeError', construct(true)],
    ['rotaryDim beyond a head', 'RangeError', construct({ rotaryDim: 8 })],
    ['an odd rotaryDim', 'RangeError', construct({ rotaryDim: 3 })],
    ['heads of an odd width', 'RangeError', () => make({}, { numHeads: 8 })],
    ['an infinite base', 'RangeError', construct({ base: Infinity })],
    ['a NaN offset', 'RangeError', construct({ offset: NaN })],
    ['positions', 'RangeError', construct({ positions: [1, 2] })],
    ['tables of another width', 'RangeError', construct(tables)],
    [
      'tables for each token',
      'RangeError',
      construct({ cos: random.tensor([2, 5, 3]), sin: random.tensor([2, 5, 3]) }),
    ],
    ['cos that is a number', 'TypeError', construct({ cos: 1, sin: 1 })],
    ['scaling of an unknown type', 'RangeError', construct({ scaling: { type: 'x', factor: 2 } })],
    ['a fractional offset', 'RangeError', forward({ offset: 0.5 })],
    ['an offset that is a string', 'TypeError', forward({ offset: '1' })],
  ];
  testRejections('MultiHeadAttention', rows, () => expect(layer.forward(q, k, v).output.shape).toEqual([2, 5, 24]));
});
