import { expect, test } from '@jest/globals';
import { headsCode } from '../../web/elements/attention-heads/code.js';
import { perQuery, visibleKeys } from '../../web/elements/attention-heads/textbook-case.js';
import { runModule } from '../support/runModule.js';

const queryLens = [1, 2, 3, 4, 1, 2, 2, 0];

test('a length for each query makes a row for each sequence', () => {
  expect(perQuery(queryLens)).toEqual([
    [1, 2, 3, 4],
    [1, 2, 2, 0],
  ]);
  expect(visibleKeys([1, 2, 2, 0]).map(Number)).toEqual([1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]);
});

test.each([
  { lengths: 'sequence', each: [3, 3, 3, 3, 2, 2, 2, 2] },
  { lengths: 'query', each: queryLens },
] as const)('the JavaScript with X all ones prints even weights: a length per $lengths', async (given) => {
  const { lengths, each } = given;
  const { javascript } = headsCode({ validLens: [3, 2], lengths, queryLens, input: 'ones', seed: 1 });
  const lines = await runModule(javascript);
  // Two sequences of five heads of four queries; every query attends uniformly to the keys that it may see, and its
  // weights are 0 if there are none.
  const wanted = [0, 1].flatMap((sequence) =>
    [1, 2, 3, 4, 5].flatMap((head) =>
      [0, 1, 2, 3].map((query) => {
        const length = each[4 * sequence + query] ?? 0;
        const weights = [0, 1, 2, 3].map((key) => (key < length ? Math.fround(1 / length) : 0));
        return [sequence + 1, head, query + 1, ...weights].join(' ');
      }),
    ),
  );
  expect(lines).toEqual(wanted);
});
