/** The JavaScript of figures computes what they show, for code in their elements; tests/page has the others. */
import { expect, test } from '@jest/globals';
import { runModule } from '../../../support/runModule.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { EPS, expectNear, from, given, type Given, type Settings } from '../../given.js';

const { open } = useBrowser();

async function givenOnce(tag: string, settings: Settings): Promise<Given> {
  const { figure } = await openAlone(open, tag);
  const [only] = await given(figure, [settings]);
  if (only === undefined) throw new Error(`${tag} gave nothing`);
  return only;
}

/** A sum of `width` products of numbers up to one is off by at most this in float32. */
const dotError = (width: number): number => width * EPS;

const P = { length: 17, width: 12, base: 500, columns: [2, 5] };

test.each([
  // Rows of the library's results are equal to the last bit.
  ['positional-curves', P, 0],
  ['positional-curves', {}, 0],
  ['positional-heatmap', P, 0],
  ['positional-heatmap', {}, 0],
  // The code sums in float64, the figure in float32.
  ['encoding-similarity', P, dotError(12)],
  ['encoding-similarity', {}, dotError(32)],
] as const)('%s with %j prints the rows of its file', async (tag, settings, tolerance) => {
  const { javascript, rows } = await givenOnce(tag, settings);
  const lines = await runModule(javascript);
  const printed = lines.map((line) => line.split(' ').map(Number));
  expect(printed.map((row) => row.length)).toEqual(rows.map((row) => row.length));
  expectNear(printed.flat().map(Math.fround), rows.flat().map(Math.fround), tolerance);
});

test.each([{}, { offset: -30, position: 59, width: 32 }])(
  'encoding-rotation with %j prints the rotated pairs',
  async (settings) => {
    const { javascript, rows } = await givenOnce('encoding-rotation', settings);
    const lines = await runModule(javascript);
    // Both compute the same products of the same float32 numbers in float64.
    expectNear(
      lines.join(' ').split(' ').map(Number),
      from(
        rows.map((row) => row.slice(-2)),
        0,
      ),
      2 ** -50,
    );
  },
);
