import { expect, test } from '@jest/globals';
import { openAlone } from '../alone.js';
import { useBrowser } from '../browser.js';
import { csvOf } from '../shown.js';

const { open } = useBrowser();

test('most sines in the initial view change sign', async () => {
  const { figure } = await openAlone(open, 'binary-positions');
  const { columns, rows } = await csvOf(figure);
  const sines = columns.flatMap((name, column) => (name.startsWith('column') ? [rows.map((row) => row[column])] : []));
  // At position 0 every sine is zero.
  expect(sines.map(([first]) => first)).toEqual(sines.map(() => '0'));
  const changing = sines.filter((signs) => signs.filter((sign) => sign === '−').length > 4);
  expect(changing.length / sines.length).toBeGreaterThan(0.75);
});
