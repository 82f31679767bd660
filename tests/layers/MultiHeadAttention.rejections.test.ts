import { expect } from '@jest/globals';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';

const make = (options: object = {}) =>
  new attention.MultiHeadAttention({ numHiddens: 8, numHeads: 2, bias: true, seed: 1, ...options });
const x = new Random(1).tensor([2, 3, 8]);

const layer = make();
const construct = (options: unknown) => () => new attention.MultiHeadAttention(options as never);
const forward =
  (...call: unknown[]) =>
  () =>
    layer.forward(...(call as [never, never, never]));
const y = new Random(2).tensor([2, 4, 8]);
const rows: Rejection[] = [
  ['no options', 'TypeError', construct(undefined)],
  ['options null', 'TypeError', construct(null)],
  ['options that are a number', 'TypeError', construct(100)],
  ['no numHeads', 'TypeError', construct({ numHiddens: 8 })],
  ['heads that do not divide the width', 'RangeError', construct({ numHiddens: 10, numHeads: 3 })],
  ['no heads', 'RangeError', construct({ numHiddens: 8, numHeads: 0 })],
  ['no width', 'RangeError', construct({ numHiddens: 0, numHeads: 1 })],
  ['a fractional width', 'RangeError', construct({ numHiddens: 8.5, numHeads: 1 })],
  ['numHiddens NaN', 'RangeError', construct({ numHiddens: NaN, numHeads: 1 })],
  ['numHiddens as a string', 'TypeError', construct({ numHiddens: '8', numHeads: 1 })],
  ['key heads that do not divide the heads', 'RangeError', construct({ numHiddens: 8, numHeads: 4, numKvHeads: 3 })],
  ['dropout 1', 'RangeError', construct({ numHiddens: 8, numHeads: 2, dropout: 1 })],
  ['dropout NaN', 'RangeError', construct({ numHiddens: 8, numHeads: 2, dropout: NaN })],
  ['bias as a number', 'TypeError', construct({ numHiddens: 8, numHeads: 2, bias: 1 })],
  ['a negative seed', 'RangeError', construct({ numHiddens: 8, numHeads: 2, seed: -1 })],
  ['keySize 0', 'RangeError', construct({ numHiddens: 8, numHeads: 2, keySize: 0 })],
  ['queries of rank 2', 'RangeError', forward([[1, 2]], x, x)],
  ['queries of another width', 'RangeError', forward(new Random(3).tensor([2, 3, 7]), x, x)],
  ['keys of another width', 'RangeError', forward(x, new Random(3).tensor([2, 3, 7]), x)],
  ['keys of another batch', 'RangeError', forward(x, new Random(3).tensor([1, 3, 8]), x)],
  ['other numbers of keys and values', 'RangeError', forward(x, y, x)],
  ['validLens of another batch', 'RangeError', forward(x, x, x, { validLens: [1] })],
  ['a negative length', 'RangeError', forward(x, x, x, { validLens: [1, -1] })],
  ['a mask that does not broadcast', 'RangeError', forward(x, x, x, { mask: [[true, true, true, true]] })],
  ['a mask for other heads', 'RangeError', forward(x, x, x, { mask: new Random(4).mask([3, 3, 3]) })],
  ['a window below -1', 'RangeError', forward(x, x, x, { window: -2 })],
  ['options that are a string', 'TypeError', forward(x, x, x, 'causal')],
  ['an output too short', 'RangeError', forward(x, x, x, { out: { output: new Float32Array(1) } })],
];
const expected = layer.forward(x, x, x);
testRejections('MultiHeadAttention', rows, () => expect(layer.forward(x, x, x)).toEqual(expected));
