import { expect, test } from '@jest/globals';
import { openAlone } from '../alone.js';
import { useBrowser } from '../browser.js';
import { csvOf } from '../shown.js';

const { open } = useBrowser();

test('opens on sines most of which change their signs', async () => {
  const { figure } = await openAlone(open, 'binary-positions');
  const { columns, rows } = await csvOf(figure);
  const sines = columns.flatMap((name, column) => (name.startsWith('column') ? [rows.map((row) => row[column])] : []));
  // At position 0 every sine is zero.
  expect(sines.map(([first]) => first)).toEqual(sines.map(() => '0'));
  const changing = sines.filter((signs) => signs.filter((sign) => sign === '−').length > 4);
  expect(changing.length / sines.length).toBeGreaterThan(0.75);
});

test('the heads of its columns stand at equal distances, do not touch, and words say what is filled', async () => {
  for (const width of [390, 960]) {
    const { figure } = await openAlone(open, 'binary-positions', { viewport: { width, height: 844 } });
    await figure.evaluate((element) => Object.assign(element, { width: 32, frequencies: 'paper' }));
    await figure.getByText('Filled: a bit of 1 on the left, a positive sine on the right.').waitFor();
    const heads = await figure.locator('text[y="31"]').evaluateAll((all) =>
      all.map((head) => {
        const { left, right } = head.getBoundingClientRect();
        return { text: head.textContent, left, right, middle: (left + right) / 2 };
      }),
    );
    const sines = heads.slice(heads.findIndex(({ text }) => text === '2') + 1);
    expect(sines.at(-1)?.text).toBe('6');
    const gaps = sines.slice(1).map(({ middle }, k) => Math.round(middle - sines[k]!.middle));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
    heads.slice(1).forEach(({ left }, k) => expect(left - heads[k]!.right).toBeGreaterThan(3));
  }
});
