import { describe, expect, test } from '@jest/globals';
import { MAX_OUTPUTS, MAX_VALUES, type CellMessage } from '../../web/page/cells/messages.js';
import { rangeOf } from '../../web/page/cells/range.js';
import { drawnRows } from '../../web/page/cells/lines-plot.js';
import { createShow } from '../../web/page/cells/show.js';

/** The messages that a cell's calls of `show` send. */
function shown(call: (tools: ReturnType<typeof createShow>) => void): CellMessage[] {
  const messages: CellMessage[] = [];
  call(createShow((message) => messages.push(message)));
  return messages;
}

const text = (text: string): CellMessage => ({ type: 'text', text });

describe('show', () => {
  test.each([
    ['a word', 'a word'],
    [0.1, '0.1'],
    [1e-8, '1e-8'],
    [true, 'true'],
    [[2, 4, 100], '[2, 4, 100]'],
    [['a', 'b'], '[a, b]'],
    [[], '[]'],
    [new Float32Array([1, 2]), '[1, 2]'],
    [{ data: [1, 2.123456, 3], shape: [3] }, '[3]: 1, 2.123, 3'],
    [{ data: new Float32Array(16), shape: [2, 2, 4] }, '[2, 2, 4]: 0, 0, 0, 0, 0, 0, 0, 0, …'],
  ])('writes %j', (value, written) => {
    expect(shown(({ show }) => show(value))).toEqual([text(written)]);
  });

  test.each([
    [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      undefined,
    ],
    [{ data: new Float64Array([1, 2, 3, 4, 5, 6]), shape: [2, 3] }, undefined],
    [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      'heatmap' as const,
    ],
  ])('makes a heat map of %j', (matrix, kind) => {
    const options = kind === undefined ? undefined : { kind };
    const values = new Float64Array([1, 2, 3, 4, 5, 6]);
    expect(shown(({ show }) => show(matrix, options))).toEqual([{ type: 'heatmap', values, rows: 2, columns: 3 }]);
  });

  test.each([{ a: 1 }, { a: [1, { b: 'c' }] }, null, undefined, new Map(), [[1], 'x'], Symbol('s'), 10n])(
    'writes %p as console.log does',
    (value) => {
      const [first, second] = shown(({ show, log }) => {
        show(value);
        log(value);
      });
      expect(first).toEqual({ ...second, type: 'text' });
    },
  );

  test('copies what it is given', () => {
    const data = new Float32Array([1, 2]);
    const [message] = shown(({ show }) => {
      show({ data, shape: [1, 2] });
      data.fill(7);
    });
    expect(message).toMatchObject({ values: new Float32Array([1, 2]) });
  });

  test('draws all columns as curves, or the given ones', () => {
    const matrix = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    const drawn = shown(({ show }) => {
      show.lines(matrix);
      show.lines(matrix, { columns: [2, 0] });
      show(matrix, { kind: 'lines' });
    });
    expect(drawn.map((message) => message.type === 'lines' && [message.shown, [...message.values]])).toEqual([
      [[0, 1, 2], matrix.flat()],
      [
        [2, 0],
        [3, 1, 6, 4],
      ],
      [[0, 1, 2], matrix.flat()],
    ]);
  });

  test.each<[string, (tools: ReturnType<typeof createShow>) => void, string]>([
    [
      'rows of several lengths',
      ({ show }) => show([[1, 2], [3]]),
      'show: expected rows of 2 numbers each, got 1 in row 1',
    ],
    [
      'a shape of other values',
      ({ show }) => show({ data: [1], shape: [2, 2] }),
      'show: expected 4 values for the shape [2, 2], got 1',
    ],
    [
      'a heat map of text',
      ({ show }) => show('x', { kind: 'heatmap' }),
      'show: expected a matrix for a heat map, got x',
    ],
    [
      'a heat map of three dimensions',
      ({ show }) => show({ data: [1], shape: [1, 1, 1] }, { kind: 'heatmap' }),
      'show: expected a matrix for a heat map, got one of shape [1, 1, 1]',
    ],
    [
      'an unknown kind',
      ({ show }) => show([1], { kind: 'pie' as 'text' }),
      "show: expected kind to be 'heatmap', 'lines' or 'text', got pie",
    ],
    [
      'columns that are not there',
      ({ show }) => show.lines([[1, 2]], { columns: [2] }),
      'show.lines: expected columns to be integers from 0 to 1, got 2',
    ],
    [
      'too many values',
      ({ show }) => show({ data: new Float32Array(2 ** 19), shape: [512, 1024] }),
      `show: expected from 1 to ${MAX_VALUES} values, got ${2 ** 19}`,
    ],
  ])('refuses %s', (_, call, message) => {
    expect(() => shown(call)).toThrow(message);
  });

  test('stops after too many outputs, and says so once', () => {
    const messages = shown(({ show, log }) => {
      for (let i = 0; i < MAX_OUTPUTS; ++i) show(i);
      for (let i = 0; i < 10; ++i) log(i);
    });
    expect(messages).toHaveLength(MAX_OUTPUTS + 1);
    expect(messages.at(-1)).toEqual({ type: 'cut' });
  });
});

test('the console prints anything and never throws', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const hostile = {
    toJSON: () => {
      throw new Error('no');
    },
  };
  const [message] = shown(({ log }) => log('a', 1n, null, { b: new Float32Array(2) }, circle, hostile, new Error('e')));
  expect(message).toEqual({
    type: 'log',
    text: 'a 1 null {"b":"Float32Array(2) [0, 0]"} object object Error: e',
  });
});

test.each([
  [
    [0.2, 0.5],
    [0, 1],
  ],
  [
    [-0.2, 0.5],
    [-1, 1],
  ],
  [
    [-3, 5],
    [-3, 5],
  ],
  [
    [4, 4],
    [3, 5],
  ],
  [
    [NaN, 2, Infinity, 3],
    [2, 3],
  ],
  [[NaN], [0, 1]],
])('the scale of %j runs over %j', (values, range) => {
  expect(rangeOf(values)).toEqual(range);
});

describe('a curve', () => {
  test('of few rows is drawn through all of them', () => {
    expect(drawnRows(6, 3, () => NaN)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('of many rows is drawn through the least and the greatest value of each pixel', () => {
    const values = [5, 1, 2, 9, 3, 3, 3, 3, NaN, -Infinity, 7, NaN, NaN, NaN, NaN, NaN];
    expect(drawnRows(16, 4, (row) => values[row]!)).toEqual([1, 3, 4, 9, 10, 12]);
  });
});
