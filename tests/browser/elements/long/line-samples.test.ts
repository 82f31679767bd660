/** Names of curves follow a sample of their line, or are above it if it is a single point. */
import { expect, test } from '@jest/globals';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test.each([
  ['complexity-race', 4],
  ['depth-collapse', 4],
  ['length-extrapolation', 5],
  ['position-training', 6],
  ['positional-curves', 4],
])('the names of the curves of %s (%i) identify their lines', async (tag, count) => {
  const { figure } = await openAlone(open, tag);
  const { lines, samples } = await figure.evaluate((element) => {
    const look = (path: Element): string => {
      const { stroke, strokeDasharray } = getComputedStyle(path);
      return `${stroke} ${strokeDasharray}`;
    };
    const root = element.shadowRoot!;
    const lines = [...root.querySelectorAll('path.series')].map(look);
    const samples = [...root.querySelectorAll('text.curve-label')].map((label, at) => {
      const sample = label.previousElementSibling!;
      // A name above a point has the point's colour.
      return sample.matches('.ring') ? lines[at]!.replace(/^rgb\(.*\)/, getComputedStyle(label).fill) : look(sample);
    });
    return { lines, samples };
  });
  expect(lines).toHaveLength(count);
  // No two lines have the same colour and dashes.
  expect(new Set(lines).size).toBe(count);
  expect(samples).toEqual(lines);
});

test('each kind of positions can be chosen by its line', async () => {
  const { figure } = await openAlone(open, 'position-training');
  const [lines, samples] = await figure.evaluate((element) =>
    ['path.series', '.choice path'].map((selector) =>
      [...element.shadowRoot!.querySelectorAll(selector)].map((path) => {
        const { stroke, strokeDasharray } = getComputedStyle(path);
        return `${stroke} ${strokeDasharray}`;
      }),
    ),
  );
  expect(lines).toHaveLength(6);
  expect(samples).toEqual(lines);
});
