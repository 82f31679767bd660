import { expect } from '@jest/globals';
import { rotaryEmbedding, rotaryEmbeddingBackward } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';

const x = new Random(1).tensor([2, 3, 4, 8]);
const table = (...shape: number[]) => new Random(2).tensor(shape);
const longrope = {
  type: 'longrope',
  factor: 2,
  originalMaxLength: 64,
  shortFactor: [1, 1, 1, 1],
  longFactor: [1, 2, 3, 4],
};
const tables = (...shape: number[]) => ({ cos: table(...shape), sin: table(...shape) });

for (const [operation, rotate] of Object.entries({ rotaryEmbedding, rotaryEmbeddingBackward })) {
  const call =
    (options: unknown, input: unknown = x) =>
    () =>
      rotate(input as never, options as never);
  const scaled = (scaling: unknown, base?: number) => call({ scaling, ...(base && { base }) });
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [what, 'TypeError', () => rotate(bad as never)]),
    ['rank 1', 'RangeError', call({}, [1, 2])],
    ['an odd width', 'RangeError', call({}, [[1, 2, 3]])],
    ['no width', 'RangeError', call({}, { data: new Float32Array(0), shape: [2, 0] })],
    ['options that are a number', 'TypeError', call(3)],
    ['an odd rotaryDim', 'RangeError', call({ rotaryDim: 3 })],
    ['rotaryDim 0', 'RangeError', call({ rotaryDim: 0 })],
    ['rotaryDim -2', 'RangeError', call({ rotaryDim: -2 })],
    ['rotaryDim beyond the width', 'RangeError', call({ rotaryDim: 10 })],
    ['rotaryDim as a string', 'TypeError', call({ rotaryDim: '4' })],
    ['interleaved as a number', 'TypeError', call({ interleaved: 1 })],
    ['base 0', 'RangeError', call({ base: 0 })],
    ['base NaN', 'RangeError', call({ base: NaN })],
    ['base Infinity', 'RangeError', call({ base: Infinity })],
    ['offset Infinity', 'RangeError', call({ offset: Infinity })],
    ['offset as a string', 'TypeError', call({ offset: '1' })],
    ['a position beyond exact angles', 'RangeError', call({ offset: 2 ** 30 })],
    ['too few positions', 'RangeError', call({ positions: [1, 2, 3] })],
    ['positions of another batch', 'RangeError', call({ positions: table(3, 4) })],
    ['positions of rank 3', 'RangeError', call({ positions: table(2, 3, 4) })],
    ['a NaN position', 'RangeError', call({ positions: [0, 1, NaN, 3] })],
    ['a position that is a string', 'TypeError', call({ positions: [0, 1, '2', 3] })],
    ['positions that are a number', 'TypeError', call({ positions: 4 })],
    ['cos without sin', 'RangeError', call({ cos: table(9, 4) })],
    ['sin without cos', 'RangeError', call({ sin: table(9, 4) })],
    ['tables of different shapes', 'RangeError', call({ cos: table(9, 4), sin: table(8, 4) })],
    ['tables of another width', 'RangeError', call(tables(9, 8))],
    ['tables of rank 1', 'RangeError', call(tables(4))],
    ['tables too short for the positions', 'RangeError', call(tables(3, 4))],
    ['tables too short for the offset', 'RangeError', call({ ...tables(9, 4), offset: 6 })],
    ['tables and a position beyond them', 'RangeError', call({ ...tables(9, 4), positions: [0, 9, 1, 2] })],
    ['tables and a negative position', 'RangeError', call({ ...tables(9, 4), positions: [0, -1, 1, 2] })],
    ['tables and a position between rows', 'RangeError', call({ ...tables(9, 4), positions: [0, 0.5, 1, 2] })],
    ['tables of another batch', 'RangeError', call(tables(3, 4, 4))],
    ['tables of another length', 'RangeError', call(tables(2, 5, 4))],
    ['tables for each token and positions', 'RangeError', call({ ...tables(2, 4, 4), positions: [0, 1, 2, 3] })],
    ['tables for each token and an offset', 'RangeError', call({ ...tables(2, 4, 4), offset: 1 })],
    ['tables and a base', 'RangeError', call({ ...tables(9, 4), base: 100 })],
    ['tables and scaling', 'RangeError', call({ ...tables(9, 4), scaling: { type: 'linear', factor: 2 } })],
    ['scaling that is a string', 'TypeError', scaled('linear')],
    ['scaling without a type', 'RangeError', scaled({ factor: 2 })],
    ['an unknown scaling', 'RangeError', scaled({ type: 'dynamic-ntk', factor: 2 })],
    ['dynamic without a length', 'TypeError', scaled({ type: 'dynamic', factor: 2 })],
    ['dynamic with length 0', 'RangeError', scaled({ type: 'dynamic', factor: 2, originalMaxLength: 0 })],
    [
      'a dynamic base below 0',
      'RangeError',
      call({ offset: 1000, scaling: { type: 'dynamic', factor: 0.5, originalMaxLength: 1e-3 }, base: 1e-30 }),
    ],
    ['longrope without factors', 'TypeError', scaled({ type: 'longrope', factor: 2, originalMaxLength: 64 })],
    ['longrope without long factors', 'TypeError', scaled({ ...longrope, longFactor: undefined })],
    ['longrope with too few factors', 'RangeError', scaled({ ...longrope, shortFactor: [1, 1, 1] })],
    ['longrope with a factor of 0', 'RangeError', scaled({ ...longrope, longFactor: [1, 1, 0, 1] })],
    ['longrope with a factor as a string', 'TypeError', scaled({ ...longrope, longFactor: [1, '1', 1, 1] })],
    ['longrope without a length', 'TypeError', scaled({ ...longrope, originalMaxLength: undefined })],
    ['longrope of length 1 without an attention factor', 'RangeError', scaled({ ...longrope, originalMaxLength: 1 })],
    ['sections that are a number', 'TypeError', call({ sections: 4 })],
    ['sections with a string', 'TypeError', call({ sections: [2, '2'] })],
    ['sections with 0', 'RangeError', call({ sections: [0, 4] })],
    ['sections that are too few pairs', 'RangeError', call({ sections: [1, 2] })],
    ['sections that are too many pairs', 'RangeError', call({ sections: [2, 3] })],
    ['sections and positions of one axis', 'RangeError', call({ sections: [2, 2], positions: [0, 1, 2, 3] })],
    ['sections and positions of other axes', 'RangeError', call({ sections: [2, 2], positions: table(3, 4) })],
    ['sections and positions of another batch', 'RangeError', call({ sections: [2, 2], positions: table(2, 3, 4) })],
    ['positions of several axes without sections', 'RangeError', call({ positions: table(2, 2, 4) })],
    ['tables and sections', 'RangeError', call({ ...tables(9, 4), sections: [2, 2] })],
    ['scaling without a factor', 'TypeError', scaled({ type: 'linear' })],
    ['factor 0', 'RangeError', scaled({ type: 'linear', factor: 0 })],
    ['factor NaN', 'RangeError', scaled({ type: 'ntk', factor: NaN })],
    ['an ntk base beyond float64', 'RangeError', scaled({ type: 'ntk', factor: 1e300 })],
    ['yarn without a length', 'TypeError', scaled({ type: 'yarn', factor: 2 })],
    ['llama3 without a length', 'TypeError', scaled({ type: 'llama3', factor: 2 })],
    ['yarn with base 1', 'RangeError', scaled({ type: 'yarn', factor: 2, originalMaxLength: 64 }, 1)],
    [
      'yarn with betas exchanged',
      'RangeError',
      scaled({ type: 'yarn', factor: 2, originalMaxLength: 64, betaFast: 1, betaSlow: 32 }),
    ],
    ['a negative originalMaxLength', 'RangeError', scaled({ type: 'yarn', factor: 2, originalMaxLength: -64 })],
    [
      'llama3 with equal frequency factors',
      'RangeError',
      scaled({ type: 'llama3', factor: 2, originalMaxLength: 64, lowFreqFactor: 4 }),
    ],
    ['truncate as a number', 'TypeError', scaled({ type: 'yarn', factor: 2, originalMaxLength: 64, truncate: 1 })],
  ];
  testRejections(operation, rows, () => expect([...rotate([[3, 5]]).data]).toEqual([3, 5]));
}
