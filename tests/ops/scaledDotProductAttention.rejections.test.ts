import { expect } from '@jest/globals';
import { zeros } from '../reference/tensor.js';
import { scaledDotProductAttention } from '../support/library.js';
import { BROKEN_TENSORS, NOT_TENSORS, testRejections, type Kind, type Rejection } from '../support/rejections.js';

// B = 2, H = 4, Hkv = 2, L = 3, S = 5, E = 4, Ev = 6.
const open = (...shape: number[]) => ({ data: new Uint8Array(zeros(...shape).data.length), shape });
const query = zeros(2, 4, 3, 4);
const key = zeros(2, 2, 5, 4);
const value = zeros(2, 2, 5, 6);

/** A call with these options, whatever their types. */
const withOptions = (options: unknown) => () => scaledDotProductAttention(query, key, value, options as never);
const rejected = (kind: Kind, ...rows: readonly (readonly [string, unknown])[]): Rejection[] =>
  rows.map(([mistake, options]) => [mistake, kind, withOptions(options)]);

const tensors: Rejection[] = (['query', 'key', 'value'] as const).flatMap((name, place) => {
  const call = (bad: unknown) => () => {
    const inputs = [query, key, value] as unknown[];
    inputs[place] = bad;
    return scaledDotProductAttention(...(inputs as [never, never, never]));
  };
  return [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [`${name}: ${what}`, 'TypeError', call(bad)]),
    ...BROKEN_TENSORS.map(([what, bad]): Rejection => [`${name}: ${what}`, 'RangeError', call(bad)]),
  ];
});

const shapes: Rejection[] = (
  [
    ['key of another rank', query, zeros(2, 5, 4), value],
    ['value of another rank', query, key, zeros(5, 6)],
    ['keys of another width', query, zeros(2, 2, 5, 3), value],
    ['keys of another batch', query, zeros(1, 2, 5, 4), value],
    ['values of another batch', query, key, zeros(1, 2, 5, 6)],
    ['another number of values than of keys', query, key, zeros(2, 2, 4, 6)],
    ['another number of value heads than of key heads', query, key, zeros(2, 4, 5, 6)],
    ['a number of query heads that is not a multiple of the key heads', query, zeros(2, 3, 5, 4), zeros(2, 3, 5, 6)],
    ['more key heads than query heads', zeros(2, 1, 3, 4), key, value],
    ['fewer sequences of keys than of queries in rank 3', zeros(4, 3, 4), zeros(2, 5, 4), zeros(2, 5, 6)],
  ] as const
).map(([mistake, q, k, v]) => [mistake, 'RangeError', () => scaledDotProductAttention(q, k, v)]);

const options: Rejection[] = [
  ...rejected('TypeError', ['options that are a number', 5], ['options that are a string', 'causal'], ['null', null]),

  ...rejected(
    'RangeError',
    ['validLens of another batch', { validLens: [1, 2, 3] }],
    ['validLens for another number of queries', { validLens: zeros(2, 4) }],
    ['validLens of rank 3', { validLens: zeros(2, 3, 1) }],
    ['a negative length', { validLens: [1, -1] }],
    ['a fractional length', { validLens: [1.5, 1] }],
    ['a NaN length', { validLens: [NaN, 1] }],
  ),
  ...rejected(
    'TypeError',
    ['a length that is a string', { validLens: ['1', '2'] }],
    ['validLens: 3', { validLens: 3 }],
  ),

  ...rejected(
    'RangeError',
    ['a mask for more keys', { mask: open(3, 6) }],
    ['a mask for another number of queries', { mask: open(2, 5) }],
    ['a mask for another number of heads', { mask: open(2, 2, 3, 5) }],
    ['a mask for another batch', { mask: open(3, 4, 3, 5) }],
    ['a mask of rank 5', { mask: open(1, 2, 4, 3, 5) }],
    ['a mask without keys', { mask: open(3, 0) }],
    ['a mask that holds 2', { mask: [[2]] }],
    ['a mask that holds 0.5', { mask: [[0.5]] }],
    ['a mask that holds NaN', { mask: [[NaN]] }],
    ['a mask shorter than its shape', { mask: { data: [true], shape: [3, 5] } }],
  ),
  ...rejected('TypeError', ['a mask of strings', { mask: [['yes']] }], ['a mask that is true', { mask: true }]),

  ...rejected(
    'RangeError',
    ['a bias for more keys', { bias: zeros(3, 6) }],
    ['a bias for another number of queries', { bias: zeros(2, 5) }],
    ['a bias for another number of heads', { bias: zeros(3, 3, 5) }],
    ['a bias of rank 5', { bias: zeros(1, 2, 4, 3, 5) }],
  ),
  ...rejected('TypeError', ['a bias of booleans', { bias: [[true]] }], ['a bias that is a number', { bias: 1 }]),

  ...rejected(
    'TypeError',
    ['isCausal as a string', { isCausal: 'yes' }],
    ['isCausal as a number', { isCausal: 1 }],
    ['needWeights as a string', { needWeights: 'yes' }],
    ['needLogSumExp as a number', { needLogSumExp: 1 }],
    ['scale as a string', { scale: '1' }],
    ['softcap as a string', { softcap: '1' }],
    ['dropout as a string', { dropout: '0.5' }],
    ['seed as a string', { dropout: 0.5, seed: '1' }],
    ['causalOffset as a string', { causalOffset: '1' }],
    ['window as a string', { window: 'wide' }],
    ['window as an object', { window: {} }],
    ['alibiSlopes as a number', { alibiSlopes: 1 }],
  ),
  ...rejected(
    'RangeError',
    ['scale NaN', { scale: NaN }],
    ['scale Infinity', { scale: Infinity }],
    ['softcap NaN', { softcap: NaN }],
    ['softcap below 0', { softcap: -1 }],
    ['softcap Infinity', { softcap: Infinity }],
    ['dropout below 0', { dropout: -0.1 }],
    ['dropout 1', { dropout: 1 }],
    ['dropout NaN', { dropout: NaN }],
    ['a negative seed', { dropout: 0.5, seed: -1 }],
    ['a fractional seed', { dropout: 0.5, seed: 1.5 }],
    ['a seed of 2^32', { dropout: 0.5, seed: 2 ** 32 }],
    ['causalOffset NaN', { causalOffset: NaN }],
    ['a fractional causalOffset', { causalOffset: 0.5 }],
    ['causalOffset Infinity', { causalOffset: Infinity }],
    ['too few offsets', { causalOffset: [1] }],
    ['a fractional offset', { causalOffset: [1, 0.5] }],
    ['a window below -1', { window: -2 }],
    ['a window side below -1', { window: [0, -2] }],
    ['a fractional window', { window: [1.5, 0] }],
    ['a window of NaN', { window: NaN }],
    ['too few slopes', { alibiSlopes: [1, 2, 3] }],
    ['slopes of rank 2', { alibiSlopes: zeros(1, 4) }],
    ['an unknown stage of needScores', { needScores: 'raw' }],
  ),

  ...rejected(
    'RangeError',
    ['too few sinks', { sinks: [1, 2, 3] }],
    ['sinks of rank 2', { sinks: zeros(1, 4) }],
    ['packed sequences of a batch', { cuSeqlens: [0, 3] }],
  ),
  ...rejected(
    'TypeError',
    ['sinks as a number', { sinks: 1 }],
    ['sinks that are strings', { sinks: ['1', '2', '3', '4'] }],
  ),

  ...rejected(
    'RangeError',
    ['past keys without values', { pastKey: zeros(2, 2, 7, 4) }],
    ['past values without keys', { pastValue: zeros(2, 2, 7, 6) }],
    ['pasts of different lengths', { pastKey: zeros(2, 2, 7, 4), pastValue: zeros(2, 2, 8, 6) }],
    ['a past of another width', { pastKey: zeros(2, 2, 7, 3), pastValue: zeros(2, 2, 7, 6) }],
    ['a past of another value width', { pastKey: zeros(2, 2, 7, 4), pastValue: zeros(2, 2, 7, 5) }],
    ['a past of another number of heads', { pastKey: zeros(2, 4, 7, 4), pastValue: zeros(2, 4, 7, 6) }],
    ['a past of another batch', { pastKey: zeros(1, 2, 7, 4), pastValue: zeros(1, 2, 7, 6) }],
    ['relativeKeys with an even number of rows', { relativeKeys: zeros(4, 4) }],
    ['relativeKeys without rows', { relativeKeys: zeros(0, 4) }],
    ['relativeKeys of another width', { relativeKeys: zeros(3, 6) }],
    ['relativeKeys for another number of heads', { relativeKeys: zeros(2, 3, 4) }],
    ['relativeKeys of rank 1', { relativeKeys: zeros(4) }],
    ['relativeValues with an even number of rows', { relativeValues: zeros(2, 6) }],
    ['relativeValues of another width', { relativeValues: zeros(3, 4) }],
    ['an output too short', { out: { output: new Float32Array(3) } }],
    ['weights too long', { needWeights: true, out: { weights: new Float32Array(2 * 4 * 3 * 5 + 1) } }],
  ),
  ...rejected(
    'TypeError',
    ['an output that is not a Float32Array', { out: { output: new Float64Array(2 * 4 * 3 * 6) } }],
    ['weights that are an array', { needWeights: true, out: { weights: Array.from({ length: 120 }, () => 0) } }],
    ['pastKey as a string', { pastKey: 'x', pastValue: zeros(2, 2, 7, 6) }],
    ['relativeKeys as a number', { relativeKeys: 3 }],
  ),
];

testRejections('scaledDotProductAttention', [...tensors, ...shapes, ...options], () => {
  const { output } = scaledDotProductAttention(
    [[0]],
    [[1], [2]],
    [
      [3, 5],
      [5, 9],
    ],
  );
  expect([...output.data]).toEqual([4, 7]);
});
